from pathlib import Path

from spack.package import *

try:  # Spack 1.0 and later, where languages are dependencies
    from spack_repo.builtin.build_systems.makefile import MakefilePackage

    LANGUAGES = ("c", "cxx")
except ImportError:
    LANGUAGES = ()


class Crosswait(MakefilePackage):
    """Records MPI jobs, executes them again under hostile but legal conditions, and finds out what
    they relied on. Builds the committed state of the checkout that has this recipe."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("BSD-2-Clause")

    version("main", branch="main")

    variant("otf2", default=True, description="Reads and writes OTF2 archives")

    for language in LANGUAGES:
        depends_on(language, type="build")
    depends_on("gmake", type="build")
    depends_on("python", type=("build", "run"))
    depends_on("openmpi")
    depends_on("cadical")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("nettle")
    depends_on("sqlite")
    depends_on("xxhash")
    depends_on("otf2", when="+otf2")

    def variables(self):
        python = self.spec["python"].command.path
        found = [f"PREFIX={self.prefix}", f"PYTHON={python}"]
        return found + ([] if "+otf2" in self.spec else ["OTF2="])

    def build(self, spec, prefix):
        make("all", *self.variables())

    def install(self, spec, prefix):
        make("install", *self.variables())

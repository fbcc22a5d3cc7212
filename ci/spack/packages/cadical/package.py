from spack.package import *

try:  # Spack 1.0 and later, where languages are dependencies
    from spack_repo.builtin.build_systems.generic import Package

    LANGUAGES = ("cxx",)
except ImportError:
    LANGUAGES = ()


class Cadical(Package):
    """A SAT solver; this recipe installs only its library and its C++ header."""

    homepage = "https://fmv.jku.at/cadical"
    url = "https://deb.debian.org/debian/pool/main/c/cadical/cadical_1.5.3.orig.tar.gz"

    license("MIT")

    version("1.5.3", sha256="0ff521ed36d57478a8dbc610e0d27536c9d3a2154d859152f33f8733a6dca31e")

    for language in LANGUAGES:
        depends_on(language, type="build")
    depends_on("gmake", type="build")

    def install(self, spec, prefix):
        Executable("./configure")("-fPIC")
        make()
        mkdirp(prefix.include, prefix.lib)
        install("src/cadical.hpp", prefix.include)
        install("build/libcadical.a", prefix.lib)

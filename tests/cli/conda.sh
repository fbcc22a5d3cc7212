# slow
# timeout: 600
# conda-forge's own tool reads the recipe and renders it for its compilers: PyPI's py-rattler-build.
at=$PWD/venv
{ /usr/bin/python3 -m venv "$at" && "$at/bin/pip" install -q --disable-pip-version-check \
    py-rattler-build==0.73.0; } >pip.txt 2>&1 || { cat pip.txt; exit 1; }
"$at/bin/python" - "$SOURCE/ci/conda/recipe.yaml" <<'END'
import sys

import rattler_build

variants = rattler_build.VariantConfig.from_yaml(
    "c_stdlib: [sysroot]\nc_stdlib_version: ['2.28']\n"
)
(rendered,) = rattler_build.Stage0Recipe.from_file(sys.argv[1]).render(variants)
recipe = rendered.recipe() if callable(rendered.recipe) else rendered.recipe
needs = recipe.to_dict()["requirements"]
assert any(name.startswith("gcc_linux") for name in needs["build"]), needs
assert {"cadical", "openmpi", "sqlite"} <= set(needs["host"]), needs
END

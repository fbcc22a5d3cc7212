"""Tests the files of ci/ that users copy: ci_files.py SOURCE BUILD. Runs every shell line of the
templates like the CI system; the files that they keep must exist; the Dockerfile must install what
the build needs, and what the installed files are linked with."""
import os, re, subprocess, sys, yaml

source, build = sys.argv[1:]


def shell(command):
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}[{done.returncode}]")
    return done.stdout


def kept(paths):
    for path in paths:
        if not os.path.exists(path):
            sys.exit(f"{path} is kept, and is not there")
        os.remove(path)


job = yaml.safe_load(open(f"{source}/ci/github.yml"))["jobs"]["crosswait"]
lines = [step["run"] for step in job["steps"] if "run" in step]
for line in lines:
    shell(line)
for step in job["steps"]:
    more = step.get("with", {})
    kept(more["path"].split() if "path" in more else [])
kept(["crosswait.sarif", "crosswait.xml"])
print(f"github: {len(lines)} commands")

job = yaml.safe_load(open(f"{source}/ci/gitlab.yml"))["crosswait"]
for line in job["script"]:
    shell(line)
kept(job["artifacts"]["paths"] + [*job["artifacts"]["reports"].values()])
print(f"gitlab: {len(job['script'])} commands")

# Runs the action and the component, with their inputs inserted.
step = yaml.safe_load(open(f"{source}/action.yml"))
values = {name: of.get("default", "") for name, of in step["inputs"].items()}
values["command"] = "mpirun --oversubscribe -n 4 ./app"
(step,) = step["runs"]["steps"]
for name, of in step["env"].items():
    os.environ[name] = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: values[m[1]], of)
os.environ["GITHUB_STEP_SUMMARY"] = "summary.md"
shell(step["run"])
kept(["crosswait.sarif", "crosswait.xml", "summary.md"])
head, body = yaml.safe_load_all(open(f"{source}/templates/crosswait.yml"))
values = {name: (of or {}).get("default", "") for name, of in head["spec"]["inputs"].items()}
values["command"] = "mpirun --oversubscribe -n 4 ./app"
for line in body["crosswait"]["script"]:
    shell(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda m: values[m[1]], line))
kept(body["crosswait"]["artifacts"]["reports"].values())
print("action and component: their commands run")

if "ENTRYPOINT" in open(f"{source}/ci/Dockerfile").read() and job["image"]["entrypoint"] != [""]:
    sys.exit("GitLab would run its shell through the image's entry point")

text = open(f"{source}/ci/Dockerfile").read().replace("\\\n", " ")
first, second = [
    set(line.split("--no-install-recommends")[1].split("&&")[0].split())
    for line in text.splitlines()
    if "apt-get install" in line
]
makefile = open(f"{source}/Makefile").read().replace("\\\n", " ")
list_of = lambda name: re.search(rf"^{name} = (.*)$", makefile, re.M)[1]
needed = set(list_of("DEPS").replace("$(NEEDED)", list_of("NEEDED")).split())
only_tests = {"python3-mpi4py", "sqlite3", "libcmocka-dev", "iproute2", "util-linux", "procps"}
if needed - only_tests - first:
    sys.exit(f"the image is built without {needed - only_tests - first}")
for command in re.findall(r"make -C /source install [^\n]*", text):
    shell(
        command.replace("/source", source).replace("/made", f"{os.getcwd()}/made")
        + f" BUILD={build}"
    )
for path in ("bin/crosswait", "lib/crosswait/libcrosswait.so", "lib/crosswait/libmpi.so.40"):
    for library in re.findall(r"NEEDED +(\S+)", shell(f"objdump -p made/usr/{path}")):
        packages = {line.split(":")[0] for line in shell(f"dpkg -S '*/{library}'").splitlines()}
        packages |= {name.removesuffix("t64") for name in packages}  # Debian 13's names
        if not packages & (
            second | {"libc6", "libelf1", "libgcc-s1"}
        ):  # Debian's base system and the dependencies of libdw1
            sys.exit(f"the image lacks {library}, which is in {packages}")
print("the image has what it needs")

# Checks the recipe for conda: the version, packages with other names in Debian, the install step.
recipe = yaml.safe_load(open(f"{source}/ci/conda/recipe.yaml"))
version = re.search(r'CORE_VERSION "(.*)"', open(f"{source}/core/version.h").read())[1]
if recipe["package"]["version"] != version:
    sys.exit(f"the recipe is of version {recipe['package']['version']}, not {version}")
CONDA = {"dw": "elfutils", "elf": "elfutils", "sqlite3": "sqlite"}
libraries = [
    re.sub("^lib|-dev$", "", name) for name in list_of("NEEDED").split() if name.endswith("-dev")
]
wanted = {CONDA.get(name, name) for name in libraries if name != "c6"} | {"otf2", "python"}
if wanted != set(recipe["requirements"]["host"]):
    sys.exit(f"the recipe builds with {recipe['requirements']['host']}, not {wanted}")
at = f"{os.getcwd()}/conda"
os.environ.update(PREFIX=at, GCC="gcc", PYTHON="/usr/bin/python3", BUILD="x86_64-conda-linux-gnu")
install = recipe["build"]["script"][-1].replace("BUILD=build", f"BUILD={build}")
shell(f"cd {source} && {install}")
os.environ["PATH"] = f"{at}/bin:{os.environ['PATH']}"
for line in recipe["tests"][0]["script"]:
    shell(line)
print("the recipe installs, and its tests run")

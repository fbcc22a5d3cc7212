"""wheel.py VERSION FOLDER DIST: makes DIST/crosswait-VERSION-py3-none-manylinux_2_28_x86_64.whl of
FOLDER/root, where `make install-command` put the command with the prefix '/'. FOLDER/archives lists
the static libraries that are part of it (old_glibc.py).

pip puts the tree below the prefix of the environment, so that the command finds its libraries,
`man` its pages and CMake its package just as after `make install`. The Python files of this room
become modules. The script writes the wheel only if each binary in it conforms to its tag: it needs
only glibc's own libraries, and no symbol of a newer glibc than the tag says. The same input gives
the same bytes."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

GLIBC = (2, 28)
LIMITS = {"GLIBC": GLIBC, "GCC": (7, 0, 0)}
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1"}
SYSTEM |= {"ld-linux-x86-64.so.2"}
TAG = "py3-none-manylinux_{}_{}_x86_64".format(*GLIBC)
MODULES = ["crosswait/__init__.py", "crosswait/__main__.py", "crosswait_pytest.py"]
MADE_AT = (2020, 1, 1, 0, 0, 0)  # time of each file in the archive, for the same bytes at any time

METADATA = """Metadata-Version: 2.1
Name: crosswait
Version: {version}
Summary: trace-and-replay testing of MPI programs: finds out what a job relied on
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Testing
Description-Content-Type: text/markdown

{readme}"""
WHEEL = f"""Wheel-Version: 1.0
Generator: crosswait
Root-Is-Purelib: false
Tag: {TAG}
"""
ENTRY_POINTS = """[pytest11]
crosswait = crosswait_pytest
"""


def fail(text):
    sys.exit(f"crosswait: make wheel {text}")


def read_elf(option, path):
    said = subprocess.run(["readelf", option, path], capture_output=True, text=True)
    if said.returncode:
        fail(f"cannot read {path}: {said.stderr.strip()}")
    return said.stdout


def check_binary(path):
    """Refuses a binary that needs something that the tag does not promise."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", read_elf("-dW", path)))
    if needed - SYSTEM:
        fail(f"cannot take {path}: it needs {', '.join(sorted(needed - SYSTEM))}")
    for family, number in re.findall(r"Name: ([A-Z]+)_([0-9.]+)", read_elf("-VW", path)):
        # python invariant 3
        if tuple(map(int, number.split("."))) > LIMITS.get(family, ()):
            fail(f"cannot take {path}: it needs {family}_{number}")


def installed_files(root):
    """Yields path below the prefix, path here, executable or not; strips and checks binaries."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    subprocess.run(["strip", "--strip-unneeded", path], check=True)
                    check_binary(path)
            yield os.path.relpath(path, root), path, os.access(path, os.X_OK)


def ask_dpkg(*words):
    done = subprocess.run(["dpkg-query", *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def owner_of(path):
    """Returns Debian's package of a file; dpkg may know it by its name before /usr was merged."""
    for name in (path, os.path.realpath(path), path.replace("/usr/lib/", "/lib/", 1)):
        if ask_dpkg("-S", name):
            return ask_dpkg("-S", name).split(":")[0]
    return fail(f"cannot name the licence of {path}: no package of Debian owns it")


def licences(archives):
    """Yields name and text of our license, and of those of the linked archives, with versions."""
    with open("LICENSE", "rb") as file:
        yield "LICENSE", file.read()
    packages = sorted({owner_of(path) for path in archives})
    for package in packages:
        with open(f"/usr/share/doc/{package}/copyright", "rb") as file:
            yield f"{package}.copyright", file.read()
    linked = {ask_dpkg("-W", "-f=${source:Package} ${source:Version}", name) for name in packages}
    said = "Debian's source packages whose libraries are part of the command:\n"
    yield "linked.txt", (said + "\n".join(sorted(linked)) + "\n").encode()


class Archive:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, MADE_AT)
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, name):
        """Writes the list of files; its own line has neither digest nor size."""
        self.add(name, "".join([*self.record, f"{name},,\n"]).encode())
        self.zip.close()


def main():
    version, folder, dist = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    data, info = f"crosswait-{version}.data", f"crosswait-{version}.dist-info"
    files = sorted(installed_files(os.path.join(folder, "root")))
    os.makedirs(dist, exist_ok=True)
    path = os.path.join(dist, f"crosswait-{version}-{TAG}.whl")
    partial = path + ".partial"
    archive = Archive(partial)
    for name in MODULES:
        with open(os.path.join(here, name), "rb") as file:
            archive.add(name, file.read())
    for name, place, executable in files:
        if name.startswith("lib/crosswait/python/"):  # a module above
            continue
        kind = name.replace("bin/", "scripts/", 1) if name.startswith("bin/") else f"data/{name}"
        with open(place, "rb") as file:
            archive.add(f"{data}/{kind}", file.read(), executable)
    with open("README.md") as file:
        archive.add(
            f"{info}/METADATA", METADATA.format(version=version, readme=file.read()).encode()
        )
    archive.add(f"{info}/WHEEL", WHEEL.encode())
    archive.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    with open(os.path.join(folder, "archives")) as file:
        archives = file.read().splitlines()
    for name, text in licences(archives):
        archive.add(f"{info}/licenses/{name}", text)
    archive.close(f"{info}/RECORD")
    os.replace(partial, path)
    print(path)


if __name__ == "__main__":
    main()

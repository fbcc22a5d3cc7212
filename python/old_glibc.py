"""old_glibc.py CC FOLDER -lNAME...: makes FOLDER/glibc, with which gcc links instead of this
machine's glibc, so that the programs run with glibc 2.28 and newer; and FOLDER/archives, the list
of static libraries.

The files are those that PyPI's ziglang makes to link for an old glibc: libraries with the symbols
and versions of that release and without code, its startup code, and its static functions. gcc takes
them by -BFOLDER/glibc/. If the build lacks a static library NAME or ziglang, the script says so in
one line."""
import os
import shutil
import subprocess
import sys

ZIGLANG = "ziglang==0.17.1"
TARGET = "x86_64-linux-gnu.2.28"
STATIC = {"sqlite3": "libsqlite3-dev", "dw": "libdw-dev", "elf": "libelf-dev"}
STATIC |= {"z": "zlib1g-dev", "lzma": "liblzma-dev", "bz2": "libbz2-dev", "stdc++": "g++"}
STATIC |= {"xxhash": "libxxhash-dev", "jansson": "libjansson-dev", "nettle": "nettle-dev"}
STATIC |= {"cadical": "libcadical-dev", "otf2": "libotf2-trace-dev"}


def fail(text):
    sys.exit(f"crosswait: make wheel {text}")


def static_libraries(compiler, words):
    """Returns the archives of -lNAME..., all of which must exist."""
    archives, missing = [], []
    for name in (word[2:] for word in words):
        said = subprocess.run(
            [*compiler.split(), f"-print-file-name=lib{name}.a"], capture_output=True, text=True
        ).stdout.strip()
        if os.path.isabs(said):
            archives.append(os.path.normpath(said))
        else:
            missing.append(f"lib{name}.a ({STATIC.get(name, 'no package known')})")
    if missing:
        fail("lacks, of Debian's packages: " + ", ".join(missing))
    return archives


def zig(folder):
    """Returns Python of an environment with ziglang; needs no network if that is already there."""
    python = os.path.join(folder, "zig/bin/python")
    there = os.path.join(folder, "zig/.installed")
    if os.path.exists(there) and open(there).read() == ZIGLANG:
        return python
    shutil.rmtree(os.path.dirname(there), ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", os.path.join(folder, "zig")],
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", ZIGLANG],
    ):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            fail(f"lacks {ZIGLANG}, which pip installs from the network: {' '.join(last)}")
    with open(there, "w") as file:
        file.write(ZIGLANG)
    return python


def linked_files(python, folder):
    """Returns the files that zig gives its linker for a program in C."""
    cache = os.path.abspath(os.path.join(folder, "zig/cache"))
    source = os.path.join(folder, "empty.c")
    with open(source, "w") as file:
        file.write("int main(void) { return 0; }\n")
    command = [python, "-m", "ziglang", "build-exe", source, "-target", TARGET, "-lc", "-fPIE"]
    command += ["-fno-compiler-rt", "-fno-ubsan-rt", "--verbose-link"]
    command += [f"-femit-bin={os.path.join(folder, 'empty')}", "--cache-dir", cache]
    command += ["--global-cache-dir", cache]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    links = [line.split() for line in done.stderr.splitlines() if line.startswith("ld.lld")]
    if done.returncode or not links:
        fail(f"cannot use {ZIGLANG}: {done.stderr.strip()[-200:]}")
    return [word for word in links[-1] if os.path.isfile(word)]


def main():
    compiler, folder, libraries = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "archives"), "w") as file:
        file.write("\n".join(static_libraries(compiler, libraries)) + "\n")
    glibc = os.path.join(folder, "glibc")
    shutil.rmtree(glibc, ignore_errors=True)
    os.makedirs(glibc)
    for path in linked_files(zig(folder), folder):
        name = os.path.basename(path)
        if name == "Scrt1.o" or name == "libc_nonshared.a" or ".so." in name:
            shutil.copy(path, glibc)
            stem, _, version = name.partition(".so.")
            if version and stem != "libc":
                os.symlink(name, os.path.join(glibc, stem + ".so"))
    with open(os.path.join(glibc, "libc.so"), "w") as file:
        file.write("GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( libld.so.2 ) )\n")


if __name__ == "__main__":
    main()

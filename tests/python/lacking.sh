# expected
# If `make wheel` misses something, it says so in one line; it refuses a binary that needs more than
# the tag promises; `make release` refuses a version without a section in the list of changes.
# `python -m crosswait` runs the command of its own prefix, else that on the PATH.
cd "$SOURCE" || exit 1
at=$OLDPWD
said() { # COMMAND...: its last line, and whether it failed
    if "$@" >"$at/out" 2>&1 </dev/null; then echo "it works"; else echo "exit status $?"; fi
    sed "s|$BUILD|BUILD|; s|$at|HERE|; s|Makefile:[0-9]*|Makefile:LINE|" "$at/out"
}
said /usr/bin/python3 python/old_glibc.py gcc "$at/folder" -lm -lnosuch -lneither
# Without a network: the environment's pip fails.
mkdir "$at/offline" && cat >"$at/offline/venv.py" <<'END'
import os, sys

os.makedirs(f"{sys.argv[1]}/bin")
with open(f"{sys.argv[1]}/bin/python", "w") as file:
    file.write("#!/bin/sh\necho first; echo 'ERROR: No matching distribution found' >&2; exit 1\n")
os.chmod(file.name, 0o755)
END
said env PYTHONPATH="$at/offline" /usr/bin/python3 python/old_glibc.py gcc "$at/folder" -lm
mkdir -p "$at/whole/root/bin" && cp "$BUILD/crosswait" "$at/whole/root/bin" &&
    touch "$at/whole/archives" || exit 1
said /usr/bin/python3 python/wheel.py 9.9 "$at/whole" "$at/dist"
said env -u MAKELEVEL -u MAKEFLAGS make -s release VERSION=9.9 DIST="$at/dist"
[ ! -e "$at/dist" ] || ls "$at/dist"
cd "$at" && PYTHONPATH=$SOURCE/python /usr/bin/python3 -m crosswait --version | sed 's/ .*//'
# In a prefix of `make install`, which need not be on the PATH.
mkdir -p prefix/bin prefix/lib/crosswait/python && cp -r "$SOURCE/python/crosswait" \
    prefix/lib/crosswait/python && ln -s "$BUILD/crosswait" prefix/bin/crosswait &&
    PYTHONPATH=prefix/lib/crosswait/python PATH=/usr/bin:/bin \
        /usr/bin/python3 -m crosswait --version | sed 's/ .*//'

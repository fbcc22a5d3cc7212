# expected
# If `make wheel` misses something, it says so in one line; it refuses a binary that needs more than
# the tag promises; `python -m crosswait` runs the command on the PATH if pip installed none.
cd "$SOURCE" || exit 1
at=$OLDPWD
said() { # COMMAND...: its last line, and whether it failed
    if "$@" >"$at/out" 2>&1 </dev/null; then echo "it works"; else echo "exit status $?"; fi
    sed "s|$BUILD|BUILD|; s|$at|HERE|" "$at/out"
}
export PIP_NO_INDEX=1 PIP_FIND_LINKS=
said /usr/bin/python3 python/old_glibc.py gcc "$at/folder" -lm -lnosuch -lneither
said /usr/bin/python3 python/old_glibc.py gcc "$at/folder" -lm
mkdir -p "$at/whole/root/bin" && cp "$BUILD/crosswait" "$at/whole/root/bin" &&
    touch "$at/whole/archives" || exit 1
said /usr/bin/python3 python/wheel.py 9.9 "$at/whole" "$at/dist"
[ ! -e "$at/dist" ] || ls "$at/dist"
cd "$at" && PYTHONPATH=$SOURCE/python /usr/bin/python3 -m crosswait --version | sed 's/ .*//'

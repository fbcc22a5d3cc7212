#!/bin/bash
# deps.bash PYTHON FOLDER: the virtual environments of versions.txt, in FOLDER. Those that are there
# in that version need no network.
python=$1 folder=$2 missing=0
while read -r name packages; do
    case $name in '' | '#'*) continue ;; esac
    at=$folder/$name
    [ "$(cat "$at/.installed" 2>/dev/null)" != "$packages" ] || continue
    echo "installing into $at: $packages"
    log=$(mktemp)
    # shellcheck disable=SC2086 # words
    { rm -rf "$at" && mkdir -p "$folder" && "$python" -m venv "$at" &&
        "$at/bin/pip" install -q --disable-pip-version-check $packages; } >"$log" 2>&1 </dev/null &&
        echo "$packages" >"$at/.installed" || { cat "$log" >&2; missing=1; }
    rm -f "$log"
done <"${BASH_SOURCE[0]%/*}/versions.txt"
[ $missing = 0 ] || echo "crosswait: not all could be installed: tests/mpi will fail" >&2
exit 0

#!/bin/bash
# deps.bash PYTHON FOLDER: the virtual environments of versions.txt, in FOLDER, and where there is
# cargo a program of Rust with its crate mpi. What is there in that version needs no network.
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
rust=${BASH_SOURCE[0]%/*}/rust
built=$(cat "$rust"/Cargo.* "$rust"/src/* | sha256sum)
if command -v cargo >/dev/null &&
    [ "$(cat "$folder/rust/.installed" 2>/dev/null)" != "$built" ]; then
    log=$(mktemp)
    for profile in dev release; do
        cargo build -q --locked --profile $profile --manifest-path "$rust/Cargo.toml" \
            --target-dir "$folder/rust" >"$log" 2>&1 </dev/null ||
            { cat "$log" >&2; missing=1; break; }
    done
    [ $missing = 1 ] || echo "$built" >"$folder/rust/.installed"
    rm -f "$log"
fi
[ $missing = 0 ] || echo "crosswait: not all could be installed: tests/mpi will fail" >&2
exit 0

#!/bin/bash
# deps.bash PYTHON FOLDER [check-all]: installs the virtual environments of versions.txt in FOLDER,
# all at the same time. Needs no network for what is already installed in that version. check-all:
# also builds, if there is cargo, a Rust program with its crate mpi, and then installs the
# environment of the standard ABI, whose mpi4py MPICH's compiler compiles.
python=$1 folder=$2 jobs=() abi=

# brings WHAT STAMP COMMAND...: runs COMMAND unless WHAT was brought with the same STAMP. Prints
# COMMAND's output where it fails.
brings() {
    local what=$1 stamp=$2 log
    shift 2
    [ "$(cat "$folder/$what/.installed" 2>/dev/null)" != "$stamp" ] || return 0
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then
        echo "$stamp" >"$folder/$what/.installed"
        rm -f "$log"
    else
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# venv FOLDER PACKAGE...: one pip serves all environments. Only modules that the packages import are
# compiled: all of numba's would take most of the time.
venv() {
    local at=$1 package
    shift
    rm -rf "$at" && "$python" -m venv --without-pip "$at" &&
        "$folder/pip/bin/pip" --python "$at/bin/python" install -q --no-compile \
            --disable-pip-version-check "$@" || return
    for package; do
        package=${package%%==*}
        "$at/bin/python" -c "import ${package//-/_}" 2>/dev/null
    done
    return 0
}

crate() {
    for profile in dev release; do
        cargo build -q --locked --profile $profile --manifest-path "$rust/Cargo.toml" \
            --target-dir "$folder/rust" || return
    done
}

mkdir -p "$folder"
brings pip "$("$python" -c 'import sys; print(sys.version)')" "$python" -m venv "$folder/pip"
while read -r name packages; do
    case $name in '' | '#'*) continue ;; esac
    [ "$name" != abi ] || { abi=$packages; continue; }
    [ "$(cat "$folder/$name/.installed" 2>/dev/null)" = "$packages" ] ||
        echo "installing into $folder/$name: $packages"
    # shellcheck disable=SC2086 # words
    brings "$name" "$packages" venv "$folder/$name" $packages &
    jobs+=($!)
done <"${BASH_SOURCE[0]%/*}/versions.txt"
rust=${BASH_SOURCE[0]%/*}/rust
if [ "$3" = check-all ] && command -v cargo >/dev/null; then
    brings rust "$(cat "$rust"/Cargo.* "$rust"/src/* | sha256sum)" crate &
    jobs+=($!)
fi
missing=0
for job in "${jobs[@]}"; do wait "$job" || missing=1; done
if [ "$3" = check-all ]; then
    mpich=$PWD/$folder/mpich/bin
    # shellcheck disable=SC2086 # words
    CFLAGS=-O0 MPICC=$mpich/mpicc_abi PATH=$mpich:$PATH \
        brings abi "$abi" venv "$folder/abi" --no-binary=mpi4py $abi || missing=1
fi
[ $missing = 0 ] || echo "crosswait: not all could be installed: tests/mpi will fail" >&2
exit 0

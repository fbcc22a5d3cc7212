# slow
# timeout: 300
# needs: cargo>=1.78: Rust's crate mpi is built with it
# Rust's crate mpi: places are the program's lines, not the crate's; if a release build has no debug
# information, they are the program's functions.
at=$SOURCE/build/mpi/rust
[ -f "$at/.installed" ] || { echo "build/mpi/rust is not there: make deps-mpi"; exit 1; }
failed=0
places() { # COLUMNS: of the calls that the program's lines name
    sqlite3 -separator ' ' T.db "SELECT DISTINCT call, $1 FROM event JOIN site
        ON site.id = event.site ORDER BY 1" | grep -f names
}
grep -n ' // MPI_' "$SOURCE/tests/mpi/rust/src/main.rs" |
    sed -E 's/^([0-9]+):.* (MPI_.*)/\2 main.rs \1/' | sort >expected
sed 's/ .*/ /' expected >names
RUSTFLAGS=-Csymbol-mangling-version=v0 cargo build -q --offline --locked --profile release \
    --manifest-path "$SOURCE/tests/mpi/rust/Cargo.toml" --target-dir v0 >log 2>&1 ||
    { cat log; exit 1; }
nm v0/release/ring | grep -q '_R.*4ring4main$' || { echo 'no names of the newer kind'; exit 1; }
for build in "$at/debug" "$at/release" v0/release; do
    crosswait run -o T.db -- mpirun -n 2 "$build/ring" >out 2>err
    grep -q '^error\[deadlock\]: ranks 0 and 1 wait for each other when sends are' out ||
        { cat out err; failed=1; }
    if [ "${build##*/}" = debug ]; then
        grep -qE '^ *--> .*main\.rs:8 ' out && places 'file, line' | diff expected -
    else
        places symbol >told
        [ "$(grep -cE ' ring::main(::h[0-9a-f]*)?$' told)" = "$(wc -l <names)" ] ||
            { cat told; false; }
    fi || { echo "$build"; failed=1; }
done
exit $failed

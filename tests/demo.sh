#!/bin/bash
# make demo: the send-before-receive quiz on real Open MPI. It completes, and crosswait shows the
# deadlock that did not happen that day; made larger it does happen, and is ended; its repaired
# twin is clean. Called with the build folder; fails if anything is not as said.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "${1:-build}")
eval "$(/usr/bin/python3 tests/mpirun.py)" || exit 1
failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/build" && ln -s "$build/crosswait" "$build/corpus" "$folder/build/" &&
    ln -s "$PWD/corpus" "$folder/" && # so that lines of the sources are shown
    cd "$folder" || exit 1

say() { printf '\n--- %s\n' "$*"; }
show() { # expected exit status, command
    local expected=$1 status
    shift
    printf '\n$'
    for word; do
        case $word in *" "*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    echo
    timeout 120 "$@" </dev/null
    status=$?
    echo "[exit status $status]"
    [ $status = "$expected" ] || { echo "demo: exit status $expected was expected"; failed=1; }
}

say "Two ranks, each sends, then receives (MPI_Isend, MPI_Wait, MPI_Irecv, MPI_Wait)." \
    "It works: the library buffers 8 bytes."
show 0 mpirun -n 2 build/corpus/programs/quiz
say "The same job, watched. It completes as before; what it relied on is found."
show 1 build/crosswait run -o quiz.db -- mpirun -n 2 build/corpus/programs/quiz
say "The recorded run again, without MPI, with sends that wait for their receive:" \
    "the deadlock that did not happen."
show 1 build/crosswait replay quiz.db --policy=buffering=rendezvous
say "With a megabyte the library does not buffer: the job really hangs." \
    "It is ended on a proof, not on a timeout."
show 1 build/crosswait run -o large.db -- mpirun -n 2 build/corpus/programs/quiz 1048576
say "Its repaired twin posts the receive first: clean, whatever the buffering."
show 0 build/crosswait run -o fixed.db -- mpirun -n 2 build/corpus/programs/quiz_fixed 1048576
say "A trace is one SQLite file."
show 0 sqlite3 -header -column quiz.db \
    'select rank, seq, call, peer, tag, bytes from event where bytes > 0'
if [ $failed = 0 ]; then
    printf '\ndemo: all as expected\n'
else
    printf '\ndemo: something was not as expected, see above\n'
    exit 1
fi

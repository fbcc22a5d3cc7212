# expected
# Exports traces as OTF2 archives and imports them again; judges an archive of another tool
# (EZTrace) as far as it goes; makes no blocking call of a nonblocking one if a tool (TAU) names no
# requests; mistakes are named. Holds foreign invariants 1 and 2.
show() {
    echo "\$ crosswait $*"
    crosswait "$@" 2>&1
    echo "[$?]"
}
programs=$BUILD/corpus/programs

crosswait record --no-watch -o T.db -- mpirun -n 2 "$programs/quiz" >/dev/null
show report --format=otf2 -o T.otf2 T.db
otf2-print T.otf2/traces.otf2 | grep -c '^MPI_ISEND '
show import T.otf2 -o I.db
show check I.db
show replay --decide I.db

# EZTrace tells of blocking messages what is needed; of requests it tells less.
traced() { # NAME PROGRAM ARGUMENT...
    mpirun -n 2 eztrace -t openmpi "$programs/${@:2}" >/dev/null 2>&1
    mv "$2_trace" "$1"
    rm -f ./*.log
}
traced E quiz_blocking
show import E -o E.db
show check E.db
show replay --explore --policy=buffering=eager:64 E.db
traced Q quiz_fixed # how much less depends on the version
crosswait import Q -o Q.db >/dev/null
show check Q.db | sed -n 's/^\(verdict: clean as far as it was recorded\).*/\1/p; /^\[/p'
"$BUILD/tests/tools/otf2_write" U unnamed && show import U -o U.db
show check U.db
crosswait dump U.db | sed 's/^\([01] [0-9]*\) [0-9.]* [0-9.]*/\1/'
"$BUILD/tests/tools/otf2_write" V dup && crosswait import V -o V.db | tail -1
crosswait report --why U.db | grep -c 'receive was posted'

show import
show import no/such/folder
show import .
touch text.otf2 && show import text.otf2
cp -r T.otf2 two && cp two/traces.otf2 two/again.otf2 && show import two
cp -r T.otf2 cut && truncate -s 20 cut/traces/1.evt && show import cut -o C.db
ls C.db* 2>&1 | head -1
show report --format=otf2 T.db
show report --format=otf2 -o T.otf2 T.db
show report --format=otf2 -o both T.db I.db
show report --format=otf3 T.db

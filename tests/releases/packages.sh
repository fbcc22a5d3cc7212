# slow
# timeout: 3600
# Apt installs the Debian packages on a Debian 12 without python3 and a compiler, with all that they
# need: the first one alone records, explores and reports, the second one fuzzes in C and C++. Needs
# root, debootstrap, dpkg-dev, debhelper and Debian's archive; CROSSWAIT_RELEASES: a folder for the
# base system, which may already be there.
. "$SOURCE/tests/releases/lib.bash"
root=${CROSSWAIT_RELEASES:-$PWD}/bookworm
make -s -C "$SOURCE" BUILD="$BUILD" deb >deb.txt 2>&1 || { cat deb.txt; exit 1; }
release_make bookworm "$root" || exit 1
rm -rf "$root/try" && mkdir "$root/try" && cp "$BUILD"/deb/*.deb "$BUILD/corpus/programs/quiz" \
    "$SOURCE/docs/programs/my_allreduce.c" "$root/try" || exit 1
cat >"$root/try/bcast.cc" <<'C'
#include <mpi.h>
#include <vector>
static int mine(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    std::vector<int> ranks(1, root);
    return MPI_Bcast(buffer, count, type, ranks[0], comm);
}
COLLECTIVE(bcast, "", mine)
C
cat >"$root/try/try.sh" <<'S'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 DEBIAN_FRONTEND=noninteractive
export OMPI_MCA_rmaps_base_oversubscribe=1
install() { # PACKAGE
    apt-get -qy install "./$1"_*.deb >apt.txt 2>&1 || { tail -20 apt.txt; exit 1; }
}
expect() { # EXIT STATUS, LINE, COMMAND...
    status=$1 line=$2
    shift 2
    timeout 200 "$@" >said.txt 2>&1
    got=$?
    [ $got = "$status" ] && grep -q "$line" said.txt ||
        { cat said.txt; echo "$*: exit status $got, not $status with '$line'"; exit 1; }
}
cd /try && apt-get -q update >apt.txt 2>&1 && apt-get -qy --purge autoremove 'crosswait*' \
    'python3*' 'gcc*' 'g++*' >apt.txt 2>&1
install crosswait
for tool in python3 gcc g++ clang; do
    ! command -v $tool || { echo "there is $tool: the test shows too little"; exit 1; }
done
expect 1 '^error.deadlock' crosswait run --html=T.html --sarif=T.sarif -- mpirun -n 2 ./quiz
expect 1 '^verdict: 1 error' crosswait report crosswait.db
expect 1 '^error.behaviour\|^error.deadlock' crosswait explore -n 2 -- ./quiz
expect 0 'traces.otf2' crosswait report --format=otf2 -o T.otf2 crosswait.db
expect 0 '^T.db: 2 ranks' crosswait import T.otf2 -o T.db
expect 0 'as the row says' crosswait model --explain=bcast.binomial
expect 3 'crosswait-fuzz' crosswait fuzz my_allreduce.c
install crosswait-fuzz
expect 1 'wrong-result' crosswait fuzz my_allreduce.c --time=10 -seed=1
expect 0 'nothing found in' crosswait fuzz bcast.cc --time=5 -seed=1
S
release_run "$root" sh /try/try.sh

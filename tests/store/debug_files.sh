# Source lines of programs with separate debug information: by build id, by debuglink; and the
# message if there is none, or if the program was rebuilt after the recording.
# timeout: 120
if [ -z "$CW_INSIDE" ]; then
    [ "$(id -u)" = 0 ] && exec env CW_INSIDE=1 unshare -m bash "$0"
    exec env CW_INSIDE=1 unshare -rm bash "$0"
fi
unset DEBUGINFOD_URLS
mkdir -p /usr/lib/debug && mount -t tmpfs none /usr/lib/debug || exit 1
build() { mpicc -g -O1 "$@" "$SOURCE/tests/store/where.c" || exit 1; }
look() {
    timeout 60 crosswait record -o T.db -- mpirun -n 1 ./$1 || exit 1
    echo "$1:"
    sqlite3 T.db "SELECT call, file, line, function, inlined, symbol IS NOT NULL
        FROM event JOIN site ON site.id = site
        WHERE call = 'MPI_Barrier' ORDER BY seq"
}
build -o plain && look plain
build -no-pie -o fixed && look fixed

build -Wl,--build-id=sha1 -o by_id
id=$(readelf -n by_id | sed -n 's/.*Build ID: //p')
mkdir -p /usr/lib/debug/.build-id/${id:0:2}
objcopy --only-keep-debug by_id /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug && strip by_id &&
    look by_id

build -Wl,--build-id=none -o by_link
objcopy --only-keep-debug by_link by_link.debug && strip by_link &&
    objcopy --add-gnu-debuglink=by_link.debug by_link && look by_link

mpicc -O1 -o symbols "$SOURCE/tests/store/where.c" && look symbols
strip symbols -o bare && look bare
crosswait dump T.db --no-time --fold --call=barrier | sed 's/0x[0-9a-f]*/0x.../'

cat >names.cc <<'P'
#include <mpi.h>
namespace app
{
struct grid {
    template <class T> __attribute__((noinline)) void sync(T (*)(int)) const
    {
        MPI_Barrier(MPI_COMM_WORLD);
    }
};
} // namespace app
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    app::grid().sync((double (*)(int)) nullptr);
    return MPI_Finalize();
}
P
mpicxx -O1 -o names names.cc || exit 1
timeout 60 crosswait record -o N.db -- mpirun -n 1 ./names || exit 1
echo "names:"
sqlite3 N.db "SELECT symbol FROM event JOIN site ON site.id = site WHERE call = 'MPI_Barrier'"

build -Wl,--build-id=sha1 -o anew
timeout 60 crosswait record --keep-spool -o A.db -- mpirun -n 1 ./anew
echo "built anew:"
build -Wl,--build-id=sha1 -O0 -o anew
crosswait recover A.db.spool -o B.db >/dev/null
crosswait dump B.db --no-time --fold --call=barrier | sed 's/0x[0-9a-f]*/0x.../'
exit 0

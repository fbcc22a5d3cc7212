# timeout: 100
# Two explorers that begin at the same time in one place do not take each other's folder for an
# abandoned one. The first takes a second between making its lock and holding it.
mkdir tmp
export TMPDIR=$PWD/tmp
mpicc -g -O1 -o right "$SOURCE/tests/explore/programs/exclusive.c" -DCORRECT || exit 1
cat >late.c <<'END'
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
int flock(int fd, int operation)
{
    sleep(1);
    return (int)syscall(SYS_flock, fd, operation);
}
END
gcc -shared -fPIC -o late.so late.c || exit 1
explore() { crosswait explore --time=100 --world=mpirun mpirun -n 2 ./right >"$1" 2>&1; }
LD_PRELOAD=$PWD/late.so explore first &
for i in $(seq 400); do
    ls tmp/crosswait-explore-*/* >/dev/null 2>&1 && break
    sleep 0.01
done
explore second
echo "second [$?] $(grep -c 'cannot' second)"
wait $!
echo "first [$?] $(grep 'cannot' first)"
ls tmp | grep -c crosswait-explore
exit 0

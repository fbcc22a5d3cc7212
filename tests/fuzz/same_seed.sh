# slow
# The same seed gives the same campaign wherever the system loads the program, and in whatever order
# it lists the files of a folder: the kept inputs, the findings of a user's file, and the table of
# executions until each defect.
set -u
course() { # of a log: what was kept, when; not what is said of it as time goes by
    grep -avw pulse "$1" | grep -aoE "^#[0-9]+.* ft: [0-9]+"
}
fixed=
setarch -R true 2>/dev/null && fixed="setarch -R" # addresses that are not given by chance
kept() { # $1: collective, the rest: what goes before the command
    rm -rf kept && mkdir kept
    CROSSWAIT_FUZZ_TARGET=$1 ${@:2} "$BUILD/fuzz/corpus" -seed=1 -runs=700 -len_control=0 \
        -rss_limit_mb=4096 kept >log.txt 2>&1 || tail -3 log.txt
    ls kept
}
for collective in cw_allreduce_ring fixed_bcast_try_and_ask; do
    kept $collective >once.txt
    kept $collective $fixed >twice.txt
    echo "$collective: $([ "$(wc -l <once.txt)" -gt 20 ] && echo many kept), $(cmp once.txt \
        twice.txt && echo the same)"
done
shm=$(mktemp -d -p /dev/shm) # where files are named in the order in which they were made
trap 'rm -rf "$shm"' EXIT
kept fixed_bcast_try_and_ask >once.txt
for order in "" -r; do
    mkdir "$shm/inputs$order"
    for name in $(sort $order once.txt); do cp kept/$name "$shm/inputs$order"; done
    CROSSWAIT_FUZZ_TARGET=cw_bcast_kary "$BUILD/fuzz/corpus" -seed=2 -runs=1000 -reload=0 \
        "$shm/inputs$order" >log.txt 2>&1
    course log.txt >course$order.txt
done
cmp -s <(ls -U "$shm/inputs") <(ls -U "$shm/inputs-r") && echo "they are named in one order"
echo "inputs named in two orders: $(cmp course.txt course-r.txt && echo the same)"
cat >sum.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* AddressSanitizer calls these behind and before each allocation. With LATE_THREAD libFuzzer's own
 * thread allocates while an input runs, and frees when another one does. The threads tell each
 * other by files, as ranks have variables of their own. */
#define UNSEEN __attribute__((noinline, no_sanitize("coverage", "address")))
UNSEEN static int is_late(void)
{
    return gettid() != getpid() && getenv("LATE_THREAD");
}
UNSEEN static void wait_for(const char *file)
{
    while (access(file, F_OK))
        usleep(100);
}
UNSEEN void __sanitizer_malloc_hook(const volatile void *block, size_t bytes)
{
    (void)block, (void)bytes;
    if (is_late())
        wait_for("runs");
}
UNSEEN void __sanitizer_free_hook(const volatile void *block)
{
    (void)block;
    if (!is_late())
        return;
    close(creat("allocated", 0600));
    wait_for("runs_on");
}
UNSEEN static void let_thread_allocate(int n)
{
    if (!getenv("LATE_THREAD") || !access("runs_on", F_OK))
        return;
    if (n == 9) {
        close(creat("runs", 0600));
        wait_for("allocated");
    } else if (!access("allocated", F_OK)) {
        close(creat("runs_on", 0600));
    }
}
static int down(int depth)
{
    volatile char here[2000];
    here[depth] = 1;
    return depth ? down(depth - 1) + here[depth] : 0;
}
static int my_allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    int rank;
    MPI_Comm_rank(c, &rank);
    let_thread_allocate(n);
    int code = MPI_Reduce(s == MPI_IN_PLACE && rank ? r : s, r, n, t, op, 0, c);
    return code + MPI_Bcast(r, n > 3 && down(n % 20) == 5 ? n - 1 : n, t, 0, c);
}
COLLECTIVE(allreduce, "", my_allreduce)
C
for how in "" "$fixed env LATE_THREAD=1"; do
    rm -rf crosswait-fuzz
    $how crosswait fuzz sum.c --keep-going -seed=5 -runs=1000 2>/dev/null |
        sed -nE "s/^  cause      //p" | sort >found.txt
    course crosswait-fuzz/sum/log >>found.txt
    [ -e first.txt ] || cp found.txt first.txt
done
echo "sum: $([ -s first.txt ] && echo something found), $([ -e allocated ] && echo a late thread),\
 $(cmp first.txt found.txt && echo the same)"
cat >classes.cc <<'C' # whose objects the sanitizer checks the type of, before each call
#include <utility>
struct base {
    virtual ~base() = default;
    virtual void add(int *sum) const = 0;
};
template <int n> struct one : base {
    void add(int *sum) const override { *sum += n; }
};
static void call(const base &object, int *sum)
{
    object.add(sum);
}
template <int... n> static int all(int mask, std::integer_sequence<int, n...>)
{
    int sum = 0;
    ((mask >> n % 30 & 1 ? call(one<n>(), &sum) : void()), ...);
    return sum;
}
int my_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    volatile int sum = all(count % 1000 * 7 + root, std::make_integer_sequence<int, 60>());
    return MPI_Bcast(buffer, count, type, root, comm);
}
COLLECTIVE(bcast, "", my_bcast)
C
for how in "" "$fixed"; do
    rm -rf crosswait-fuzz
    $how crosswait fuzz classes.cc -seed=5 -runs=1000 >course.txt
    course crosswait-fuzz/classes/log >>course.txt
    [ -e first_course.txt ] || cp course.txt first_course.txt
done
echo "classes: $(grep -oE "nothing found in [0-9]+" course.txt), $(cmp first_course.txt \
    course.txt && echo the same)"
for i in 1 2; do
    "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --compare=1 --runs=300 --seconds=600 \
        --only=defect_reduce_wrong >timed$i.txt || exit 1
    grep -v '^seconds of computing' timed$i.txt >table$i.txt || exit 1
done
cmp table1.txt table2.txt && echo "tables: the same"

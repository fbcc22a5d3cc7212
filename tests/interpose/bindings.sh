# The place of a call is the first one outside of bindings, also outside of templates that are
# compiled into the program, inlined or not; code that is in no list is named itself.
programs=$SOURCE/tests/interpose/programs
# places OWN: each call once, at the line that says so; OWN is where those of own.hpp are.
places() {
    sqlite3 -separator ' ' t.db "SELECT DISTINCT call, file, line FROM event JOIN site
        ON site.id = event.site ORDER BY 1, 2, 3" >told || exit 1
    /usr/bin/python3 - "$programs" "$1" told <<'P' || { echo "wrong: $2"; exit 1; }
import sys

programs, own, told = sys.argv[1:]
told = {tuple(line.split()) for line in open(told)}
wanted = set()
for file in "bindings.cpp", "own.hpp":
    for number, line in enumerate(open(f"{programs}/{file}"), 1):
        calls = line.partition("; // " if file == "own.hpp" else " // ")[2].split()
        if file == "own.hpp" and calls and own == file:
            wanted.add((line.split("(")[0].strip(), file, str(number)))
        elif file == "bindings.cpp" and calls and (calls[0] != "own" or own == file):
            wanted |= {(call, file, str(number)) for call in calls if call != "own"}
print(*sorted(told ^ wanted), sep="\n", end="")
sys.exit(told != wanted)
P
}
record() { crosswait record -o t.db -- mpirun -n 2 ./p || exit 1; }
for level in -O0 -O2; do
    mpicxx -g $level -I"$programs/include" -o p "$programs/bindings.cpp" || exit 1
    record
    places own.hpp "$level"
    for list in own::,total'()' 'own::box::p*():to*()' '*/own.hpp' "libx:$programs/own.h*"; do
        CROSSWAIT_BINDINGS=$list record
        places bindings.cpp "$level, $list"
    done
done
# Without debug information it is the caller, too.
mpicxx -O1 -I"$programs/include" -o p "$programs/bindings.cpp" || exit 1
record
[ "$(sqlite3 t.db "SELECT DISTINCT call, symbol FROM event JOIN site ON site.id = event.site
    WHERE call IN ('MPI_Alloc_mem', 'MPI_Recv', 'MPI_Ssend')" | grep -c '|main$')" = 3 ] ||
    { echo "without debug information"; exit 1; }
# Functions of Rust's crate mpi and of its core library, by their names; those of a namespace mpi of
# the program's own are named themselves.
cat >named.cpp <<'C'
#include <mpi.h>
#define NAMED(name) extern "C" __attribute__((noinline)) int name
#define CALLS(call)                                                                                \
    {                                                                                              \
        int result = call;                                                                         \
        __asm__ volatile("" : "+r"(result));                                                       \
        return result;                                                                             \
    }
extern "C" int rust_barrier(void) __asm__("_ZN3mpi10collective12Communicator7barrier17h8051f61950"
                                          "c6964bE");
extern "C" int rust_of_trait(void) __asm__("_ZN51_$LT$mpi..topology..Process$u20$as$u20$mpi..Any$"
                                           "GT$5probe17h0123456789abcdefE");
extern "C" int rust_core(void) __asm__("_ZN4core3ops8function6FnOnce9call_once17h0123456789abcd"
                                       "efE");
NAMED(rust_barrier)(void) CALLS(MPI_Barrier(MPI_COMM_WORLD))
NAMED(rust_core)(void) CALLS(rust_barrier())
NAMED(rust_of_trait)(void) CALLS(rust_core())
namespace mpi {
__attribute__((noinline)) int world_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size); // MPI_Comm_size
    __asm__ volatile("" : "+r"(size));
    return size;
}
} // namespace mpi
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int sum = mpi::world_size();
    sum += rust_of_trait(); // MPI_Barrier
    MPI_Finalize();
    return sum < 0;
}
C
for level in -O0 -O2; do
    mpicxx -g $level -w -o p named.cpp || exit 1
    record
    for call in MPI_Barrier MPI_Comm_size; do
        [ "$(sqlite3 t.db "SELECT DISTINCT line FROM event JOIN site ON site.id = event.site
            WHERE call = '$call'")" = "$(grep -n "// $call" named.cpp | cut -d: -f1)" ] ||
            { echo "$level, $call of Rust's"; sqlite3 t.db "SELECT * FROM site"; exit 1; }
    done
done

# expected
# Threads of ranks in one process: threads that compute between two calls of MPI do no harm; what
# cannot work is reported.
set -eu
gcc -O1 -fopenmp -I"$SOURCE" $(mpicc --showme:compile) -c \
    -o threads.o "$SOURCE/tests/world/programs/threads.c"
objcopy --redefine-sym main=crosswait_program_main threads.o
"$SOURCE/fuzz/program/globals.sh" threads.o
g++ -o threads threads.o "$BUILD/obj/fuzz/program/program_main.o" "$BUILD/hot/libworld.a" \
    "$BUILD/libcore.a" -fopenmp -lm
for way in joined team mpi on; do
    status=0
    timeout 20 ./threads -n 2 -- $way || status=$?
    echo "$way: exit $status"
done 2>&1

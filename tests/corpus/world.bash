# Builds verify_collectives on the in-process MPI, as ./verify in the current folder: many ranks,
# any buffering, any order.
gcc -g -O1 -D_GNU_SOURCE -DIN_PROCESS "-I$SOURCE" -Dmain=crosswait_program_main \
    $(mpicc --showme:compile) \
    -c -o verify.o "$SOURCE/tests/corpus/verify_collectives.c" &&
    "$SOURCE/fuzz/program/globals.sh" verify.o &&
    gcc -o verify verify.o "$BUILD/obj/fuzz/program/program_main.o" \
    -Wl,--whole-archive "$BUILD/corpus/libcollectives.a" \
        "$BUILD/corpus/libdefects.a" -Wl,--no-whole-archive "$BUILD/libworld.a" "$BUILD/libcore.a" \
        -lm || exit 1

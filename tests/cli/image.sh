# slow
# timeout: 3000
# alone
# Builds the image of ci/Dockerfile in chroots on debootstrap's Debian 12: it builds from the source
# alone, and its content suffices to compile a program, run it under crosswait, and fuzz a
# collective. Needs root, debootstrap and Debian's archive; CROSSWAIT_DEBIAN: a folder that has its
# base system already.
set -u
base=${CROSSWAIT_DEBIAN:-$PWD/base}
[ -d "$base" ] || debootstrap --variant=minbase bookworm base >debootstrap.txt 2>&1 ||
    { tail -5 debootstrap.txt; exit 1; }
/usr/bin/python3 "$SOURCE/tests/cli/image.py" "$SOURCE/ci/Dockerfile" "$SOURCE" "$base" "$PWD" \
    >inside.txt || { cat inside.txt; exit 1; }
inside() { eval "$(cat inside.txt)" '"$@"'; }
work=$PWD/1/work # of the last stage, which has no name
[ -d "$work" ] || exit 1
cp "$SOURCE/corpus/programs/quiz.c" "$SOURCE/docs/programs/my_allreduce.c" "$work"
chroot "$PWD/1" sh -c 'cd /work && mpicc -g -o quiz quiz.c' || exit 1
inside run -- mpirun --oversubscribe -n 2 ./quiz >out.txt 2>&1
[ $? = 1 ] && grep -q '^error.deadlock' out.txt && grep -q 'quiz.c:' out.txt ||
    { cat out.txt; exit 1; }
# In C++, too.
printf '%s\n' '#include <mpi.h>' '#include <vector>' 'int main(int argc, char **argv)' \
    '{ std::vector<int> v(4); MPI_Init(&argc, &argv);' \
    '  MPI_Bcast(v.data(), 4, MPI_INT, 0, MPI_COMM_WORLD); MPI_Finalize(); }' >"$work/v.cc"
chroot "$PWD/1" sh -c 'cd /work && mpicxx -g -o v v.cc && python3 --version' >out.txt 2>&1 ||
    { cat out.txt; exit 1; }
inside run -- mpirun --oversubscribe -n 2 ./v >out.txt 2>&1 || { cat out.txt; exit 1; }
inside fuzz my_allreduce.c --time=10 -seed=1 >out.txt 2>&1
[ $? = 1 ] && grep -q 'wrong-result' out.txt || { cat out.txt; exit 1; }

# The place of a call is found in the output of any linker: segments whose file offset is not their
# address (lld), executables with a fixed load address, code of a library.
# timeout: 60
cp "$SOURCE/corpus/programs/quiz.c" .
cat >main.c <<'C'
int quiz(int argc, char **argv);
int main(int argc, char **argv) { return quiz(argc, argv); }
C
mpicc -g -o plain quiz.c
mpicc -g -fuse-ld=lld -o by_lld quiz.c
mpicc -g -no-pie -o no_pie quiz.c
mpicc -g -no-pie -fuse-ld=lld -o no_pie_by_lld quiz.c
mpicc -g -fPIC -shared -fuse-ld=lld -Dmain=quiz -o libquiz.so quiz.c
mpicc -g -o in_library main.c ./libquiz.so
for program in plain by_lld no_pie no_pie_by_lld in_library; do
    echo "$program: $(crosswait explore -n 2 -- ./$program | grep -m 1 -e '-->')"
done

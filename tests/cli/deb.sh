# slow
# timeout: 900
# alone
# The Debian packages, unpacked into a folder: the tool runs from there and finds its library, its
# parts for fuzzing and its man pages, and does not depend on where it was built. Needs dpkg-dev,
# debhelper and lintian.
set -u
make -s -C "$SOURCE" BUILD="$BUILD" deb >deb.txt 2>&1 || { cat deb.txt; exit 1; }
for package in "$BUILD"/deb/*.deb; do
    dpkg-deb -x "$package" root
    lintian --allow-root "$package" | grep '^E:' && exit 1
done
find root -type f -o -type l |
    grep -v '^root/usr/\(bin/crosswait\|lib/crosswait/\|lib/cmake/crosswait/\)' |
    grep -vE '^root/usr/share/(man|doc|bash-completion|zsh|fish|pkgconfig|lintian)/' && exit 1
# Whatever a user's file may need to be built with is named by the package.
for package in $(sed -nE 's/.*from="([^"]*)".*/\1/p' "$SOURCE/fuzz/build.sh" | tr -d '$'); do
    dpkg-deb -f "$BUILD"/deb/crosswait-fuzz_*.deb Depends Suggests | grep -qw -e "$package" ||
        [ $package = from ] || { echo "crosswait-fuzz does not name $package"; exit 1; }
done
for package in python3 g++; do # --library, and collectives in C++
    dpkg-deb -f "$BUILD"/deb/crosswait-fuzz_*.deb Depends Recommends | grep -qwF -e "$package" ||
        { echo "crosswait-fuzz does not name $package"; exit 1; }
done
export PATH="$PWD/root/usr/bin:$PATH"
P=$BUILD/corpus/programs
unset CROSSWAIT_SHARE
[ "$(command -v crosswait)" = "$PWD/root/usr/bin/crosswait" ] || exit 1
crosswait run -o T.db -- mpirun -n 2 "$P/quiz" >out.txt 2>&1
[ $? = 1 ] && grep -q 'error\[deadlock\]' out.txt || { cat out.txt; exit 1; }
sqlite3 T.db "select value from meta where key = 'layer'" | grep -q on || exit 1
printf '%s\n' '#include <mpi.h>' \
    'static int mine(void *b, int n, MPI_Datatype t, int r, MPI_Comm c)' \
    '{ return MPI_Bcast(b, n, t, r, c); }' \
    'COLLECTIVE(bcast, "", mine)' >mine.c
crosswait fuzz mine.c --time=2 >out.txt 2>&1 || { cat out.txt; exit 1; }
# What pkg-config says compiles such a file.
export PKG_CONFIG_PATH=$PWD/root/usr/share/pkgconfig
flags=$(sed -n "s|^Cflags: ||p" $PKG_CONFIG_PATH/crosswait-fuzz.pc |
    sed "s|\${home}|$PWD/root/usr/lib/crosswait/fuzz|g")
grep -q '^prefix=/usr$' $PKG_CONFIG_PATH/crosswait-fuzz.pc || exit 1
mpicc $flags -c mine.c || exit 1
crosswait explore -n 2 -- "$P/quiz_fixed" >out.txt 2>&1 || { cat out.txt; exit 1; }
[ "$(find root/usr/share/man -name 'crosswait-run.1.gz' | wc -l)" = 1 ]

# slow
# timeout: 3600
# `make release` in a fresh clone makes the wheel and the source archive; the archive, which has no
# git folder, builds and installs as a user without rights, what was installed works, and uninstall
# removes it. Needs root, and PyPI's ziglang, once.
[ "$(id -u)" = 0 ] || { echo "this test is for root: it builds as another user"; exit 1; }
AT=$(mktemp -d /tmp/cw-source.XXXXXX) && chmod 755 "$AT" || exit 1
trap 'rm -rf "$AT"' EXIT
version=$(sed -n 's/^#define CORE_VERSION "\(.*\)"/\1/p' "$SOURCE/core/version.h")
git clone -q "$SOURCE" clone || exit 1
env -u BUILD make -C clone release >made 2>&1 || { tail -40 made; exit 1; }
archive=$PWD/clone/dist/crosswait-$version.tar.gz
[ "$(ls clone/dist | xargs)" = \
    "crosswait-$version-py3-none-manylinux_2_28_x86_64.whl crosswait-$version.tar.gz" ] ||
    { ls clone/dist; exit 1; }
mkdir "$AT/home" && cp "$archive" "$SOURCE/corpus/programs/quiz.c" "$AT/home" &&
    chown -R 64101:64101 "$AT/home" || exit 1
user() { # COMMAND...
    (cd "$AT/home" && exec setpriv --reuid=64101 --regid=64101 --clear-groups \
        env -i HOME="$AT/home" PATH="$AT/home/root/opt/cw/bin:/usr/bin:/bin" "$@" </dev/null)
}
build="make -j$(nproc) -C crosswait-$version"
where="PREFIX=/opt/cw DESTDIR=$AT/home/root"
for command in "tar xzf crosswait-$version.tar.gz" "$build all" "$build install $where"; do
    # shellcheck disable=SC2086 # words
    user $command >made 2>&1 || { tail -40 made; echo "$command failed"; exit 1; }
done
user mpicc -g -o quiz quiz.c || exit 1
user crosswait run -- mpirun -n 2 ./quiz >said 2>&1
[ $? = 1 ] && grep -q '^error.deadlock.: ranks 0 and 1 wait for each other when sends' said &&
    grep -q '^ --> quiz.c:33 ' said || { cat said; exit 1; }
user crosswait --version | grep -q "^crosswait $version " || exit 1
# shellcheck disable=SC2086 # words
user $build uninstall $where >/dev/null || exit 1
find "$AT/home/root" ! -type d | grep . && { echo "uninstall left these files"; exit 1; }
exit 0

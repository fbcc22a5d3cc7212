# Sourced by the tests of users' rights. Makes two users besides root, a copy of their programs that
# all can read, and a temporary folder that all share: `as USER COMMAND...`.
[ "$(id -u)" = 0 ] || { echo "this test is for root: it runs as other users"; exit 1; }
ALICE=64101 MALLORY=64102
SHARED=$(mktemp -d /tmp/cw-rights.XXXXXX) && chmod 1777 "$SHARED" || exit 1
trap 'rm -rf "$SHARED"' EXIT
mkdir "$SHARED/bin" && cp "$BUILD/crosswait" "$BUILD"/libcrosswait*.so \
    "$BUILD/corpus/programs/quiz" "$BUILD/corpus/programs/ring_allgather_safe" "$SHARED/bin" &&
    cp "$BUILD/mpich/programs/calls_misc" "$SHARED/bin" &&
    chmod -R a+rX "$SHARED/bin" || exit 1
CROSSWAIT=$SHARED/bin/crosswait QUIZ=$SHARED/bin/quiz RING=$SHARED/bin/ring_allgather_safe
as() {
    local user=$1
    shift
    mkdir -p "$SHARED/home.$user" && chown "$user:$user" "$SHARED/home.$user" &&
        chmod 700 "$SHARED/home.$user"
    (cd "$SHARED" && exec setpriv --reuid="$user" --regid="$user" \
        --clear-groups env HOME="$SHARED/home.$user" TMPDIR="$SHARED/home.$user" "$@")
}
fail() { echo "$*"; exit 1; }

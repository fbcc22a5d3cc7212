# expected
# timeout: 240
# The files in ci/, which users copy: their commands run here unchanged, in a folder that contains
# only a program.
mkdir job && cd job && cp "$SOURCE/corpus/programs/stencil.c" app.c
/usr/bin/python3 "$SOURCE/tests/cli/ci_files.py" "$SOURCE" "$BUILD"
# The schemas by which editors check such files.
"$SOURCE/build/mpi/readers/bin/python" "$SOURCE/tests/reports/readers.py" \
    github-workflows "$SOURCE/ci/github.yml" github-actions "$SOURCE/action.yml" \
    gitlab-ci "$SOURCE/ci/gitlab.yml" gitlab-ci "$SOURCE/templates/crosswait.yml"

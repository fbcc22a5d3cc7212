# expected
# timeout: 240
# The files in ci/ that others copy: their commands run here as they stand, in a folder that holds
# a program and nothing else.
mkdir job && cd job && cp "$SOURCE/corpus/programs/stencil.c" app.c
/usr/bin/python3 "$SOURCE/tests/cli/ci_files.py" "$SOURCE" "$BUILD"
# The schemas by which editors check such files.
"$SOURCE/build/mpi/readers/bin/python" "$SOURCE/tests/reports/readers.py" \
    github-workflows "$SOURCE/ci/github.yml" github-actions "$SOURCE/action.yml" \
    gitlab-ci "$SOURCE/ci/gitlab.yml" gitlab-ci "$SOURCE/templates/crosswait.yml"

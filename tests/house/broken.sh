# expected
# timeout: 60
# Breaks each rule of the house once in a small tree; house.py must name the place.
set -eu
git init -q tree
mkdir -p tree/core/trace tree/world/local tree/checkers tree/interpose
echo 'bool is_empty = OWN(Group_size)(group, &size) == MPI_SUCCESS && !size;' >tree/interpose/new.c
cat >tree/core/trace/event.c <<'END'
#include "checkers/check.h"
#include "core/status.h"
int event_count(void)
{
    return 0;
}
END
echo '#include "replay/logical/run.h"' >tree/world/local/op.c
cat >tree/checkers/check_rma.c <<'END'
/* --- a section --- */
/* Who opens so has no subject */
/* a comment may say that a buffer cannot fly, and compare strcmp(call, "MPI_Send") */
static int is_send(const char *call) { return !strcmp(call, "MPI_Send"); }
static int is_swap(const char *name) { return strstr(name, "Compare_and_swap") != 0; }
static int usage_fly(void) { return 0; }
END
echo 'int event_count(void);' >tree/core/trace/event.h
printf '# core\n\n`event.c`, `trace/`, `gone.c` and `nowhere/`; `check_NAME.c` is a pattern\n' \
    >tree/core/README.md
printf '%0101d\n' 0 | sed 's/^/words /' >tree/checkers/README.md
printf 'built in /%s/somebody/tree\n' home >tree/core/paths.md
echo 'static int find(void);' >tree/checkers/cause.c
touch tree/attributes.mod
mkdir -p tree/core/spool tree/tests
printf 'enum {\n    SPOOL_VERSION = 27\n};\n' >tree/core/spool/spool.h
echo 'VERSION = 26  # of spools' >tree/tests/spool.py
printf '%0101d\n' 0 | sed 's/^/# /' >tree/core/rules.mk
git -C tree add core checkers interpose tests world
touch tree/left.o
/usr/bin/python3 "$SOURCE/tests/house/house.py" --root=tree && exit 1
rm -rf tree && git init -q tree && mkdir tree/core &&
    echo '#include "core/status.h"' >tree/core/status.c
git -C tree add core
/usr/bin/python3 "$SOURCE/tests/house/house.py" --root=tree

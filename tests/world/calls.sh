# Which calls of mpi.h the in-process MPI has; those it has not, by name.
set -eu
printf '#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n' >all.c
gcc -E $(mpicc --showme:compile) all.c | grep -o '\<MPI_\(T_[a-z]\|[A-Z][a-z]\)[A-Za-z0-9_]* *(' |
    tr -d ' (' | sort -u >declared
nm -g --defined-only "$BUILD/libworld.a" |
    awk '($2 == "T" || $2 == "W") && $3 ~ /^MPI_/ { print $3 }' | sort -u >there
nm -g --defined-only "$BUILD/libworld.a" |
    awk '($2 == "T" || $2 == "W") && $3 ~ /^PMPI_/ { print substr($3, 2) }' | sort -u >profiled
echo "$(comm -12 declared there | wc -l) of $(wc -l <declared) calls, $(comm -12 there profiled |
    wc -l) of them also as PMPI_"
comm -23 declared there | sed 's/^/not there: /'

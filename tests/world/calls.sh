# Lists which calls of MPI 3.1 in mpi.h the in-process MPI has, and the names of those it lacks.
# How many newer ones it has; others of calls.table are refused by name: explore/newer.sh.
set -eu
printf '#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n' >all.c
gcc -E $(mpicc --showme:compile) all.c | grep -o '\<MPI_\(T_[a-z]\|[A-Z][a-z]\)[A-Za-z0-9_]* *(' |
    tr -d ' (' | sort -u >declared
sed -nE 's/^([A-Z]\w*) .*\<(newer|ext)\>.*/MPI_\1/p' "$SOURCE/interpose/calls.table" |
    sort -u >newer
comm -23 declared newer >old && mv old declared
nm -g --defined-only "$BUILD/libworld.a" |
    awk '($2 == "T" || $2 == "W") && $3 ~ /^MPI_/ { print $3 }' | sort -u >there
nm -g --defined-only "$BUILD/libworld.a" |
    awk '($2 == "T" || $2 == "W") && $3 ~ /^PMPI_/ { print substr($3, 2) }' | sort -u >profiled
echo "$(comm -12 declared there | wc -l) of $(wc -l <declared) calls, $(comm -12 declared there |
    comm -12 - profiled | wc -l) of them also as PMPI_"
comm -23 declared there | sed 's/^/not there: /'
echo "$(comm -13 declared there | wc -l) newer calls"

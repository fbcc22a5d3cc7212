#!/bin/sh
# usage: wrappers.sh library SHARE FILE.so | wrappers.sh fortran SHARE FILE.f90 OBJECT
# Writes a C file that registers collectives of other origin: those that a library exports under
# MPI's names, or those that a Fortran file claims in a comment like
# "! COLLECTIVE(allreduce, "", my_allreduce)". Exit status 1, with a message: there is none, or a
# claim is wrong.
set -u
how=$1 share=$2 file=$3
registry=$share/include/corpus/collectives/registry.h
mpi=$(mpicc --showme:compile) || exit 3
calls=$(sed -n 's/^COLLECTIVE_CALL(\(.*\))$/\1/p' "$registry")

# Sets blocking to the name of the blocking call, arguments to its C arguments, form to the further
# arguments of a non-blocking or persistent call.
call_known() { # $1: bcast, ibcast, bcast_init ...; status 1: MPI has no such collective
    form=
    for blocking in $calls bcast_k shift; do
        case $1 in
        "$blocking") break ;;
        i"$blocking") form=", MPI_Request *request"; break ;;
        "$blocking"_init) form=", MPI_Info info, MPI_Request *request"; break ;;
        *) blocking= ;;
        esac
    done
    [ "$blocking" ] || return 1
    arguments=$(printf '#include "corpus/collectives/registry.h"\n%s\n' \
        "ARGUMENTS COLLECTIVE_ARGUMENTS_$blocking" |
        clang -E -P $mpi -I"$share/include" - | sed -n 's/^ARGUMENTS //p')$form
    # one line for each argument: its type and its name
    list=$(echo "$arguments" | tr ',' '\n' | sed -E 's/ *([^ ].*[ *])([a-z]+)(\[\])? *$/\1\3 \2/')
    names=$(echo "$list" | sed 's/.* //' | paste -sd,)
}

# --- a library ------------------------------------------------------------------------------------

library_calls() {
    cat <<END
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "corpus/collectives/registry.h"
static void *library_find(const char *name)
{
    void *library = dlopen("$file", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "crosswait: %s\n", dlerror());
        exit(2);
    }
    return found;
}
END
    exported=" $(nm -D --defined-only "$file" | sed -n 's/.* [TW] MPI_//p' | tr '\n' ' ')"
    found=
    for call in $(for call in $calls; do echo "$call i$call"; done); do
        name=$(echo "$call" | sed 's/./\U&/')
        case $exported in *" $name "*) found=yes ;; *) continue ;; esac
        call_known "$call"
        case $blocking in
        scan | exscan | neighbor_*) groups= ;;
        *) groups=", .communicators = COLLECTIVE_INTRA_OR_INTER" ;;
        esac
        echo "static int library_$call($arguments)"
        echo "{ int (*exported)($arguments) = library_find(\"MPI_$name\");"
        echo "  return exported($names); }"
        echo "COLLECTIVE($call, \"\", library_$call$groups)"
    done
    [ "$found" ] || { echo "'${file##*/}' exports no collective of MPI's" >&2; exit 1; }
}

# --- a Fortran file -------------------------------------------------------------------------------

# Prints how many arguments a subroutine has by the debug information; nothing if it lacks the name.
arguments_of() { # $1: object, $2: name
    objdump --dwarf=info "$1" 2>/dev/null | awk -v name="$2" '
        /^ *<[0-9a-f]+><[0-9a-f]+>: Abbrev Number:/ {
            depth = $1; sub(/^</, "", depth); sub(/>.*/, "", depth); depth += 0
            if (inside && depth <= inside) exit
            kind = /DW_TAG_subprogram/ ? "routine" : /DW_TAG_formal_parameter/ ? "argument" : ""
            if (inside && kind == "argument" && depth == inside + 1) count++
        }
        kind == "routine" && !inside && /DW_AT_name/ && $NF == name { inside = depth }
        END { if (inside) print count + 0 }'
}

# Prints "DECLARATION|EXPRESSION" in C: what must be declared first, and what Fortran gets.
argument_fortran() { # $1: its type, $2: its name
    case $1 in
    "MPI_Request *") echo "MPI_Fint f_$2 = 0;|&f_$2" ;;
    *"void *") echo "|fortran_buffer($2)" ;;
    *MPI_Datatype*"[]")
        case $2 in recv*) side=1 ;; *) side=0 ;; esac
        case $blocking in neighbor_*) side="$side, 1" ;; *) side="$side, 0" ;; esac
        echo "MPI_Fint f_$2[SIZES_MAX]; fortran_types($2, $side, comm, f_$2);|f_$2" ;;
    *"[]") echo "|(void *)$2" ;;
    int*) echo "|&$2" ;;
    MPI_Datatype*) echo "MPI_Fint f_$2 = MPI_Type_c2f($2);|&f_$2" ;;
    *) handle=$(echo "$1" | sed 's/MPI_\([A-Za-z]*\).*/\1/')
        echo "MPI_Fint f_$2 = MPI_${handle}_c2f($2);|&f_$2" ;;
    esac
}

# Tells whether the subroutine has a dummy argument dimension(..): it needs descriptors, not
# addresses.
wants_descriptors() { # $1: name
    awk -v name="$1" '
        { line = tolower($0); sub(/!.*/, "", line) }
        line ~ "^ *([a-z]+ +)*subroutine +" name " *\\(" { inside = 1 }
        inside && line ~ /dimension *\( *\.\. *\)/ { found = 1 }
        inside && line ~ /^ *end *(subroutine|$)/ { inside = 0 }
        END { exit !found }' "$file"
}

# Writes, for one claim, a C function that calls the subroutine.
claim() { # $1: number of the line, $2: call, $3: name, $4: the macro as it was written
    symbol=$(nm "$object" | sed -nE "s/.* T ($3_|__.*_MOD_$3)\$/\1/p" | tail -1)
    [ "$symbol" ] ||
        { echo "$file:$1: no subroutine '$3' here that others may call" >&2; exit 1; }
    echo "#line $1 \"$file\""
    if ! call_known "$2"; then # the compiler then lists the known calls
        echo "static int $3(void) { return 0; }"
        echo "#line $1 \"$file\""
        echo "$4"
        return
    fi
    case $form$list in
    ", "*MPI_Datatype*"[]"*)
        echo "$file:$1: $2 takes lists of datatypes, which are gone when it returns" >&2
        exit 1 ;;
    esac
    given=$(arguments_of "$object" "$3") wanted=$(($(echo "$list" | wc -l) + 1))
    [ "${given:-$wanted}" = $wanted ] || {
        echo "$file:$1: '$3' has $given arguments; $2 has $wanted in Fortran: $names,ierror" |
            sed 's/,/, /g' >&2
        exit 1; }
    if wants_descriptors "$3"; then
        echo "$file:$1: '$3' has a buffer of dimension(..), which a caller in C cannot give it:" \
            "declare buffers as type(*), dimension(*)" >&2
        exit 1
    fi
    made=$(echo "$list" | while read -r line; do
        argument_fortran "${line% *}" "${line##* }"; done)
    echo "void $symbol($(echo "$made" | sed 's/.*/void */' | paste -sd, ), MPI_Fint *ierror);"
    echo "static int $3($arguments)"
    echo "{"
    echo "    MPI_Fint ierror = MPI_SUCCESS;"
    echo "$made" | sed -n 's/^\(..*\)|.*/    \1/p'
    echo "    $symbol($(echo "$made" | sed 's/.*|//' | paste -sd, ), &ierror);"
    [ -z "$form" ] || echo "    *request = MPI_Request_f2c(f_request);"
    echo "    return ierror;"
    echo "}"
    echo "#line $1 \"$file\""
    echo "$4"
}

fortran_calls() {
    object=$1
    cat <<END
#include "corpus/collectives/registry.h"
enum { SIZES_MAX = 128 };
extern MPI_Fint mpi_fortran_in_place_;
static inline void *fortran_buffer(const void *buffer)
{
    return buffer == MPI_IN_PLACE ? (void *)&mpi_fortran_in_place_ : (void *)buffer;
}
/* One for each rank that data go to, or come from. */
static inline void fortran_types(const MPI_Datatype *types, int receives, int neighbours,
                                 MPI_Comm comm, MPI_Fint *out)
{
    int inter, topology, count[2], weighted;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Topo_test(comm, &topology);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &count[receives]);
    if (neighbours && topology == MPI_DIST_GRAPH)
        MPI_Dist_graph_neighbors_count(comm, &count[1], &count[0], &weighted);
    else if (neighbours && MPI_Cartdim_get(comm, &count[receives]) == MPI_SUCCESS)
        count[receives] *= 2;
    for (int i = 0; types && i < count[receives]; i++)
        out[i] = MPI_Type_c2f(types[i]);
}
END
    claims=$(grep -nE '^[!cC*][!*]? *COLLECTIVE\(' "$file")
    [ "$claims" ] || {
        echo "'$file' registers no collective: end it with a comment like" \
            "! COLLECTIVE(bcast, \"\", my_bcast)" >&2
        exit 1; }
    echo "$claims" | while IFS= read -r line; do
        macro=$(echo "$line" | sed -E 's/^[0-9]+:[!cC*]+ *//')
        set -- $(echo "$macro" |
            sed -nE 's/^COLLECTIVE\( *([A-Za-z_]+) *, *"[^"]*" *, *([A-Za-z0-9_]+).*\) *$/\1 \2/p')
        [ $# = 2 ] || { echo "$file:${line%%:*}: no COLLECTIVE(call, \"row\", subroutine)" >&2
            exit 1; }
        claim "${line%%:*}" "$1" "$(echo "$2" | tr A-Z a-z)" \
            "$(echo "$macro" | sed "s/\b$2\b/\L&/")"
    done
}

case $how in
library) library_calls ;;
*) fortran_calls "$4" ;;
esac

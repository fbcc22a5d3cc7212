# The collectives have no mutable state, and call nothing but point-to-point, datatype, operation
# and group functions.
# timeout: 30
library="$BUILD/corpus/libcollectives.a"
size -A "$library" | awk '$1 ~ /^\.(data|bss)$/ && $2 > 0 { print "state: " $2 " bytes of " $1 }' \
    >state
nm "$library" | grep -q __asan && : >state      # that keeps state of its own
# The sanitizers and the compiler add names of their own.
nm -u "$library" | awk '$1 == "U" { print $2 }' | sort -u |
    grep -vE '^(cw_|collective_|ring_|cube_|pieces_|reduction_|ompi_)' |
    grep -vE '^(_GLOBAL_OFFSET_TABLE_|__asan|__ubsan|__start_|__stop_|__stack_chk)' |
    grep -vE '^(malloc|calloc|free|memcpy|memset|strcmp|__memcpy_chk)$' |
    grep -vE '^MPI_(Send|Recv|Isend|Irecv|Sendrecv|Wait|Waitall|Comm_rank|Comm_size)$' |
    grep -vE '^MPI_(Type_.*|Pack|Unpack|Pack_size|Reduce_local|Op_commutative)$' \
        >others
cat state others
[ -e "$library" ] && [ ! -s state ] && [ ! -s others ] && echo "clean"

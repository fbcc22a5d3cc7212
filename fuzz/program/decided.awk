# usage: nm OBJECT | awk -f decided.awk   Prints `?NAME` for each function that the object calls and
# whose answers --exhaustive does not vary, and `!NAME` for each name that it defines itself
# (fuzz/undecided.c compares the two over all objects); `*` if it calls a collective of MPI's,
# `^` if it asks for an attribute.
BEGIN {
    split("malloc calloc realloc free aligned_alloc posix_memalign strdup strndup " \
        "memcpy memmove memset memcmp memchr bcmp strlen strnlen strcpy strncpy strcat strncat " \
        "strcmp strncmp strchr strrchr strstr strspn strcspn strtol strtoul strtoll strtoull " \
        "strtod atoi atol abs labs llabs qsort bsearch abort write printf fprintf sprintf snprintf " \
        "vprintf vfprintf vsprintf vsnprintf puts putchar putc fputs fputc fflush perror stdout " \
        "stderr __assert_fail __errno_location __stack_chk_fail exit _exit _Exit " \
        "sqrt cbrt pow exp exp2 log log2 log10 floor ceil round lround trunc fmod fabs fmax fmin " \
        "ldexp frexp hypot sqrtf powf expf logf log2f floorf ceilf fabsf", word, " ")
    for (i in word) known[word[i]]
    # MPI's, in lower case and without MPI_: what the search varies, or what has one answer. Makers
    # of windows and openers of files are not among them: whether one waits for other ranks is the
    # library's.
    split("send ssend rsend bsend isend issend irsend ibsend recv irecv sendrecv " \
        "sendrecv_replace isendrecv isendrecv_replace probe iprobe mprobe improbe mrecv imrecv wait waitall waitany waitsome " \
        "test testall testany testsome request_free request_get_status cancel test_cancelled " \
        "start startall send_init ssend_init rsend_init bsend_init recv_init buffer_attach " \
        "buffer_detach get_count get_elements get_elements_x status_set_cancelled " \
        "status_set_elements reduce_local pack unpack pack_size pack_external unpack_external " \
        "pack_external_size get_address aint_add aint_diff abort initialized finalized " \
        "query_thread is_thread_main pcontrol alloc_mem free_mem " \
        "error_string error_class add_error_class add_error_code add_error_string", word, " ")
    for (i in word) known["mpi_" word[i]]
    split("barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv " \
        "alltoall alltoallv alltoallw reduce_scatter reduce_scatter_block scan exscan " \
        "neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv " \
        "neighbor_alltoallw", word, " ")
    for (i in word) {
        known["mpi_" word[i]]
        known["mpi_i" word[i]]
        if (word[i] != "barrier") waits["mpi_" word[i]] = waits["mpi_i" word[i]] = 1
    }
    split("rank size remote_size remote_group group compare test_inter set_name get_name " \
        "get_attr set_attr delete_attr create_keyval free_keyval " \
        "get_errhandler set_errhandler create_errhandler call_errhandler", word, " ")
    for (i in word) known["mpi_comm_" word[i]]
    split("comm_free comm_dup comm_dup_with_info comm_idup comm_idup_with_info comm_split comm_split_type " \
        "comm_create comm_create_group intercomm_create intercomm_merge cart_create cart_sub " \
        "graph_create dist_graph_create dist_graph_create_adjacent", word, " ")
    for (i in word) known["mpi_" word[i]] = waits["mpi_" word[i]] = 1
    split("test dims_create cart_get cart_coords cart_rank cart_shift cartdim_get graphdims_get " \
        "graph_get graph_neighbors graph_neighbors_count dist_graph_neighbors " \
        "dist_graph_neighbors_count topo_test attr_get attr_put attr_delete keyval_create " \
        "keyval_free errhandler_free errhandler_get errhandler_set errhandler_create op_create " \
        "op_free op_commutative address", word, " ")
    for (i in word) known["mpi_" word[i]]
}
{
    name = $NF
    sub(/@.*/, "", name)
}
$(NF - 1) ~ /^[A-TVWX]$/ { print "!" name; next } # not U: what others define
$(NF - 1) !~ /^[Uvw]$/ { next }
# the compiler's and the sanitizers' own; variables of MPI's
name ~ /^(_GLOBAL_OFFSET_TABLE_$|__asan_|__ubsan_|__sanitizer_|__san|__lsan_|__start_|__stop_)/ ||
name ~ /^(crosswait_|_Unwind_|__cxa_|__gxx_personality|__dso_handle$|__emutls|__gcov|__[a-z]*ti[0-9]$)/ ||
name ~ /^(ompi_|mpi_fortran_|MPI_.*_FN$|OMPI_C_)/ { next }
# libraries of C++ and Fortran, but for clocks, threads, chance and files
name ~ /^_Z(T[VIS]|n[wa]|d[la]|N?K?S[tabsiod])/ &&
    name !~ /chrono|thread|mutex|condition_variable|future|random|fstream|filebuf|filesystem/ { next }
name ~ /^_ZN(K?St|10__cxxabiv|9__gnu_cxx)/ &&
    name !~ /chrono|thread|mutex|condition_variable|future|random|fstream|filebuf|filesystem/ { next }
name ~ /^_gfortran_/ &&
    name !~ /time|clock|second|random|rand|date|getpid|system|get_|open|close|_read|env|sleep/ { next }
{
    plain = tolower(name)
    sub(/^pmpi_/, "mpi_", plain)
    if (plain ~ /_$/) sub(/(_f08|_f08ts)?_$/, "", plain)
    sub(/_c$/, "", plain) # large counts
    if (!(plain in known) && substr(plain, 1, length(plain) - 5) in waits) # persistent
        sub(/_init$/, "", plain)
    if (plain in waits && !said++) print "*"
    if (plain ~ /^mpi_(comm_get_attr|attr_get)$/ && !asked++) print "^"
    # accesses to windows: the search says itself what of them it does not vary
    if (!(plain in known) && !(name in known) &&
        plain !~ /^mpi_(type|group|info)_|^mpi_.*_(c2f|f2c)$/ &&
        (plain !~ /^mpi_win_/ || plain ~ /^mpi_win_(create|allocate|allocate_shared|create_dynamic)$/) &&
        plain !~ /^mpi_(r?put|r?get|r?accumulate|r?get_accumulate|fetch_and_op|compare_and_swap)$/)
        print "?" name
}

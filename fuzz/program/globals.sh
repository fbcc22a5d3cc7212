#!/bin/sh
# usage: globals.sh [--memory] OBJECT...  Moves the global variables of each object into the section
# that world/fibers/globals.c copies for every rank. Constants and the data of sanitizers and
# coverage stay where they are; an object without other data does not change. After --memory the
# objects call fuzz/replaced.c, which then knows what they allocate, and a
# section of theirs names what they call (decided.awk).
set -eu
memory=
if [ "${1-}" = --memory ]; then
    shift
    # the functions that fuzz/replaced.c replaces
    for name in malloc calloc realloc free aligned_alloc posix_memalign strdup strndup _Znwm _Znam \
        _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm MPI_Alloc_mem \
        MPI_Free_mem __emutls_get_address __cxa_atexit __cxa_thread_atexit _exit _Exit exit fork \
        __asan_memset __asan_memcpy __asan_memmove __ubsan_handle_pointer_overflow \
        __ubsan_handle_dynamic_type_cache_miss; do
        memory="$memory --redefine-sym $name=crosswait_$name"
    done
    memory="$memory --redefine-sym __sanitizer_cov_trace_pc=crosswait_trace_pc" # fuzz/trace.c
fi
for object in "$@"; do
    if [ "$memory" ]; then
        nm "$object" | awk -f "$(dirname "$0")/decided.awk" >"$object.calls"
        # instructions that ask the processor or the kernel, without a call
        objdump -d --no-show-raw-insn "$object" | awk -F '\t' '
            { split($2, word, " "); name = word[1] }
            name ~ /^(rdtscp?|rdrand|rdseed|rdpmc|rdpid|cpuid|xgetbv|syscall|sysenter)$/ &&
                !(name in said) { said[name]; print "?" name }' >>"$object.calls"
        objcopy $memory --add-section crosswait_calls="$object.calls" \
            --set-section-flags crosswait_calls=alloc,readonly,data "$object"
        rm -f "$object.calls"
    fi
    objdump -t -w "$object" | awk -F '\t' '
        $1 ~ / \.(data|bss)(\.[^ ]*)?$/ && $1 !~ /\.rel\.ro/ && $1 ~ / O / {
            n = split($2, word, " ")
            if (word[n] !~ /^(__unnamed_|\.L|asan\.|__asan|___asan|__sancov|__odr_asan)/) found = 1
        }
        END { exit !found }' || continue
    arguments=
    for section in $(objdump -h -w "$object" |
        awk '$2 ~ /^\.(data|bss)(\.|$)/ && $2 !~ /\.rel\.ro/ {print $2}' | sort -u); do
        arguments="$arguments --set-section-flags $section=alloc,load,data,contents"
        arguments="$arguments --rename-section $section=crosswait_globals,alloc,load,data,contents"
    done
    [ -z "$arguments" ] || objcopy $arguments "$object"
done

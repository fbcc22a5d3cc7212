/* Names of Rust's functions: those that its compiler made for the crate mpi and for programs, and
 * names that are cut, lead back to themselves or hold anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/rust_name.h"

static const struct {
    const char *symbol, *name;
} made[] = {
    {"_RNvCs5iqjhhXdsF2_4ring4main", "ring::main"},
    {"_RINvCsgvHKOCw2Koh_4ring8exchangeNtNtCsl6aZEPVfNtx_3mpi8topology18SimpleCommunicatorEB2_",
     "ring::exchange"},
    {"_RINvCsl6aZEPVfNtx_3mpi18with_uninitializedNCINvMs1_NtB2_14point_to_pointNtBN_6Status5count"
     "NtNtB2_8datatype11DatatypeRefE0llECsgvHKOCw2Koh_4ring",
     "mpi::with_uninitialized"},
    {"_RNCNvYNtNtCsl6aZEPVfNtx_3mpi8topology18SimpleCommunicatorNtB6_12Communicator4rank0",
     "mpi::topology::Communicator::rank"},
    {"_RINvMs1_NtCsl6aZEPVfNtx_3mpi14point_to_pointNtB6_6Status5countNtNtB8_8datatype11DatatypeRef"
     "ECsgvHKOCw2Koh_4ring",
     "mpi::point_to_point::count"},
    {"_RNvMse_NtCsl6aZEPVfNtx_3mpi8topologyNtB5_7Process17by_rank_unchecked.llvm.12",
     "mpi::topology::by_rank_unchecked"},
    {"_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtNtCslJuMbhXzFE_3mpi11environment8UniverseE"
     "Cs5iqjhhXdsF2_4ring",
     "core::ptr::drop_in_place"},
    {"_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedPNtNtB4_3ffi6c_voidBM_E"
     "CslJuMbhXzFE_3mpi",
     "core::panicking::assert_failed"},
    {"_RINvMs2_NtCsgEmfK2I1SDS_4core3fmtNtB6_9Arguments3newKj1c_Kj1_ECsl6aZEPVfNtx_3mpi",
     "core::fmt::new"},
    {"_RNSNvYNCNvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace10__print_fmt0INtNtNtCsgEmfK2I1SDS_4core3ops"
     "8function6FnOnceTQNtNtB13_3fmt9FormatterNtNtNtBc_12backtrace_rs5types17BytesOrWideStringEE"
     "9call_once6vtableBc_",
     "core::ops::function::FnOnce::call_once::vtable"},
    {"_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B9_",
     "std::rt::lang_start_internal"},
    {"_RNvCs1_2ab", NULL},
    {"_RNvNvB_3abc3def", NULL},
    {"_RNvB_3abc", NULL},
    {"_Z4mainv", NULL},
    {"_RNvCs1_3abc99x", NULL},
    {"_R", NULL},
    {"", NULL},
};

static void names_are_paths(void **state)
{
    char name[512], cut[8];

    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        bool read = rust_name(made[i].symbol, name, sizeof name);
        if (read != (made[i].name != NULL) || (read && strcmp(name, made[i].name) != 0))
            fail_msg("%s: '%s'", made[i].symbol, read ? name : "not read");
        if (read && rust_name(made[i].symbol, cut, sizeof cut))
            assert_memory_equal(cut, made[i].name, sizeof cut - 1);
    }
}

static void any_bytes_are_read_or_refused(void **state)
{
    static const char letters[] = "CNMXYIBEsuvt_0129RQAPOSTFDLKpGU";
    char symbol[64] = "_R", name[32];
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        size_t bytes = 2 + (random >> 8) % 40;
        for (size_t k = 2; k < bytes; k++) {
            random = random * 1664525 + 1013904223;
            symbol[k] = letters[(random >> 16) % (sizeof letters - 1)];
        }
        symbol[bytes] = 0;
        char *held = strdup(symbol); /* its end is the block's */
        assert_non_null(held);
        if (rust_name(held, name, sizeof name))
            assert_true(strlen(name) < sizeof name);
        free(held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_paths),
        cmocka_unit_test(any_bytes_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

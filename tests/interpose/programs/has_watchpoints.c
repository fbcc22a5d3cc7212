/* Exit status 0 if the kernel lets a process watch its own memory, 1 if not. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    static long watched;
    struct perf_event_attr a = {.type = PERF_TYPE_BREAKPOINT,
                                .size = sizeof a,
                                .sample_period = 1,
                                .sample_type = PERF_SAMPLE_IP,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .bp_type = HW_BREAKPOINT_RW,
                                .bp_addr = (uintptr_t)&watched,
                                .bp_len = sizeof watched};
    return syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0;
}

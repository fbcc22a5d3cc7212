/* Reads where ranks are when the launcher ends the job: the functions that led to their calls.
 * Unwinding every call while the job runs would cost a microsecond each; the launcher does it once,
 * from outside, by ptrace, just before it ends the job. If ptrace is forbidden or a stack is
 * unreadable, it adds nothing. It leaves out frames of the Python interpreter, which say nothing of
 * the program. */
#include <string.h>

#include <elfutils/libdwfl.h>

#include "core/check.h"
#include "launch/launch_inside.h"

enum {
    STACKS_MAX = 256,           /* a millisecond each */
    STACKS_NS_MAX = 1000000000, /* limit on a busy machine */
    FRAMES_MAX = 96,
    FRAMES_KEPT_MAX = 24
};

struct frame {
    const char *module; /* path, owned by the Dwfl */
    uint64_t address;   /* relative to the module's bias */
};
struct stack {
    Dwfl *dwfl;
    struct frame frame[FRAMES_MAX];
    uint32_t count;
};

/* Finds no debug information: unwinding does not need it, and it may be on another machine. */
static int debuginfo_none(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **out_name)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
    (void)out_name;
    return -1;
}

static int frame_take(Dwfl_Frame *state, void *context)
{
    struct stack *stack = context;
    Dwarf_Addr pc, bias = 0;
    bool innermost = false;

    CORE_CHECK(stack->count < FRAMES_MAX);
    if (!dwfl_frame_pc(state, &pc, &innermost))
        return DWARF_CB_ABORT;
    Dwfl_Module *module = dwfl_addrmodule(stack->dwfl, innermost ? pc : pc - 1);
    const char *path = NULL;

    if (module) {
        (void)dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
        (void)dwfl_module_getelf(module, &bias);
    }
    stack->frame[stack->count++] = (struct frame){path, pc - bias};
    return stack->count < FRAMES_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static const char *frame_name(const struct frame *frame)
{
    const char *slash = frame->module ? strrchr(frame->module, '/') : NULL;

    return slash ? slash + 1 : frame->module ? frame->module : "";
}

static bool name_begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

static bool is_pythons(const char *name)
{
    return name_begins(name, "python") || name_begins(name, "libpython");
}

/* Keeps the frames of the application: those between the caller of main and the library's bindings
 * or the recorder's wrapper. */
static void stack_keep(const struct stack *stack, const struct ending_call *call,
                       struct ending *ending)
{
    uint32_t from = 0, kept = 0;

    for (uint32_t i = 0; i < stack->count; i++) {
        if (is_pythons(frame_name(&stack->frame[i])))
            return;
        if (name_begins(frame_name(&stack->frame[i]), "libcrosswait"))
            from = i + 1;
    }
    for (uint32_t i = from; from && i < stack->count && kept < FRAMES_KEPT_MAX; i++) {
        const struct frame *frame = &stack->frame[i];

        if (!frame->module || name_begins(frame_name(frame), "libc.so"))
            break;
        if (name_begins(frame_name(frame), "libmpi"))
            continue;
        if (ending_frame_add(ending, call, frame->module, frame->address) != CORE_OK)
            break;
        kept++;
    }
}

/* Returns the thread of the rank that is in the call. */
static pid_t thread_find(const struct launch_rank *rank, uint64_t seq)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;

        for (uint32_t d = 0; d < header->depth && d < SPOOL_DEPTH_MAX; d++)
            if (header->open[d].seq == seq)
                return header->tid;
    }
    return rank->pid;
}

/* Tells whether the thread would stop for ptrace, which waits without limit. A thread in
 * uninterruptible sleep, as for a disk or an absent file server, does not stop. */
static bool can_stop(pid_t pid, pid_t tid)
{
    char state = launch_proof_task_state(pid, tid);

    return state == 'R' || state == 'S' || state == 'T';
}

static void stack_note(const struct launch_rank *rank, const struct ending_call *call,
                       struct ending *ending)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = debuginfo_none};
    const pid_t tid = thread_find(rank, call->seq);

    if (!can_stop(rank->pid, tid))
        return;
    struct stack stack = {.dwfl = dwfl_begin(&callbacks)};

    if (!stack.dwfl)
        return;
    if (dwfl_linux_proc_report(stack.dwfl, rank->pid) == 0 &&
        dwfl_report_end(stack.dwfl, NULL, NULL) == 0 &&
        dwfl_linux_proc_attach(stack.dwfl, rank->pid, false) == 0) {
        (void)dwfl_getthread_frames(stack.dwfl, tid, frame_take, &stack);
        stack_keep(&stack, call, ending);
    }
    dwfl_end(stack.dwfl);
}

/* Returns the rank of the call if its process can be read; else NULL. */
static const struct launch_rank *rank_readable(const struct launch *launch,
                                               const struct ending_call *call)
{
    const struct launch_rank *rank =
        launch_watch_rank(&launch->world[launch->ended_world], (int32_t)call->rank);

    return rank && rank->local && !rank->gone && rank->pidfd >= 0 ? rank : NULL;
}

/* Adds the stacks of all calls, or of none: a report merges ranks in one place only if their stacks
 * are equal. */
void launch_stack_note(struct launch *launch)
{
    struct ending *ending = &launch->result->ending;
    const uint64_t until_ns = launch_now_ns() + STACKS_NS_MAX;
    uint32_t noted = 0;
    bool all = launch->ended_world < launch->world_count;

    for (uint32_t i = 0; i < ending->call_count && all; i++) {
        const struct ending_call *call = &ending->call[i];
        const struct launch_rank *rank = rank_readable(launch, call);

        if (!call->seq)
            continue;
        all = rank && noted++ < STACKS_MAX && launch_now_ns() < until_ns;
        if (all)
            stack_note(rank, call, ending);
    }
    if (!all)
        ending_frames_drop(ending);
}

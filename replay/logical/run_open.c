/* Opens and closes the logical engine's machine for one program, and answers queries about it. */
#include <stdlib.h>

#include "core/check.h"
#include "replay/logical/run_state.h"

static void look_over(struct replay_run *run)
{
    CORE_CHECK(run->program->comm_count > 0); /* replay_program_init made the world */
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        const struct replay_rank *program = &run->program->rank[rank];
        run->request_count += (uint64_t)program->request_count;
        run->op_count += program->op_count;
        for (uint32_t i = 0; i < program->op_count; i++) {
            const struct replay_op *op = &program->op[i];
            CORE_CHECK(op->kind < REPLAY_OP_KIND_COUNT); /* replay_program_check ensures it */
            CORE_CHECK(op->comm < run->program->comm_count);
            switch ((enum replay_op_kind)op->kind) {
            case REPLAY_RECV:
            case REPLAY_IRECV:
                run->has_choices |= op->peer == REPLAY_ANY;
                run->has_wild |= op->peer == REPLAY_ANY || op->tag == REPLAY_ANY;
                break;
            case REPLAY_PROBE:
            case REPLAY_IPROBE:
            case REPLAY_MPROBE:
                run->has_choices |= op->peer == REPLAY_ANY;
                run->has_wild = true;
                break;
            case REPLAY_WAIT_ANY:
            case REPLAY_WAIT_SOME:
            case REPLAY_CANCEL:
            case REPLAY_LOCK:
                run->has_choices = run->has_wild = true;
                break;
            case REPLAY_SEND:
            case REPLAY_ISEND:
                run->has_buffered |= op->mode == REPLAY_BUFFERED;
                break;
            case REPLAY_ATTACH:
            case REPLAY_DETACH:
                run->has_buffered = true;
                break;
            default:
                break;
            }
        }
    }
}

enum core_status replay_run_open(const struct replay_program *program, struct replay_run **out_run)
{
    struct replay_run *run = calloc(1, sizeof *run);
    if (!run)
        goto no_memory;
    run->program = program;
    look_over(run);
    if (run_threads_open(run) != CORE_OK)
        goto no_memory;
    CORE_CHECK(run_context_count(run) >= program->rank_count);
    run->state = calloc(run_context_count(run), sizeof *run->state);
    run->side = calloc(program->rank_count, sizeof *run->side);
    run->work = malloc(run_context_count(run) * sizeof *run->work);
    run->request = malloc(run->request_count + 1);
    if (!run->state || !run->side || !run->work || !run->request)
        goto no_memory;
    *out_run = run;
    return CORE_OK;
no_memory:
    replay_run_close(run);
    return core_report(CORE_NO_MEMORY, "out of memory for a replay of %u ranks",
                       program->rank_count);
}

void replay_run_close(struct replay_run *run)
{
    if (!run)
        return;
    if (run->match_ready)
        matching_done(&run->match);
    run_coll_done(run);
    run_threads_done(run);
    for (uint32_t i = 0; run->waiting && i < run->program->rank_count; i++)
        free(run->waiting[i].send);
    free(run->waiting);
    free(run->late.send);
    free(run->state);
    free(run->side);
    free(run->work);
    free(run->request);
    free(run->taken);
    free(run->option);
    free(run->candidate);
    free(run);
}

void replay_run_hooks(struct replay_run *run, const struct replay_hooks *hooks)
{
    CORE_CHECK(!hooks || hooks->decide || !hooks->late_buffering); /* offered to nobody else */
    run->hooked = hooks != NULL;
    run->hooks = hooks ? *hooks : (struct replay_hooks){0};
}

uint32_t replay_run_at(const struct replay_run *run, uint32_t rank)
{
    CORE_CHECK(rank < run->program->rank_count);
    return run_is_threaded(run, rank) ? run_threads_first_unpassed(run, rank) : run->state[rank].pc;
}

bool replay_run_has_choices(const struct replay_run *run)
{
    return run->has_choices;
}

bool replay_run_competes(const struct replay_run *run)
{
    return run->threads && run->threads->contended;
}

uint64_t replay_run_ops(const struct replay_run *run)
{
    return run->op_count;
}

enum core_status replay_run_once(const struct replay_program *program,
                                 const struct replay_policy *policy,
                                 struct replay_result *out_result)
{
    struct replay_run *run;
    enum core_status status = replay_run_open(program, &run);
    if (status != CORE_OK)
        return status;
    status = replay_run_all(run, policy, NULL, NULL, out_result);
    replay_run_close(run);
    return status;
}

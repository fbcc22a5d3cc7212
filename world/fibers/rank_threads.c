/* Further threads of a rank, each a fiber. The caller that runs the world says when they begin,
 * what they wait for, and which causes they have; the program has no part in that. */
#include "world/state.h"

#include "world/exchange/explore.h"

struct body {
    void (*run)(void *argument);
    void *argument;
};

static void body_run(struct world_fiber *fiber)
{
    const struct body *body = fiber->argument;
    body->run(body->argument);
    fiber->why = NULL;
}

void world_thread_begin(uint32_t number, void (*run)(void *argument), void *argument)
{
    struct body *body = world_zalloc(sizeof *body);
    struct world_fiber **link = &ME->fiber;
    CORE_CHECK(WORLD->running && ME && number > 0);
    *body = (struct body){run, argument};
    struct world_fiber *made = world_fiber_get(ME, body_run, body);
    while (*link && (*link)->thread < number)
        link = &(*link)->sibling;
    CORE_CHECK(link != &ME->fiber && !(*link && (*link)->thread == number));
    made->thread = made->slot = made->decisions.thread = number;
    made->helper = 0; /* it is no helper */
    ME->helpers--;
    made->is_rank = true;
    made->sibling = *link;
    *link = made;
    WORLD->siblings = true;
    world_fiber_ready(made);
}

void world_thread_block(void)
{
    CORE_CHECK(WORLD->running && ME);
    WORLD->fiber->why = "waits for another thread of its rank";
    world_fiber_block();
    WORLD->fiber->why = NULL;
}

void world_thread_wake(uint32_t number)
{
    struct world_fiber *fiber = ME->fiber;
    while (fiber && fiber->thread != number)
        fiber = fiber->sibling;
    CORE_CHECK(fiber && fiber != WORLD->fiber);
    world_fiber_ready(fiber);
}

const void *world_thread_causes(void)
{
    CORE_CHECK(WORLD->running && ME);
    return WORLD->fiber->causes;
}

void world_thread_behind(const void *causes)
{
    CORE_CHECK(WORLD->running && ME);
    WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, causes);
}

void world_comm_object(void *comm, uint32_t object)
{
    CORE_CHECK(handle_good(comm, HANDLE_COMM));
    ((MPI_Comm)comm)->object = object;
}

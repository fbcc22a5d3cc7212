/* Searches through the states of a world: depth first, in the process that worlds are forked from.
 * Ranks run until none can; then the search takes each possible answer to each decision in turn.
 * The deciding ranks continue as new versions (versions.c); the search copies and restores what the
 * ranks share. A state that was met before is not continued.
 *
 * This loses nothing: if all ranks wait, the world is nothing but its state (states_hash.c), so its
 * future is the same however it was reached. The search follows every possible answer of every
 * state, so it covers every world that can be run: up to a known state by itself, and after it by
 * what followed that state. What no decision covers (a repeated poll fails only when nothing else
 * can be decided) is the same as in a world that is run from its start.
 *
 * Ranks that have exchanged nothing with each other in any examined world belong to different
 * parts: one part makes no difference to another. At each state the search takes the answers of one
 * part, and those of the others later. If ranks of two parts then exchange something, the search
 * starts again with these parts joined. Otherwise each part went through all that it can do without
 * meeting another, so it does not meet one in any other order either.
 *
 * Invariants: 1. node[i] was reached with versions of a depth up to i + 1. 2. Copies are stored one
 * after the other, those of deeper nodes later. */
#include "world/ranks/states_inside.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world/exchange/explore_report.h"
#include "world/exchange/explore_states.h"

enum {
    NODES_MAX = 1 << 14,
    BRANCHES_MAX = 4096, /* of one state */
    PATH_MAX_ANSWERS = 1 << 16,
    STEP_MS = 10000 /* for ranks to reach the next decision */
};
#define COPIES_BYTES ((size_t)1 << 33)
#define SLAB_BYTES ((size_t)1 << 20)

/* A shim converts handles after a call, into variables that world_call_uses does not know. */
#ifdef WORLD_SHIM
enum { IS_SHIM = 1 };
#else
enum { IS_SHIM = 0 };
#endif

struct node {
    struct world_branch *branch;
    uint32_t count, next, path;
    struct rank_copy copy;
};

struct stream {
    size_t bytes;
    uint32_t runs; /* of its rank until then */
};

static struct search {
    struct node *node;
    struct world_state_answer *path;
    uint8_t *copies;
    struct rank_seen_table seen, ends;
    struct stream *stream; /* two of each rank */
    size_t copies_used;
    uint32_t node_count, path_count;
    uint64_t until_ms;
    const char *why;
} search;

static uint8_t *slabs, *slabs_end; /* the ranks' handles, in the arena */
static struct world_rank searcher_rank;
static struct world_fiber searcher = {.rank = &searcher_rank, .live = true};

void rank_states_answer(void)
{
    struct region_states *states = &rank_region->states;
    states->complete = states->asked_again = false;
    *states->why = *states->together = 0;
    states->state_count = states->step_count = states->list_count = states->answer_count = 0;
    states->depth = states->version_count = states->deaths = 0;
}

void *rank_room_new(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CORE_CHECK(bytes > 0);
    return room == MAP_FAILED ? NULL : room;
}

void rank_states_begin(void)
{
    const uint32_t count = rank_region->rank_count;
    CORE_CHECK(!WORLD->searcher && count < WORLD_RANKS_MAX + 1);
    searcher_rank.rank = (int)count;
    rank_region->states.depth = 1;
    rank_region->states.system_call = 0;
    WORLD->searcher = &searcher;
    uint8_t *begin;
    world_arena_used(&begin, &slabs);
    for (uint32_t r = 0; r < count; r++) {
        struct world_rank *rank = &WORLD->rank[r];
        rank->slab_bytes = SLAB_BYTES;
        rank->slab = world_alloc(SLAB_BYTES);
    }
    world_arena_used(&begin, &slabs_end);
}

void rank_states_give_up(const char *why)
{
    static char call[REGION_WHY_MAX];
    const uint32_t number = rank_region->states.system_call;
    CORE_CHECK(why && *why);
    if (number)
        snprintf(call, sizeof call,
                 "a rank makes system call %u, which may change the state of the kernel",
                 number - 1);
    if (!search.why)
        search.why = number ? call : why;
}

bool rank_states_given_up(void)
{
    return search.why != NULL;
}

bool rank_states_late(void)
{
    return rank_region->states.stop || rank_now_ms() > search.until_ms;
}

void rank_states_enter(void)
{
    WORLD->fiber = &searcher;
    ME = &searcher_rank;
}

uint32_t rank_states_part(uint32_t rank)
{
    CORE_CHECK(rank < rank_region->rank_count);
    return rank_region->states.part[rank];
}

/* --- copies of what is shared ----------------------------------------------------------------- */

struct piece {
    void *at;
    size_t bytes;
};
enum { PIECES = 7 };

static int pieces_find(struct piece out[])
{
    struct region *region = rank_region;
    uint8_t *begin, *end;
    int count = 0;
    out[count].bytes = rank_shared(&out[count].at, &out[count + 1].at, &out[count + 1].bytes);
    count += 2;
    world_arena_used(&begin, &end);
    CORE_CHECK(end >= slabs_end && slabs >= begin);
    out[count++] = (struct piece){begin, (size_t)(slabs - begin)};
    out[count++] = (struct piece){slabs_end, (size_t)(end - slabs_end)};
    out[count++] = (struct piece){&region->outcome, sizeof region->outcome};
    out[count++] = (struct piece){region->rank, region->rank_count * sizeof *region->rank};
    out[count++] = (struct piece){&region->question_count, sizeof region->question_count};
    CORE_CHECK(count == PIECES);
    return count;
}

static uint8_t *copy_put(uint8_t *to, const void *from, size_t bytes)
{
    CORE_CHECK(to >= search.copies && bytes <= COPIES_BYTES);
    memcpy(to, from, bytes);
    return to + bytes;
}

/* Only its rank writes to a stream, so its size is asked again only after the rank ran. */
size_t rank_stream_bytes(int number)
{
    const uint32_t runs = rank_region->states.run_count[number / 2];
    struct stream *stream = &search.stream[number];
    struct stat is;
    CORE_CHECK(number >= 0 && number < 2 * WORLD->rank_count);
    if (stream->runs != runs) {
        stream->bytes = fstat(rank_stream(number), &is) == 0 ? (size_t)is.st_size : 0;
        stream->runs = runs;
    }
    return stream->bytes;
}

/* Copies what all ranks share. The sizes come first, as they depend on the copied variables. */
bool rank_copy_take(struct rank_copy *out)
{
    struct piece piece[PIECES];
    const int ranks = WORLD->rank_count;
    size_t need = (PIECES + 3 * (size_t)ranks) * sizeof(size_t);
    CORE_CHECK(search.copies_used <= COPIES_BYTES); /* invariant 2 */
    pieces_find(piece);
    for (int i = 0; i < PIECES; i++)
        need += piece[i].bytes;
    for (int r = 0; r < ranks; r++)
        need += WORLD->rank[r].slab_used;
    if (need > COPIES_BYTES - search.copies_used)
        return false;
    out->at = search.copies + search.copies_used;
    size_t *size = (size_t *)(void *)out->at;
    for (int i = 0; i < PIECES; i++)
        *size++ = piece[i].bytes;
    for (int r = 0; r < ranks; r++)
        *size++ = WORLD->rank[r].slab_used;
    for (int i = 0; i < 2 * ranks; i++)
        *size++ = rank_stream_bytes(i);
    uint8_t *at = (uint8_t *)size;
    for (int i = 0; i < PIECES; i++)
        at = copy_put(at, piece[i].at, piece[i].bytes);
    for (int r = 0; r < ranks; r++)
        at = copy_put(at, WORLD->rank[r].slab, WORLD->rank[r].slab_used);
    search.copies_used = ((size_t)(at - search.copies) + 63) & ~(size_t)63;
    out->end = search.copies_used;
    return true;
}

static void stream_cut(int number, size_t bytes)
{
    const int file = rank_stream(number);
    if (rank_stream_bytes(number) == bytes)
        return;
    if (ftruncate(file, (off_t)bytes) != 0 || lseek(file, (off_t)bytes, SEEK_SET) < 0)
        rank_states_give_up("the output of a rank cannot be undone");
    search.stream[number].bytes = bytes;
}

static int32_t region_states_runner(int rank)
{
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count);
    return rank_region->states.runner[rank];
}

void rank_copy_restore(const struct rank_copy *copy)
{
    struct piece piece[PIECES];
    const int ranks = WORLD->rank_count;
    CORE_CHECK(copy->at && copy->end <= COPIES_BYTES);
    const size_t *size = (const size_t *)(const void *)copy->at;
    const size_t *slab = size + PIECES, *stream = slab + ranks;
    const uint8_t *at = (const uint8_t *)(stream + 2 * ranks);
    pieces_find(piece);
    for (int i = 0; i < PIECES; i++, at += size[i - 1])
        memcpy(piece[i].at, at, size[i]);
    for (int r = 0; r < ranks; r++, at += slab[r - 1])
        memcpy(WORLD->rank[r].slab, at, slab[r]);
    for (int i = 0; i < 2 * ranks; i++)
        stream_cut(i, stream[i]);
    for (int r = 0; r < ranks; r++) /* as a rank has had a runner since the copy was made */
        if (region_states_runner(r))
            rank_region->rank[r].pid = region_states_runner(r);
    rank_region->over = 0;
    search.copies_used = copy->end;
}

/* --- what was there before -------------------------------------------------------------------- */

void rank_seen_clear(struct rank_seen_table *table)
{
    if (table->at)
        munmap(table->at, table->places * sizeof *table->at);
    *table = (struct rank_seen_table){0};
}

static bool seen_enter(struct rank_seen_table *table, struct rank_seen state)
{
    CORE_CHECK(table->count < table->places);
    for (size_t at = state.hash[0] % table->places;; at = (at + 1) % table->places) {
        struct rank_seen *s = &table->at[at];
        if (!s->hash[0] && !s->hash[1]) {
            *s = state;
            table->count++;
            return true;
        }
        if (s->hash[0] == state.hash[0] && s->hash[1] == state.hash[1])
            return false;
    }
}

static bool seen_grow(struct rank_seen_table *table)
{
    enum { LEAST = 1 << 12 };
    struct rank_seen_table more = {.places = table->places ? 2 * table->places : LEAST};
    if (2 * (table->count + 1) <= table->places)
        return true;
    more.at = rank_room_new(more.places * sizeof *more.at);
    if (!more.at)
        return false;
    for (size_t i = 0; i < table->places; i++)
        if (table->at[i].hash[0] || table->at[i].hash[1])
            seen_enter(&more, table->at[i]);
    rank_seen_clear(table);
    *table = more;
    return true;
}

bool rank_seen_put(struct rank_seen_table *table, const uint64_t hash[2])
{
    CORE_CHECK(hash[0] || hash[1]); /* a free place has hash 0 */
    if (seen_grow(table))
        return seen_enter(table, (struct rank_seen){{hash[0], hash[1]}});
    rank_states_give_up("out of memory for its states");
    return false;
}

/* --- parts: ranks that exchange nothing with others ------------------------------------------- */

void world_process_met(int rank, int other)
{
    struct region_states *states = &rank_region->states;
    const uint16_t a = states->part[rank], b = states->part[other];
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count && other < WORLD->rank_count);
    if (a == b)
        return;
    for (uint32_t r = 0; r < rank_region->rank_count; r++)
        if (states->part[r] == a || states->part[r] == b)
            states->part[r] = a < b ? a : b;
    states->parts_joined = true;
}

/* Starts the parts at the first state: a pending message joins its sender and receiver; earlier
 * exchanges make no difference. */
static void parts_begin(void)
{
    CORE_CHECK(WORLD->begun_end && !search.node_count); /* this is the first state */
    for (uint32_t r = 0; r < rank_region->rank_count; r++)
        rank_region->states.part[r] = (uint16_t)r;
    for (int r = 0; r < WORLD->rank_count; r++)
        for (const struct world_message *m = WORLD->rank[r].unexpected; m; m = m->next)
            world_process_met(r, m->world);
    rank_region->states.parts_joined = false;
}

/* Keeps the answers of one part: that of the lowest rank. */
static uint32_t parts_choose(struct world_branch *branch, uint32_t count)
{
    const uint16_t *part = rank_region->states.part;
    uint32_t kept = 0;
    uint16_t least = UINT16_MAX;
    CORE_CHECK(count > 0 && count <= BRANCHES_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (part[branch[i].decider->rank->rank] < least)
            least = part[branch[i].decider->rank->rank];
    for (uint32_t i = 0; i < count; i++)
        if (part[branch[i].decider->rank->rank] == least)
            branch[kept++] = branch[i];
    return kept;
}

/* --- steps ------------------------------------------------------------------------------------ */

bool rank_states_crashed(void)
{
    for (uint32_t r = 0; r < rank_region->rank_count; r++)
        if (rank_region->rank[r].ended && !rank_region->rank[r].left)
            return true;
    return rank_region->over;
}

/* Waits for ranks that have left MPI, as they may still write before they end. */
static void left_await(void)
{
    for (uint32_t r = 0; r < rank_region->rank_count; r++)
        while (rank_region->rank[r].left && !rank_region->rank[r].ended && !search.why) {
            static const struct timespec often = {.tv_nsec = 50000000};
            uint32_t deaths = rank_region->states.deaths;
            if (!rank_region->rank[r].ended)
                syscall(SYS_futex, &rank_region->states.deaths, FUTEX_WAIT, deaths, &often, NULL,
                        0);
            if (rank_region->states.stop || rank_now_ms() > search.until_ms)
                rank_states_give_up("the time limit was reached");
        }
}

uint64_t rank_states_step_until(void)
{
    const uint64_t until = rank_now_ms() + STEP_MS;
    return until < search.until_ms ? until : search.until_ms;
}

/* Runs ranks until none can continue. */
void rank_states_run(void)
{
    CORE_CHECK(rank_own < 0); /* the searcher is no rank */
    while (WORLD->ready_count && !rank_states_crashed() && !search.why) {
        rank_sched_give(world_fiber_next());
        if (!rank_sched_back(rank_states_step_until()))
            rank_states_give_up(rank_now_ms() > search.until_ms
                                    ? "the time limit was reached"
                                    : "a rank does not reach its next call");
    }
    left_await();
}

enum came { CAME_STATE, CAME_END, CAME_NOWHERE };

/* Goes to the next state. *out_branch belongs to the search and is valid until the next step. */
static enum came state_next(struct world_branch *out_branch, uint32_t *out_count)
{
    for (;;) {
        rank_states_run();
        rank_region->states.asked_again |= WORLD->explore->report.asked_again;
        if (*rank_region->bug)
            rank_states_give_up(rank_region->bug);
        if (!search.why && !rank_states_crashed() && world_states_why())
            rank_states_give_up(world_states_why());
        if (search.why)
            return CAME_NOWHERE;
        if (rank_states_crashed())
            return CAME_END;
        if (world_states_settle())
            continue;
        *out_count = world_states_branches(out_branch, BRANCHES_MAX);
        if (*out_count > BRANCHES_MAX)
            rank_states_give_up("a state has too many answers");
        if (*out_count)
            return search.why ? CAME_NOWHERE : CAME_STATE;
        if (world_states_fail())
            continue;
        if (!WORLD->paused)
            return CAME_END;
        world_pause_end();
    }
}

/* --- the search ------------------------------------------------------------------------------- */

static void answer_put(struct world_state_answer answer)
{
    struct region_states *states = &rank_region->states;
    CORE_CHECK(states->answer_count <= REGION_ANSWERS_MAX);
    if (states->answer_count == REGION_ANSWERS_MAX)
        rank_states_give_up("there are too many outcomes");
    else
        states->answer[states->answer_count++] = answer;
}

void rank_states_end_put(const uint64_t hash[2], const struct world_state_answer *path,
                         uint32_t count)
{
    CORE_CHECK(count <= PATH_MAX_ANSWERS);
    if (scratch_written(&rank_region->scratch))
        rank_states_give_up("it writes files");
    if (!rank_seen_put(&search.ends, hash) || search.why)
        return;
    answer_put((struct world_state_answer){UINT32_MAX, count, 0});
    for (uint32_t i = 0; i < count; i++)
        answer_put(path[i]);
    rank_region->states.list_count++;
}

static void end_enter(void)
{
    uint64_t hash[2];
    rank_states_end_hash(hash);
    rank_states_end_put(hash, search.path, search.path_count);
}

static bool memory_hash(void)
{
    for (int r = 0; r < WORLD->rank_count; r++)
        if (rank_region->rank[r].ran && !rank_region->rank[r].left &&
            !rank_sched_ask(r, rank_memory_take, rank_states_step_until()))
            return false;
    return true;
}

static void state_enter(struct world_branch *branch, uint32_t count)
{
    uint64_t hash[2];
    struct node *node = &search.node[search.node_count];
    CORE_CHECK(!WORLD->ready_count && count > 0);
    for (int r = 0; r < WORLD->rank_count; r++)
        WORLD->rank[r].turns = 0; /* earlier polls must not decide which poll fails first */
    if (!memory_hash())
        rank_states_give_up("the time limit was reached");
    if (search.why)
        return;
    if (!rank_states_hash(hash))
        rank_states_give_up(world_states_why());
    if (!WORLD->begun_end) {
        uint8_t *begin, *end;
        world_arena_used(&begin, &end);
        WORLD->begun_end = end;
        parts_begin();
    }
    if (rank_region->states.parts_joined) /* the search starts again */
        return;
    count = parts_choose(branch, count);
    if (search.why || !rank_seen_put(&search.seen, hash))
        return;
    rank_region->states.state_count++;
    if (rank_region->states.state_count > RANK_SEEN_MAX || search.node_count == NODES_MAX) {
        rank_states_give_up("there are too many states");
        return;
    }
    *node = (struct node){.count = count, .path = search.path_count};
    node->branch = (struct world_branch *)(void *)(search.copies + search.copies_used);
    memcpy(node->branch, branch, count * sizeof *branch);
    search.copies_used += (count * sizeof *branch + 63) & ~(size_t)63;
    if (rank_copy_take(&node->copy))
        search.node_count++;
    else
        rank_states_give_up("out of memory for its states");
}

static void state_come(void)
{
    static struct world_branch branch[BRANCHES_MAX] RANK_SCRATCH;
    uint32_t count = 0;
    enum came came = state_next(branch, &count);
    if (came == CAME_END)
        end_enter();
    else if (came == CAME_STATE)
        state_enter(branch, count);
}

/* Takes the next answer of the last state; false if there is none. */
static bool branch_next(void)
{
    struct node *node = &search.node[search.node_count - 1];
    CORE_CHECK(search.node_count > 0 && node->next <= node->count);
    if (node->next == node->count)
        return false;
    if (node->next) {
        rank_versions_drop(search.node_count);
        rank_copy_restore(&node->copy);
    }
    const struct region_states *states = &rank_region->states;
    CORE_CHECK(!states->version_count ||
               states->version[states->version_count - 1].depth <= search.node_count);
    /* Invariant 1 holds: otherwise the copy would not restore all that changed. */
    const struct world_branch *branch = &node->branch[node->next++];
    search.path_count = node->path;
    if (search.path_count == PATH_MAX_ANSWERS ||
        rank_region->states.version_count + rank_region->rank_count > REGION_VERSIONS_MAX) {
        rank_states_give_up("a world has too many decisions");
        return true;
    }
    search.path[search.path_count++] = (struct world_state_answer){
        (uint32_t)branch->decider->rank->rank, branch->decider->number, branch->answer};
    rank_region->states.depth = search.node_count + 1;
    rank_region->states.step_count++;
    rank_states_enter();
    world_states_take(branch);
    state_come();
    return true;
}

/* Starts again from the first state. */
static void search_again(void)
{
    const struct node *first = &search.node[0];
    CORE_CHECK(first->copy.at && WORLD->begun_end); /* there was a first state */
    rank_region->states.parts_joined = false;
    rank_versions_drop(1);
    rank_copy_restore(&first->copy);
    search.path_count = first->path;
    search.node_count = 0;
    search.copies_used = 0;
    rank_seen_clear(&search.seen);
    rank_region->states.state_count = 0;
    rank_region->states.depth = 1;
    state_come();
}

static void rooms_give(void)
{
    if (search.copies)
        munmap(search.copies, COPIES_BYTES);
    rank_seen_clear(&search.seen);
    rank_seen_clear(&search.ends);
    if (search.node)
        munmap(search.node, NODES_MAX * sizeof *search.node);
    if (search.path)
        munmap(search.path, PATH_MAX_ANSWERS * sizeof *search.path);
    if (search.stream)
        munmap(search.stream, 2 * WORLD_RANKS_MAX * sizeof *search.stream);
    search = (struct search){0};
}

/* Forgets what the search by single ranks has found, as another search begins. */
static void composed_forget(void)
{
    struct region_states *states = &rank_region->states;
    CORE_CHECK(search.why && search.node_count == 1);
    snprintf(states->together, sizeof states->together, "%s", search.why);
    states->answer_count = states->list_count = 0;
    states->parts_joined = true;
    search.why = NULL;
    rank_seen_clear(&search.ends);
}

/* Searches first by single ranks: each rank's behaviour with each message is executed once. If
 * ranks do more than wait for single messages, all ranks are executed together. */
static bool search_composed(void)
{
    const struct rank_copy *root = &search.node[0].copy;
    CORE_CHECK(search.node_count == 1 && !search.why); /* only the first state */
    CORE_CHECK(!rank_region->states.answer_count);
    if (rank_region->states.as_one) {
        snprintf(rank_region->states.together, sizeof rank_region->states.together,
                 "ranks got messages too late when each was executed by itself");
        return false;
    }
    rank_region->states.snapshots = true;
    bool found = rank_compose_search(root);
    rank_runners_end();
    if (!found && strcmp(search.why, RANK_NO_SNAPSHOTS) == 0) {
        composed_forget();
        rank_versions_drop(1);
        rank_copy_restore(root);
        *rank_region->states.together = 0;
        found = !search.why && rank_compose_search(root);
    }
    if (found || rank_states_late() || strcmp(search.why, WORLD_STATES_SHORTER) == 0 ||
        strcmp(search.why, RANK_ENDLESS) == 0)
        return found;
    composed_forget();
    return false;
}

static void search_all(void)
{
    search.copies = rank_room_new(COPIES_BYTES);
    search.node = rank_room_new(NODES_MAX * sizeof *search.node);
    search.path = rank_room_new(PATH_MAX_ANSWERS * sizeof *search.path);
    search.stream = rank_room_new(2 * WORLD_RANKS_MAX * sizeof *search.stream);
    if (!search.copies || !search.node || !search.path || !search.stream)
        rank_states_give_up("out of memory for its states");
    else if (IS_SHIM)
        rank_states_give_up("it is built for another MPI library's interface");
    else if (!rank_region->scratch.count)
        rank_states_give_up("files that it may write cannot be isolated");
    search.until_ms = rank_now_ms() + rank_region->states.ms_max;
    if (!rank_sched_back(rank_states_step_until()))
        rank_states_give_up("a rank does not reach its first call");
    if (!search.why)
        state_come();
    rank_region->states.parts_joined &= WORLD->begun_end != NULL;
    if (!search.why && search.node_count && search_composed())
        search.node_count = 0;
    while (!search.why && (search.node_count || rank_region->states.parts_joined)) {
        if (rank_region->states.parts_joined)
            search_again();
        else if (!branch_next())
            search.copies_used =
                (size_t)((uint8_t *)search.node[--search.node_count].branch - search.copies);
    }
}

void rank_states_search(void)
{
    struct region_states *states = &rank_region->states;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    search = (struct search){0};
    rank_runners_end();
    search_all();
    states->complete = !search.why;
    for (int r = 0; r < WORLD->rank_count; r++)
        states->unmasked[r] |= WORLD->rank[r].shorter;
    snprintf(states->why, sizeof states->why, "%s", search.why ? search.why : "");
    rank_versions_drop(0);
    rooms_give();
    states->wanted = false;
    states->depth = 0;
    WORLD->searcher = NULL;
    WORLD->begun_end = NULL;
    WORLD->stop = true;
}

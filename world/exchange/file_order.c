/* Orders accesses to files under order=explore. Like accesses to memory (explore_access.h) they
 * conflict by their bytes, so each has addresses: the first stands for the name and the file's
 * existence, the next ones for the file's bytes, and addresses far beyond for shared pointers. A
 * read that may meet the end of the file reaches up to the pointers; so does a query of the size.
 *
 * Files are distinguished by name; if one has several names, the search reports that there may be
 * more. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/random.h"
#include "world/exchange/explore_access.h"
#include "world/exchange/file.h"

struct world_file_turn { /* from its call until it completes, or until all see what it wrote */
    struct world_effect effect;
    struct world_file_turn *next;
    MPI_File file;
    struct world_rank *by;
    struct world_transfer transfer;
    uint8_t *packed;
    size_t bytes, done_bytes;
    bool staged;
    int code;
};

static const uintptr_t name_at = 1, bytes_at = 2;
static const uintptr_t bytes_end = (uintptr_t)1 << 63; /* pointers begin here */
enum { COMMUTES = 1 };

static const uint8_t *file_order_address(uintptr_t at)
{
    return (const uint8_t *)at;
}

/* --- names ------------------------------------------------------------------------------------ */

static uint64_t hash_on(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = core_random_mix(hash ^ (uint8_t)*text);
    return hash;
}

static uint64_t identity_of(const char *name)
{
    char whole[PATH_MAX], folder[PATH_MAX] = ".";
    const char *last = strrchr(name, '/');
    uint64_t hash;
    if (realpath(name, whole)) {
        hash = hash_on(1, whole);
    } else { /* it does not exist yet */
        if (last && (size_t)(last - name) < sizeof folder - 1)
            *(char *)mempcpy(folder, name, (size_t)(last - name) + 1) = 0;
        hash = hash_on(1, realpath(folder, whole) ? whole : folder);
        hash = hash_on(hash_on(hash, "/"), last ? last + 1 : name);
    }
    return hash ? hash : 1;
}

static struct world_part *part_of(uint64_t identity)
{
    CORE_CHECK(identity != 0); /* 0 stands for any file */
    if (!WORLD->file_part)
        WORLD->file_part = world_zalloc(DECISION_FILES * sizeof(*WORLD->file_part));
    struct world_part **part = &WORLD->file_part[identity % DECISION_FILES];
    if (!*part) {
        *part = world_zalloc(sizeof **part);
        (*part)->rank = &WORLD->rank[0];
        (*part)->is_file = true;
    }
    CORE_CHECK((*part)->is_file && (*part)->rank->rank == 0);
    return *part;
}

static struct world_decider turn_of(const struct world_file_shared *shared, uintptr_t low,
                                    uintptr_t high, bool reads)
{
    CORE_CHECK(WORLD->explore && shared->part && low < high);
    return (struct world_decider){.part = shared->part,
                                  .object = decision_file(),
                                  .queue = (uint32_t)(shared->identity % DECISION_FILES),
                                  .file = shared->identity,
                                  .low = file_order_address(low),
                                  .high = file_order_address(high),
                                  .reads = reads};
}

static void file_order_take(const struct world_decider *turn, const char *why)
{
    if (!world_access_take(turn, why))
        world_poll_failed();
}

void world_file_named(struct world_file_shared *shared, enum world_file_use use)
{
    shared->identity = identity_of(shared->name);
    shared->part = part_of(shared->identity);
    struct world_decider turn =
        turn_of(shared, name_at, use == FILE_DELETES ? bytes_end : bytes_at, use == FILE_FINDS);
    turn.op = use == FILE_CREATES ? COMMUTES : 0;
    file_order_take(&turn, use == FILE_DELETES ? "deletes a file" : "opens a file");
    ME->news += use != FILE_FINDS;
    struct stat facts; /* of the real file: a world writes to a copy */
    if (stat(shared->name, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_nlink > 1)
        world_explore_limited();
}

void world_file_opened(struct world_file_shared *shared)
{
    struct stat facts;
    bool there = fstat(shared->fd, &facts) == 0;
    CORE_CHECK(shared->part);
    shared->part->opened++;
    if (there && !shared->part->written)
        shared->size = facts.st_size;
}

/* Notes that what others find under its name is not explored. */
void world_file_gone(const struct world_file_shared *shared)
{
    if (shared->part && shared->part->opened > 1)
        world_explore_limited();
}

/* --- what is done at once --------------------------------------------------------------------- */

/* Sets up the turn; false if the access has no bytes. */
static bool turn_at(MPI_File file, MPI_Offset stream, size_t bytes, bool write,
                    struct world_decider *out_turn)
{
    struct world_piece whole;
    struct world_pieces *pieces = world_file_pieces(file, stream, bytes, bytes_at, &whole);
    if (whole.low >= whole.high)
        return false;
    if (!write && whole.high > file_order_address(bytes_at + (uintptr_t)file->sure)) {
        whole.high = file_order_address(bytes_end);
        if (pieces)
            pieces->piece[pieces->count - 1].high = whole.high;
    }
    *out_turn = turn_of(file->shared, (uintptr_t)whole.low, (uintptr_t)whole.high, !write);
    out_turn->pieces = pieces && pieces->count > 1 ? pieces : NULL;
    file->shared->part->written |= write;
    return true;
}

void world_file_read_turn(MPI_File file, MPI_Offset stream, size_t bytes)
{
    struct world_decider turn;
    CORE_CHECK(WORLD->explore && stream >= 0);
    if (turn_at(file, stream, bytes, false, &turn))
        file_order_take(&turn, "reads a file");
}

void world_file_size_turn(MPI_File file, bool sets)
{
    CORE_CHECK(WORLD->explore && file->sure >= 0);
    uintptr_t low = bytes_at + (sets ? 0 : (uintptr_t)file->sure);
    struct world_decider turn = turn_of(file->shared, low, bytes_end, !sets);
    file_order_take(&turn, sets ? "sets the size of a file" : "looks at the size of a file");
    file->shared->part->written |= sets;
    ME->news += sets;
}

void world_file_pointer_turn(MPI_File file, bool moves)
{
    CORE_CHECK(file->shared->part && file->shared->position >= 0);
    uintptr_t at = bytes_end + (uintptr_t)file->shared;
    struct world_decider turn = turn_of(file->shared, at, at + 1, !moves);
    file_order_take(&turn, "reaches the shared pointer of a file");
    ME->news += moves;
}

void world_file_meet(MPI_File file)
{
    off_t *sure = world_alloc(sizeof *sure);
    CORE_CHECK(!file->turn); /* all writes of this rank reached the file */
    *sure = file->sure;
    const struct world_meeting *meeting = world_meet(&file->comm, sure);
    for (int i = 0; i < file->comm.size; i++)
        if (*(const off_t *)meeting->slot[i] > file->sure)
            file->sure = *(const off_t *)meeting->slot[i];
}

/* --- what may be done later ------------------------------------------------------------------- */

void world_file_stage(struct world_file_turn *turn)
{
    const struct world_transfer *t = &turn->transfer;
    if (t->write && !turn->staged)
        world_type_pack(turn->packed, turn->bytes, t->buffer, t->count, t->type);
    turn->staged = true;
}

static void file_order_move(void *argument)
{
    struct world_file_turn *turn = argument;
    CORE_CHECK(!turn->effect.done);
    world_file_stage(turn);
    if (!handle_good(turn->file, HANDLE_FILE)) /* the file was closed with a read pending */
        turn->code = MPI_ERR_FILE;
    else if (turn->transfer.write)
        turn->code = world_file_pass(turn->file, turn);
    else
        turn->code = world_file_read(turn->file, turn->transfer.stream, turn->packed, turn->bytes,
                                     &turn->done_bytes);
}

static void take_effect(struct world_effect *effect)
{
    struct world_file_turn *turn = (struct world_file_turn *)effect;
    if (WORLD_PROCESSES)
        world_process_at(turn->by, file_order_move, turn);
    else
        file_order_move(turn);
    effect->done = true;
    if (turn->transfer.write && effect->turn)
        world_access_happened(effect->turn);
}

_Static_assert(offsetof(struct world_file_turn, effect) == 0, "take_effect gets the turn so");

static void file_order_complete(struct world_file_turn *turn)
{
    if (turn->effect.turn)
        world_access_complete(&turn->effect, turn->transfer.write ? "completes a write to a file"
                                                                  : "completes a read of a file");
    if (!turn->effect.done)
        take_effect(&turn->effect);
    CORE_CHECK(turn->effect.done);
}

static bool is_behind(const struct world_effect *effect, const struct world_effect *before)
{
    while (effect && effect != before)
        effect = effect->after;
    return effect != NULL;
}

/* Returns the rank's latest pending write to the same bytes; of several writes without an order the
 * others are done first. */
static const struct world_effect *file_order_overlaid(MPI_File file,
                                                      const struct world_decider *turn)
{
    const struct world_file_turn *last = NULL;
    CORE_CHECK(!turn->reads && turn->file == file->shared->identity);
    for (struct world_file_turn *of = file->turn; of; of = of->next)
        if (!of->effect.done && world_access_meets(of->effect.turn, turn))
            last = of;
    for (struct world_file_turn *of = file->turn; last && of != last; of = of->next)
        if (!of->effect.done && world_access_meets(of->effect.turn, turn) &&
            !is_behind(&last->effect, &of->effect)) {
            world_explore_limited();
            file_order_complete(of);
        }
    return last ? &last->effect : NULL;
}

static void file_order_written(MPI_File file, struct world_file_turn *turn,
                               const struct world_decider *at)
{
    off_t end = (off_t)((uintptr_t)at->high - bytes_at);
    CORE_CHECK(!turn->next && turn->file == file && end > 0);
    world_file_put_off(file, turn->transfer.stream, turn->packed, turn->bytes, turn);
    if (!file->turn)
        file->turn_end = &file->turn;
    *file->turn_end = turn;
    file->turn_end = &turn->next;
    if (end > file->sure)
        file->sure = end;
    world_news(ME);
}

struct world_file_turn *world_file_begin(MPI_File file, const struct world_transfer *transfer)
{
    struct world_file_turn *turn = world_zalloc(sizeof *turn);
    struct world_decider at;
    turn->effect = (struct world_effect){.run = take_effect, .blind = transfer->write};
    turn->file = file;
    turn->by = ME;
    turn->transfer = *transfer;
    turn->bytes = turn->done_bytes = transfer->count * transfer->type->size;
    turn->packed = world_alloc(turn->bytes + 1);
    if (!turn_at(file, transfer->stream, turn->bytes, transfer->write, &at))
        return turn;
    if (transfer->write) {
        turn->effect.after = file_order_overlaid(file, &at);
        file_order_written(file, turn, &at);
    }
    world_access_begin(&turn->effect, &at);
    return turn;
}

int world_file_finish(struct world_file_turn *turn, uint8_t **out_packed, size_t *out_bytes)
{
    file_order_complete(turn);
    CORE_CHECK(turn->done_bytes <= turn->bytes);
    *out_packed = turn->packed;
    *out_bytes = turn->done_bytes;
    return turn->code;
}

int world_file_finish_all(MPI_File file)
{
    int code = MPI_SUCCESS;
    for (struct world_file_turn *turn = file->turn; turn; turn = turn->next) {
        file_order_complete(turn);
        code = code ? code : turn->code;
    }
    CORE_CHECK(!file->late && !file->late_bytes);
    file->turn = NULL;
    return code;
}

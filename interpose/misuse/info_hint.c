/* Keeps the promises that a program made by info keys about a communicator or window, on which a
 * library may rely. Keeps the last OBJECTS_MAX objects with promises by id; ids are unique, so
 * nothing needs to be removed. Guarded by the recorder's lock. */
#include <string.h>

#include "interpose/misuse/usage.h"

enum { OBJECTS_MAX = 64, VALUE_MAX = 16 };

static const struct {
    const char *key;
    enum recorder_object kind;
    const char *broken;
    bool kept; /* also kept in the spool */
} promises[USAGE_PROMISE_COUNT] = {
#define X(name, key, forbids, kept) [USAGE_##name] = {key, OBJECT_COMM, forbids, kept},
    MATCHING_HINTS(X)
#undef X
        [USAGE_NO_LOCKS] = {"no_locks", OBJECT_WIN, "locked", false}};

static struct promiser {
    uint32_t id; /* 0: unused */
    enum recorder_object kind;
    uint64_t by[USAGE_PROMISE_COUNT]; /* the call that gave the key; 0: none */
} promiser[OBJECTS_MAX];
static unsigned next; /* index of the next entry to use or replace */
bool usage_promises;

static struct promiser *info_hint_find(enum recorder_object kind, uint32_t id)
{
    for (unsigned i = 0; i < OBJECTS_MAX; i++)
        if (promiser[i].id == id && promiser[i].kind == kind)
            return &promiser[i];
    return NULL;
}

static void hint_write(struct lane *lane, uint64_t seq, uint32_t id, unsigned hint, bool given)
{
    struct spool_def_hint *def = spool_reserve(recorder_definitions(lane), sizeof *def / 8);

    if (def)
        *def = (struct spool_def_hint){
            {SPOOL_DEF_HINT, sizeof *def / 8, (uint16_t)hint, given}, .seq = seq, .comm = id};
}

static void info_hint_note(struct lane *lane, uint64_t seq, enum recorder_object kind, uint32_t id,
                           unsigned which, bool given)
{
    recorder_lock();
    if (promises[which].kept) {
        hint_write(lane, seq, id, which, given);
        recorder_unlock();
        return;
    }
    struct promiser *found = info_hint_find(kind, id);
    if (!found && given) {
        found = &promiser[next++ % OBJECTS_MAX];
        *found = (struct promiser){.id = id, .kind = kind};
    }
    if (found)
        found->by[which] = given ? seq : 0;
    usage_promises |= given;
    recorder_unlock();
}

void usage_promised(struct lane *lane, uint64_t seq, enum recorder_object kind, uint32_t id,
                    MPI_Info info)
{
    if (!id || info == recorder_handle.info_null)
        return;
    for (unsigned i = 1; i < USAGE_PROMISE_COUNT; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[VALUE_MAX + 1] = "";
        int there = 0;
        if (promises[i].kind != kind)
            continue;
        strncpy(key, promises[i].key, sizeof key - 1);
        key[sizeof key - 1] = '\0';
        if (ASK(INFO, Info_get, info, key, VALUE_MAX, value, &there) == MPI_SUCCESS && there)
            info_hint_note(lane, seq, kind, id, i, !strcmp(value, "true"));
    }
}

void usage_against(struct lane *lane, uint64_t seq, uint32_t id, enum usage_promise what,
                   const char *argument)
{
    if (!usage_promises || !id)
        return;
    recorder_lock();
    const struct promiser *found = info_hint_find(promises[what].kind, id);
    uint64_t by = found ? found->by[what] : 0;
    recorder_unlock();
    if (by)
        usage_say(lane, seq, MISUSE_PROMISED, argument, by, .name[1] = promises[what].broken,
                  .name[2] = promises[what].key);
}

/* What the runner is told of a world besides its outcome: events, questions, who asked. */
#include "world/ranks/ranks.h"

#include <link.h>
#include <stdio.h>
#include <unwind.h>

/* Texts are literals of this library, so an address stands for one. */
const char *rank_name(const char *text)
{
    uint64_t key = (uintptr_t)text;
    for (uint64_t at = core_random_mix(key), tried = 0; tried < REGION_NAMES_MAX; at++, tried++) {
        struct region_name *name = &rank_region->name[at % REGION_NAMES_MAX];
        if (!name->key) {
            name->key = key;
            strncpy(name->text, text ? text : "", REGION_NAME_MAX - 1);
        }
        CORE_CHECK(name->text[REGION_NAME_MAX - 1] == 0); /* region.h invariant 2 */
        if (name->key == key)
            return (const char *)(uintptr_t)(name - rank_region->name + 1);
    }
    rank_region->lost = true;
    return NULL;
}

void rank_event(void *unused, const struct world_event *event)
{
    (void)unused;
    if (rank_region->event_count == WORLD_LOG_MAX) {
        rank_region->lost = true;
        return;
    }
    struct world_event *kept = &rank_region->event[rank_region->event_count++];
    *kept = *event;
    kept->call = rank_name(event->call);
}

/* --- questions -------------------------------------------------------------------------------- */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Code of the libraries that stand between a Fortran program and this one. */
static struct {
    const char *low, *high;
} layer[8];
static int layer_count;

static int layer_find(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    static const char *const names[] = {"/libmpi_mpifh.so", "/libmpi_usempi", "/libmpi_cxx.so"};
    (void)bytes, (void)unused;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int i = 0; strstr(object->dlpi_name, names[n]) && i < object->dlpi_phnum; i++) {
            const ElfW(Phdr) *part = &object->dlpi_phdr[i];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) ||
                layer_count == sizeof layer / sizeof *layer)
                continue;
            layer[layer_count].low = (const char *)object->dlpi_addr + part->p_vaddr;
            layer[layer_count].high = layer[layer_count].low + part->p_memsz;
            layer_count++;
        }
    return 0;
}

static bool in_layer(const char *address)
{
    for (int i = 0; i < layer_count; i++)
        if (address >= layer[i].low && address < layer[i].high)
            return true;
    return false;
}

static _Unwind_Reason_Code frame_look(struct _Unwind_Context *frame, void *out_site)
{
    const char *back = (const char *)_Unwind_GetIP(frame);
    if ((back >= __ehdr_start && back < etext) || in_layer(back))
        return _URC_NO_REASON;
    *(const void **)out_site = back;
    return _URC_END_OF_STACK;
}

/* Those libraries have no frame pointers. */
static const void *site_above(void)
{
    const void *site = NULL;
    _Unwind_Backtrace(frame_look, &site);
    return site;
}

void rank_layers_find(void)
{
    dl_iterate_phdr(layer_find, NULL);
    if (layer_count)
        site_above(); /* what it reads for the first time, all ranks have then */
}

/* Where the program called this library: the first return address outside of it. Everything here is
 * compiled with frame pointers. */
const void *world_process_site(void)
{
    void **frame = __builtin_frame_address(0);
    for (int depth = 0; depth < 64; depth++) {
        const char *back = frame[1];
        if (back < __ehdr_start || back >= etext)
            return in_layer(back) ? site_above() : back;
        if ((void **)frame[0] <= frame)
            break;
        frame = frame[0];
    }
    return NULL;
}

void world_process_stands(const struct world_fiber *fiber, const char *why)
{
    if (!rank_region || !fiber || !fiber->call)
        return;
    struct region_rank *told = &rank_region->rank[fiber->rank->rank];
    snprintf(told->call, sizeof told->call, "%s", fiber->call);
    snprintf(told->why, sizeof told->why, "%s", why);
    told->site = (uintptr_t)fiber->site;
}

static uint64_t fresh; /* candidates told since the last question */

void world_process_candidate(int source, int tag, uint64_t bytes, uint32_t number)
{
    if (rank_region->candidate_count == WORLD_LOG_MAX) {
        rank_region->lost = true;
        return;
    }
    rank_region->candidate[rank_region->candidate_count++] =
        (struct world_candidate){.source = source, .tag = tag, .bytes = bytes, .number = number};
    fresh++;
}

void world_process_asked(uint32_t options, enum replay_reason reason, uint32_t answer)
{
    uint32_t count = (uint32_t)fresh;
    fresh = 0;
    if (options < 2) { /* no question */
        rank_region->candidate_count -= count;
        return;
    }
    if (rank_region->question_count == WORLD_LOG_MAX) {
        rank_region->lost = true;
        return;
    }
    const struct world_fiber *fiber = WORLD->fiber;
    rank_region->question[rank_region->question_count++] =
        (struct world_question){.reason = reason,
                                .options = options,
                                .answer = answer,
                                .rank = fiber->rank->rank,
                                .event = (uint32_t)rank_region->event_count,
                                .call = rank_name(fiber->call),
                                .site = (uintptr_t)fiber->site,
                                .first = (uint32_t)rank_region->candidate_count - count,
                                .count = count};
}

/* Reports to the runner of a world, besides its outcome: events, questions, and who asked. */
#include "world/ranks/ranks.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include "program/memory.h"
#include "program/python.h"

/* Returns the region's copy of a text. Texts are literals of this library, so an address identifies
 * one. */
static const char *event_log_name(const char *text)
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
    kept->call = event_log_name(event->call);
}

/* --- questions -------------------------------------------------------------------------------- */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Code of the libraries between a Fortran program and this one, and of mpi4py. */
static struct layer {
    const char *low, *high;
    bool python;
} layer[16];
static int layer_count;

static int layer_find(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    static const struct {
        const char *name;
        bool python;
    } names[] = {{"/libmpi_mpifh.so", false}, {"/libmpi_usempi", false}, {"/libmpi_cxx.so", false},
                 {"/libmpichfort.so", false}, {"/libmpifort.so", false}, {"/libmpichcxx.so", false},
                 {"/libmpicxx.so", false},    {"/mpi4py/MPI.", true}};
    (void)bytes, (void)unused;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int i = 0; strstr(object->dlpi_name, names[n].name) && i < object->dlpi_phnum; i++) {
            const ElfW(Phdr) *part = &object->dlpi_phdr[i];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) ||
                layer_count == sizeof layer / sizeof *layer)
                continue;
            layer[layer_count].low = (const char *)object->dlpi_addr + part->p_vaddr;
            layer[layer_count].high = layer[layer_count].low + part->p_memsz;
            layer[layer_count].python = names[n].python;
            layer_count++;
        }
    return 0;
}

static const struct layer *layer_of(const char *address)
{
    for (int i = 0; i < layer_count; i++)
        if (address >= layer[i].low && address < layer[i].high)
            return &layer[i];
    return NULL;
}

/* Returns the site that stands for a line of a script; NULL if there is no more room. */
static const void *script_put(const char *file, int line)
{
    char real[4096];
    const char *path = realpath(file, real) ? real : file;
    uint64_t site = core_random_mix((uint64_t)line);
    for (const char *at = path; *at; at++)
        site = core_random_mix(site ^ (unsigned char)*at);
    site |= REGION_SCRIPT;
    for (uint64_t at = site, tried = 0; tried < REGION_SCRIPTS_MAX; at++, tried++) {
        struct region_script *script = &rank_region->script[at % REGION_SCRIPTS_MAX];
        if (!script->site) {
            snprintf(script->path, sizeof script->path, "%.*s", REGION_PATH_MAX - 1, path);
            script->line = line;
            script->site = site;
        }
        if (script->site == site)
            return (const void *)(uintptr_t)site;
    }
    return NULL;
}

/* Returns the line of the script that this thread runs; NULL if it runs none, or it is unknown. */
static const void *script_site(void)
{
    static struct known {
        struct python_place place;
        const void *site;
    } known[256];
    struct python_place place;
    if (!python_places(&place, 1))
        return NULL;
    uint64_t key = core_random_mix((uintptr_t)place.code ^ (uint64_t)place.offset * 31);
    struct known *k = &known[key % (sizeof known / sizeof *known)];
    if (k->place.code != place.code || k->place.offset != place.offset ||
        k->place.file != place.file)
        *k = (struct known){place, script_put(place.file, python_line(&place))};
    return k->site;
}

static _Unwind_Reason_Code frame_look(struct _Unwind_Context *frame, void *out_site)
{
    const char *back = (const char *)_Unwind_GetIP(frame);
    if ((back >= __ehdr_start && back < etext) || layer_of(back))
        return _URC_NO_REASON;
    *(const void **)out_site = back;
    return _URC_END_OF_STACK;
}

/* Finds the site with the unwinder, as those libraries have no frame pointers. */
static const void *site_above(void)
{
    const void *site = NULL;
    _Unwind_Backtrace(frame_look, &site);
    return site;
}

static const void *site_behind(const char *back)
{
    const struct layer *in = layer_of(back);
    const void *script = in && in->python ? script_site() : NULL;
    return script ? script : in && !in->python ? site_above() : back;
}

void rank_layers_find(void)
{
    layer_count = 0;
    dl_iterate_phdr(layer_find, NULL);
    bool readable = memory_start();
    for (int i = 0; i < layer_count; i++)
        layer[i].python &= readable;
    if (!layer_count)
        return;
    site_above(); /* all ranks then have what it reads the first time */
    world_process_site();
}

/* Returns where the program called this library: the first return address outside of it. All our
 * code is compiled with frame pointers. */
const void *world_process_site(void)
{
    void **frame = __builtin_frame_address(0);
    for (int depth = 0; depth < 64; depth++) {
        const char *back = frame[1];
        if (back < __ehdr_start || back >= etext)
            return site_behind(back);
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
    struct region_rank *reported = &rank_region->rank[fiber->rank->rank];
    snprintf(reported->call, sizeof reported->call, "%s", fiber->call);
    snprintf(reported->why, sizeof reported->why, "%s", why);
    reported->detaching = fiber->rank->detaching == fiber;
    reported->site = (uintptr_t)fiber->site;
}

void world_process_asked(uint32_t options, enum replay_reason reason, uint32_t answer)
{
    if (options < 2) /* not a question */
        return;
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
                                .call = event_log_name(fiber->call),
                                .site = (uintptr_t)fiber->site};
}

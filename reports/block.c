/* See block.h. */
#include "reports/block.h"

#include <ctype.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/text.h"
#include "core/trace/describe.h"

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for the report");
}

/* --- call stacks ------------------------------------------------------------------------------ */

static void frame_write(FILE *file, const char *function, const char *inlined, bool first)
{
    fprintf(file, "%s%s%s%s", first ? "" : " < ", inlined && *inlined ? inlined : "",
            inlined && *inlined ? " < " : "", function);
}

/* Tells whether the function is the program's outermost; frames above it are not the program's. */
static bool is_outermost(const char *function)
{
    return !strcmp(function, "main") || !strcmp(function, "MAIN__");
}

/* Returns the recorded functions around the event, "solve < main". Free with free(); NULL if
 * unknown. */
static char *stack_of(struct trace *trace, const struct trace_event *event)
{
    static const char sql[] =
        "SELECT coalesce(s.function, s.symbol), s.inlined FROM stack t JOIN site s ON s.id = "
        "t.site WHERE t.event = (?1 << 40) + ?2 ORDER BY t.depth";
    const struct trace_site *site = event->site > 0 && (uint32_t)event->site < trace->site_count
                                        ? &trace->site[event->site]
                                        : NULL;
    const char *function = !site ? NULL : site->function ? site->function : site->symbol;
    char *text = NULL;
    size_t bytes;
    bool first = true, more = true;
    sqlite3_stmt *row = NULL;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    if (sqlite3_prepare_v2(trace->db, sql, -1, &row, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(row, 1, event->rank);
        sqlite3_bind_int64(row, 2, (int64_t)event->seq);
        while (more && sqlite3_step(row) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(row, 0);
            if (name)
                frame_write(file, name, (const char *)sqlite3_column_text(row, 1), first);
            first &= !name;
            more = name && !is_outermost(name);
        }
    }
    sqlite3_finalize(row);
    if (first && function)
        frame_write(file, function, site->inlined, true);
    first &= !function;
    if (core_text_close(file, &text) && first) {
        free(text);
        text = NULL;
    }
    return text;
}

/* --- grouping of calls ------------------------------------------------------------------------ */

struct member { /* a rank; the texts of its call and of the call it waits for, one item per line */
    uint32_t rank;
    uint64_t seq;
    char *says, *subject;
};
struct group {
    bool core, waits, found;
    const struct finding_call *bare;  /* the call, if no trace holds it; NULL: a trace holds it */
    const struct finding_call *leads; /* the call, if a decision there led to the others; NULL: it
                                         is none */
    int32_t call, site, subject_call, subject_site; /* -1: none */
    char *stack;                                    /* NULL if unknown */
    struct member *member;
    uint32_t count, room, order;
};
struct gathering {
    struct trace *trace;
    struct group *group;
    uint32_t count, room;
};

static void gathering_done(struct gathering *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t j = 0; j < g->group[i].count; j++) {
            free(g->group[i].member[j].says);
            free(g->group[i].member[j].subject);
        }
        free(g->group[i].member);
        free(g->group[i].stack);
    }
    free(g->group);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_bare(const struct finding_call *a, const struct finding_call *b)
{
    return a == b || (a && b && same_text(a->call, b->call) && same_text(a->site, b->site) &&
                      same_text(a->path, b->path));
}

/* Tells whether two sites are one place: calls on the same source line. */
static bool same_place(const struct trace *trace, int32_t a, int32_t b)
{
    if (a == b)
        return true;
    if (a <= 0 || b <= 0 || (uint32_t)a >= trace->site_count || (uint32_t)b >= trace->site_count)
        return false;
    const struct trace_site *x = &trace->site[a], *y = &trace->site[b];
    return x->line && x->line == y->line && same_text(x->path, y->path) &&
           same_text(x->file, y->file) && same_text(x->inlined, y->inlined);
}

/* Tells whether the groups are of the same call, in the same role within the finding. */
static bool same_call(const struct trace *trace, const struct group *a, const struct group *b)
{
    return a->core == b->core && a->leads == b->leads && a->found == b->found &&
           same_bare(a->bare, b->bare) && a->call == b->call &&
           same_place(trace, a->site, b->site) && same_text(a->stack, b->stack);
}

/* Returns the group with this key and takes the key's stack. NULL: out of memory, reported. */
static struct group *group_get(struct gathering *g, struct group key)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct group *group = &g->group[i];
        if (same_call(g->trace, group, &key) && group->subject_call == key.subject_call &&
            same_place(g->trace, group->subject_site, key.subject_site)) {
            free(key.stack);
            return group;
        }
    }
    key.order = g->count;
    if (CORE_ARRAY_PUSH(g->group, g->count, g->room, "the report", key) != CORE_OK) {
        free(key.stack);
        return NULL;
    }
    return &g->group[g->count - 1];
}

static char *says_of(const struct finding_call *call, const char *arguments)
{
    char *text = NULL;

    if (asprintf(&text, "%s\n%s%s\n%s", arguments, call->waits_for ? "waits for " : "",
                 call->waits_for ? call->waits_for : "", call->note ? call->note : "") < 0)
        return NULL;
    return text;
}

static enum core_status call_gather(struct gathering *g, const struct finding_call *call)
{
    struct trace *trace = g->trace;
    struct group key = {
        .core = call->core, .found = call->found, .call = -1, .site = -1, .subject_call = -1};
    struct member member = {.rank = call->rank, .seq = call->seq};
    struct trace_event event;
    char arguments[512] = "", subject[512] = "";

    key.subject_site = -1;
    key.bare = !call->seq && call->call ? call : NULL;
    key.leads = call->leads ? call : NULL;
    if (call->subject_seq &&
        trace_event_get(trace, call->rank, call->subject_seq, &event) == CORE_OK) {
        key.subject_call = event.call;
        key.subject_site = event.site;
        describe_arguments(trace, &event, subject, sizeof subject);
    }
    if (call->seq && trace_event_get(trace, call->rank, call->seq, &event) == CORE_OK) {
        key.call = event.call;
        key.site = event.site;
        key.stack = stack_of(trace, &event);
        describe_arguments(trace, &event, arguments, sizeof arguments);
    }
    struct group *group = group_get(g, key);
    if (!group)
        return CORE_NO_MEMORY;
    group->waits |= call->waits_for != NULL;
    member.says = says_of(call, arguments);
    member.subject = strdup(subject);
    enum core_status status =
        member.says && member.subject
            ? CORE_ARRAY_PUSH(group->member, group->count, group->room, "the report", member)
            : no_memory();
    if (status != CORE_OK) {
        free(member.says);
        free(member.subject);
    }
    return status;
}

static int group_compare(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->core != y->core)
        return x->core ? -1 : 1;
    if (!x->leads != !y->leads)
        return x->leads ? 1 : -1;
    if (!x->leads && x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* --- what the ranks of a place share ---------------------------------------------------------- */

typedef const char *(*words_fn)(const struct member *member);
static const char *words_call(const struct member *member)
{
    return member->says;
}
static const char *words_subject(const struct member *member)
{
    return member->subject;
}

static bool has_line(const char *text, const char *line, size_t bytes)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == bytes && !memcmp(at, line, bytes))
            return true;
    return false;
}

static bool all_have(const struct group *group, words_fn words, const char *line, size_t bytes)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (!has_line(words(&group->member[i]), line, bytes))
            return false;
    return true;
}

/* Joins those lines of the member's text that all members share (common), or the others. */
static char *lines_join(const struct group *group, uint32_t member, words_fn words, bool common)
{
    const char *text = words(&group->member[member]);
    char *joined = NULL;
    size_t bytes;
    FILE *file = open_memstream(&joined, &bytes);
    bool first = true;

    if (!file)
        return NULL;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t line = strcspn(at, "\n");
        if (line && all_have(group, words, at, line) == common) {
            fprintf(file, "%s%.*s", first ? "" : ", ", (int)line, at);
            first = false;
        }
    }
    return core_text_close(file, &joined);
}

static char *ranks_of(const struct group *group, const char *const *says, const char *which)
{
    uint32_t *rank = malloc(((size_t)group->count + 1) * sizeof *rank), count = 0;

    for (uint32_t i = 0; rank && i < group->count; i++)
        if (!says || !strcmp(says[i], which))
            rank[count++] = group->member[i].rank;
    char *text = rank ? wording_ranks_short(rank, count) : NULL;
    free(rank);
    return text;
}

static int part_compare(const void *a, const void *b)
{
    const struct block_part *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Writes "rank+1" for the number of a rank. */
static void relative_write(FILE *file, long number, uint32_t rank)
{
    long ahead = number - (long)rank;
    if (ahead)
        fprintf(file, "rank%+ld", ahead);
    else
        fputs("rank", file);
}

/* Returns the text with the ranks that it names as "rank+1", relative to its own rank; NULL: it
 * names none, or out of memory. Free with free(). */
static char *relative_text(const char *text, uint32_t rank)
{
    static const char *const keys[] = {"dest=", "source=", "target=", "waits for rank "};
    char *relative = NULL;
    size_t bytes;
    bool any = false;
    FILE *file = open_memstream(&relative, &bytes);
    if (!file)
        return NULL;
    for (const char *at = text; *at;) {
        size_t key = 0;
        for (size_t k = 0; k < sizeof keys / sizeof *keys && !key; k++)
            if (!strncmp(at, keys[k], strlen(keys[k])) && (at == text || at[-1] == ' '))
                key = strlen(keys[k]);
        char *end = NULL;
        long number = key && isdigit((unsigned char)at[key]) ? strtol(at + key, &end, 10) : 0;
        if (!end || (*end && *end != ',')) {
            fputc(*at++, file);
            continue;
        }
        fprintf(file, "%.*s", (int)(at[key - 1] == '=' ? key : key - strlen("rank ")), at);
        relative_write(file, number, rank);
        at = end;
        any = true;
    }
    if (core_text_close(file, &relative) && any)
        return relative;
    free(relative);
    return NULL;
}

static uint32_t text_count(char *const *text, uint32_t count, const char *of)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++)
        same += text[i] && !strcmp(text[i], of);
    return same;
}

/* Replaces the texts of ranks that differ only by their number: "ranks 0-6: dest=rank+1". */
static void relative_take(const struct group *group, char **says)
{
    enum { ALIKE_LEAST = 3 };
    char **relative = calloc((size_t)group->count + 1, sizeof *relative);
    bool *take = calloc((size_t)group->count + 1, sizeof *take);
    for (uint32_t i = 0; i < group->count && relative && take; i++)
        relative[i] = relative_text(says[i], group->member[i].rank);
    for (uint32_t i = 0; i < group->count && relative && take; i++) {
        uint32_t alike = relative[i] ? text_count(relative, group->count, relative[i]) : 0;
        take[i] = alike >= ALIKE_LEAST && alike > text_count(says, group->count, says[i]);
    }
    for (uint32_t i = 0; i < group->count && relative && take; i++) {
        free(take[i] ? says[i] : relative[i]);
        says[i] = take[i] ? relative[i] : says[i];
    }
    free(relative);
    free(take);
}

static enum core_status parts_make(const struct group *group, words_fn words,
                                   struct block_place *place)
{
    char **says = calloc((size_t)group->count + 1, sizeof *says);
    bool differ = false;
    enum core_status status = says ? CORE_OK : no_memory();

    for (uint32_t i = 0; i < group->count && status == CORE_OK; i++) {
        says[i] = lines_join(group, i, words, false);
        differ |= says[i] && *says[i];
        status = says[i] ? CORE_OK : no_memory();
    }
    if (status == CORE_OK && differ)
        relative_take(group, says);
    for (uint32_t i = 0; i < group->count && status == CORE_OK && differ; i++) {
        bool told = false;
        for (uint32_t k = 0; k < i && !told; k++)
            told = !strcmp(says[k], says[i]);
        if (told)
            continue;
        struct block_part part = {.ranks = ranks_of(group, (const char *const *)says, says[i]),
                                  .says = strdup(says[i]),
                                  .order = i};
        for (uint32_t k = i; k < group->count; k++)
            part.count += !strcmp(says[k], says[i]);
        status = part.ranks && part.says ? CORE_ARRAY_PUSH(place->part, place->part_count,
                                                           place->part_room, "the report", part)
                                         : no_memory();
        if (status != CORE_OK) {
            free(part.ranks);
            free(part.says);
        }
    }
    if (place->part_count)
        qsort(place->part, place->part_count, sizeof *place->part, part_compare);
    for (uint32_t i = 0; says && i < group->count; i++)
        free(says[i]);
    free(says);
    return status;
}

/* --- the block -------------------------------------------------------------------------------- */

static void place_done(struct block_place *place)
{
    for (uint32_t i = 0; i < place->part_count; i++) {
        free(place->part[i].ranks);
        free(place->part[i].says);
    }
    free(place->part);
    free(place->ranks);
    free(place->where);
    free(place->stack);
    free(place->source.text);
    free(place->says);
}

void block_done(struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        place_done(&block->place[i]);
    free(block->place);
    *block = (struct block){0};
}

/* Fills in the place of a call that no trace holds, "a.c:17", with its source line. */
static void bare_look(struct source *source, const struct finding_call *call,
                      struct block_place *place)
{
    const char *colon = call->site ? strrchr(call->site, ':') : NULL;
    struct trace_site site = {.path = call->path, .line = colon ? atoi(colon + 1) : 0};

    place->name = call->call;
    place->path = call->path;
    place->line = site.line;
    if (!call->site)
        return;
    const char *below = call->path ? source_below(source, call->path) : NULL;
    if (!below || below == call->path)
        place->where = strdup(call->site);
    else if (asprintf(&place->where, "%s:%d", below, site.line) < 0)
        place->where = NULL;
    if (call->path)
        place->source = source_line_get(source, &site, call->call);
}

/* Names the operation's role for the call that refers to it. */
static const char *subject_text(bool waits, bool found)
{
    return waits   ? "the operation it waits for"
           : found ? "the call whose buffer it is"
                   : "the other call";
}

char *block_place_text(const struct block_place *place, uint32_t parts_max)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    fprintf(file, "%s: %s%s%s", place->ranks, place->name ? place->name : "in no recorded call",
            *place->says ? ", " : "", place->says);
    for (uint32_t i = 0, told = 0; i < place->part_count; i++) {
        if (!*place->part[i].says)
            continue;
        if (told++ == parts_max) {
            fprintf(file, "; and more, each with its own");
            break;
        }
        fprintf(file, "; %s: %s", place->part[i].ranks, place->part[i].says);
    }
    if (!place->core)
        fputs(" (not to blame: waits for the others)", file);
    return core_text_close(file, &text);
}

static char *place_ranks(const struct gathering *g, const struct group *group, bool subject)
{
    char *ranks = subject ? NULL : ranks_of(group, NULL, NULL), *text = NULL;

    if (subject)
        return strdup(subject_text(group->waits, group->found));
    if (!group->found && (!group->leads || g->group[0].leads))
        return ranks;
    if (ranks &&
        asprintf(&text, "%s, %s", ranks,
                 group->found ? "found by this call, done before it" : "what leads there") < 0)
        text = NULL;
    free(ranks);
    return text;
}

static enum core_status place_add(struct gathering *g, struct source *source,
                                  const struct group *group, bool subject, struct block *block)
{
    const struct trace *trace = g->trace;
    int32_t call = subject ? group->subject_call : group->call,
            site = subject ? group->subject_site : group->site;
    const struct trace_site *at =
        site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;
    words_fn words = subject ? words_subject : words_call;
    struct block_place place = {.name = call >= 0 ? trace->call[call].name : NULL,
                                .path = !at || !at->file ? NULL
                                        : at->path       ? at->path
                                                         : at->file,
                                .function = !at            ? NULL
                                            : at->function ? at->function
                                                           : at->symbol,
                                .line = at ? at->line : 0,
                                .core = group->core || !group->waits,
                                .rank = group->member[0].rank,
                                .seq = subject ? 0 : group->member[0].seq};

    if (call >= 0) {
        place.where = source_place(source, trace, site);
        place.source = source_line_get(source, at, place.name);
    }
    if (group->bare && !subject)
        bare_look(source, group->bare, &place);
    place.says = lines_join(group, 0, words, true);
    place.ranks = place_ranks(g, group, subject);
    if (!subject)
        place.stack = group->stack ? strdup(group->stack) : NULL;
    enum core_status status = parts_make(group, words, &place);
    if (status == CORE_OK && (!place.says || !place.ranks))
        status = no_memory();
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(block->place, block->count, block->room, "the report", place);
    if (status != CORE_OK)
        place_done(&place);
    return status;
}

/* Tells whether both groups have the same ranks with the same texts. */
static bool same_members(const struct group *a, const struct group *b)
{
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++)
        same =
            a->member[i].rank == b->member[i].rank && !strcmp(a->member[i].says, b->member[i].says);
    return same;
}

enum core_status block_make(struct trace *trace, struct source *source,
                            const struct finding *finding, struct block *out_block)
{
    struct gathering g = {.trace = trace};
    struct block block = {0};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++)
        status = call_gather(&g, &finding->call[i]);
    if (g.count)
        qsort(g.group, g.count, sizeof *g.group, group_compare);
    for (uint32_t i = 0; i < g.count && status == CORE_OK; i++) {
        if (i == 0 || !same_members(&g.group[i - 1], &g.group[i]) ||
            !same_call(trace, &g.group[i - 1], &g.group[i]))
            status = place_add(&g, source, &g.group[i], false, &block);
        if (status == CORE_OK && g.group[i].subject_call >= 0)
            status = place_add(&g, source, &g.group[i], true, &block);
    }
    gathering_done(&g);
    if (status == CORE_OK)
        *out_block = block;
    else
        block_done(&block);
    return status;
}

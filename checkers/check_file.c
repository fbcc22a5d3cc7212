/* Checks files: accesses that the open mode or the view forbids, collective calls on a file that
 * its ranks do not all make in the same order, and accesses that conflict (file_conflict.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "checkers/check_rules.h"
#include "checkers/conflict/file_conflict.h"
#include "checkers/collective/types.h"
#include "checkers/finding_dedup.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/request.h"

enum { VALUES_MAX = 2, VIEW_VALUES = 3 };

struct step {
    uint64_t seq;
    int64_t value[VALUES_MAX]; /* arguments that must be equal on all ranks */
    int64_t view[VIEW_VALUES]; /* of MPI_File_set_view: disp; size and extent of the filetype */
    uint64_t shared_seq;       /* first use of the shared file pointer in this view; 0: none */
    int32_t call;
};
struct opened { /* a rank's side of a file */
    int64_t amode;
    int32_t etype, filetype;
    uint32_t overlap;  /* distance of the first tile of the view that overlaps a tile; 0: none */
    int64_t position;  /* of the individual pointer, in bytes of the view; -1: unknown */
    struct step *step; /* its collective calls */
    uint32_t steps, room;
    uint64_t seq;
    bool known;
    uint32_t pending; /* nonblocking accesses that are not complete */
    bool refused;     /* the last split access did not begin */
    bool split;       /* the split access `begun` has not ended */
    struct trace_event begun;
};
struct files {
    const struct check_input *input;
    struct finding_dedup dedup;
    struct requests requests; /* of the rank read now; own[0]: file + 1, own[1]: opening's seq */
    struct opened *opened;    /* file * ranks + rank */
    uint32_t room, file_count;
};

static struct opened *opened_of(struct files *files, int32_t file, uint32_t rank)
{
    uint32_t ranks = files->input->trace->rank_count;

    if (file < 0 || file > 4096)
        return NULL;
    if (CORE_ARRAY_ROOM_ZERO(files->opened, files->room, ((uint64_t)file + 1) * ranks, "files"))
        return NULL;
    if ((uint32_t)file >= files->file_count)
        files->file_count = (uint32_t)file + 1;
    CORE_CHECK(rank < ranks);
    CORE_CHECK((uint64_t)files->file_count * ranks <= files->room);
    return &files->opened[(size_t)file * ranks + rank];
}

static struct finding *check_file_say(struct files *files, uint32_t rank, uint64_t seq)
{
    return finding_dedup_add(&files->dedup, FINDING_ERROR, rank, seq);
}

static void check_file_wrong(struct files *files, const struct trace_event *event, uint64_t other,
                             const char *sentence)
{
    finding_dedup_wrong(&files->dedup, event, other, sentence);
}

/* No file of a job is this large; twice the value is still a number. */
static const int64_t FAR = (int64_t)1 << 60;

/* Returns how many whole tiles of the view an access covers at least. Advances the individual
 * pointer. */
static int64_t tiles_covered(struct trace *trace, const struct trace_event *event,
                             struct opened *file)
{
    int64_t size = (int64_t)trace->datatype[file->filetype].size, bytes = (int64_t)event->bytes,
            from = file->position;

    CORE_CHECK(size > 0); /* the caller found overlapping tiles */
    if (bytes < 0 || bytes > FAR || from > FAR)
        return 0;
    if (trait_in(event->traits, TRAIT_AT_OFFSET)) {
        from = trace_arg_value(trace, event, "offset", -1);
        if (__builtin_mul_overflow(from, (int64_t)trace->datatype[file->etype].size, &from) ||
            from > FAR)
            from = -1;
    } else if (trait_in(event->traits, TRAIT_SHARED_POINTER) ||
               trait_in(event->traits, TRAIT_ORDERED)) {
        from = -1;
    } else {
        file->position = from >= 0 && event->verb == VERB_WRITE ? from + bytes : -1;
    }
    return from < 0 ? (bytes + 1) / size - 1 : (from + bytes) / size - (from + size - 1) / size;
}

static void check_file_access(struct files *files, const struct trace_event *event,
                              struct opened *file)
{
    CORE_CHECK(file->known);
    struct trace *trace = files->input->trace;
    bool writes = event->verb == VERB_WRITE || event->verb == VERB_SET_SIZE ||
                  event->verb == VERB_PREALLOCATE,
         reads = event->verb == VERB_READ,
         points = event->verb == VERB_SEEK || event->verb == VERB_GET_POSITION,
         shared = event->traits & (TRAIT_BIT(SHARED_POINTER) | TRAIT_BIT(ORDERED));

    if (writes && (file->amode & EVENT_AMODE_RDONLY))
        check_file_wrong(files, event, 0, "the file was opened with MPI_MODE_RDONLY");
    else if (reads && (file->amode & EVENT_AMODE_WRONLY))
        check_file_wrong(files, event, 0, "the file was opened with MPI_MODE_WRONLY");
    else if ((file->amode & EVENT_AMODE_SEQUENTIAL) && (points || ((writes || reads) && !shared)))
        check_file_wrong(files, event, 0, "the file was opened with MPI_MODE_SEQUENTIAL");
    if ((writes || reads) && file->etype >= 0 && (uint32_t)file->etype < trace->datatype_count &&
        trace->datatype[file->etype].size > 0 && event->count > 0 &&
        event->bytes % (uint64_t)trace->datatype[file->etype].size)
        check_file_wrong(files, event, 0,
                         "its data is not a whole number of the view's elementary type");
    if (event->verb == VERB_SEEK)
        file->position = -1;
    if (file->overlap && (event->verb == VERB_WRITE || reads) && event->count > 0 &&
        !trait_in(event->traits, TRAIT_ENDS) &&
        tiles_covered(trace, event, file) > (int64_t)file->overlap && writes)
        check_file_wrong(files, event, 0,
                         "it writes bytes of the file twice: the view repeats 'filetype', and the "
                         "repetitions overlap");
}

/* Counts the pending nonblocking accesses of each file. */
static enum core_status check_file_followed(enum request_step step, const struct trace_event *event,
                                            struct request *request,
                                            const struct trace_completion *done, void *context)
{
    struct files *files = context;
    bool begins = step == REQUEST_BEGUN && request->id && !request->inside && request->win >= 0 &&
                  trait_in(event->traits, TRAIT_FILE);
    bool over = (step == REQUEST_DONE || step == REQUEST_FREED) && request->own[0];
    struct opened *file = begins ? opened_of(files, request->win, event->rank)
                          : over ? opened_of(files, (int32_t)request->own[0] - 1, event->rank)
                                 : NULL;

    (void)done;
    if (begins && file && file->known) {
        request->own[0] = (uint32_t)request->win + 1;
        request->own[1] = (uint32_t)file->seq;
        file->pending++;
    } else if (over) {
        /* the file may have been closed, and its number reused */
        if (file && file->pending && (uint32_t)file->seq == request->own[1])
            file->pending--;
        request->own[0] = 0;
    }
    return CORE_OK;
}

/* Returns the first call that began an access to the file which is still pending; 0: unknown. */
static uint64_t pending_first(const struct files *files, int32_t number, const struct opened *file)
{
    uint64_t first = 0;

    CORE_CHECK(number >= 0 && file->pending);
    for (uint32_t i = 0; i < requests_count(&files->requests); i++) {
        const struct request *request = requests_at(&files->requests, i);
        if (request->own[0] == (uint32_t)number + 1 && request->own[1] == (uint32_t)file->seq &&
            (!first || request->begun < first))
            first = request->begun;
    }
    return first;
}

/* Tells whether the call ends a split access that was begun in this way. */
static bool ends_it(const struct trace_event *begun, const struct trace_event *event)
{
    const uint64_t how = TRAIT_BIT(AT_OFFSET) | TRAIT_BIT(ORDERED);
    return begun->verb == event->verb && (begun->traits & how) == (event->traits & how);
}

/* Reports calls that must wait until pending accesses end: closing the file, setting its view or
 * size, syncing it. While a split access is pending, the handle allows no other collective access
 * either. */
static void check_file_finish(struct files *files, const struct trace_event *event,
                              struct opened *file)
{
    bool begins = trait_in(event->traits, TRAIT_BEGINS), ends = trait_in(event->traits, TRAIT_ENDS),
         moves = event->verb == VERB_READ || event->verb == VERB_WRITE,
         settles = event->verb == VERB_CLOSE_FILE || event->verb == VERB_SET_VIEW ||
                   event->verb == VERB_SET_SIZE || event->verb == VERB_SYNC_FILE;

    if (file->split && !ends && moves && trait_in(event->traits, TRAIT_COLLECTIVE))
        check_file_wrong(files, event, file->begun.seq,
                         "a split access to the same file handle has not ended");
    if (file->split && ends && !ends_it(&file->begun, event)) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "the split access was begun by %s",
                 files->input->trace->call[file->begun.call].name);
        check_file_wrong(files, event, file->begun.seq, sentence);
    }
    if (!file->split && ends && !file->refused)
        check_file_wrong(files, event, 0, "no split access was begun");
    if (file->split && settles)
        check_file_wrong(files, event, file->begun.seq, "a split access to the file has not ended");
    if (file->pending && settles)
        check_file_wrong(files, event, pending_first(files, event->win, file),
                         "a non-blocking access to the file is not complete");
    file->refused = begins ? event->error != 0 : file->refused;
    if (event->error)
        return;
    file->split = begins || (file->split && !ends);
    if (begins)
        file->begun = *event;
}

/* --- collective calls ------------------------------------------------------------------------- */

static const struct {
    enum verb verb;
    const char *argument[VALUES_MAX];
} alike[] = {
    {VERB_SET_SIZE, {"size"}},
    {VERB_PREALLOCATE, {"size"}},
    {VERB_SEEK, {"offset", "whence"}},
    {VERB_SET_ATOMICITY, {"flag"}},
    {VERB_SET_VIEW, {"the extent of 'etype'", "datarep"}},
};

static const char *alike_name(const struct trace *trace, int32_t call, int which)
{
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (trace->call[call].verb == alike[i].verb)
            return alike[i].argument[which];
    return NULL;
}

/* Reduces the one text argument of a call to a number. */
static enum core_status text_number(const char *name, uint32_t index, int64_t value,
                                    const char *text, void *context)
{
    int64_t *number = context;

    (void)name;
    (void)index;
    (void)value;
    if (text)
        *number = (int64_t)XXH64(text, strlen(text), (uint64_t)*number);
    return CORE_OK;
}

static struct step step_of(struct trace *trace, const struct trace_event *event)
{
    struct step step = {.seq = event->seq, .call = event->call};
    const char *name;

    for (int i = 0; i < VALUES_MAX && (name = alike_name(trace, event->call, i)); i++)
        if (event->verb != VERB_SET_VIEW)
            step.value[i] = trace_arg_value(trace, event, name, 0);
        else if (event->datatype >= 0 && (uint32_t)event->datatype < trace->datatype_count)
            step.value[i] = trace->datatype[event->datatype].extent;
    if (event->verb == VERB_SET_VIEW) {
        step.value[1] = 0;
        trace_args_each(trace, event, text_number, &step.value[1]);
    }
    if (event->verb == VERB_SET_ATOMICITY)
        step.value[0] = step.value[0] != 0;
    int64_t filetype =
        event->verb == VERB_SET_VIEW ? trace_arg_value(trace, event, "filetype", -1) : -1;
    if (filetype >= 0 && filetype < (int64_t)trace->datatype_count) {
        step.view[0] = trace_arg_value(trace, event, "disp", 0);
        step.view[1] = trace->datatype[filetype].size;
        step.view[2] = trace->datatype[filetype].extent;
    }
    return step;
}

/* Marks the current view as used through the shared file pointer. */
static void check_file_share(struct opened *file, const struct trace_event *event)
{
    for (uint32_t s = file->steps; s-- > 0;)
        if (file->step[s].view[1]) {
            if (!file->step[s].shared_seq)
                file->step[s].shared_seq = event->seq;
            return;
        }
}

/* Returns the first view that two ranks set differently although one of them uses the shared file
 * pointer in it; `steps`: none. A negative displacement is MPI_DISPLACEMENT_CURRENT. */
static uint32_t view_differs(const struct opened *a, const struct opened *b, uint32_t steps)
{
    uint32_t s = 0;
    for (; s < steps; s++) {
        const struct step *x = &a->step[s], *y = &b->step[s];
        if ((x->shared_seq || y->shared_seq) && x->view[1] && y->view[1] && x->view[0] >= 0 &&
            y->view[0] >= 0 && memcmp(x->view, y->view, sizeof x->view) != 0)
            break;
    }
    return s;
}

/* Returns the first argument in which two ranks' calls differ; NULL: none. *out_at: index of the
 * call. */
static const char *step_differs(const struct trace *trace, const struct opened *a,
                                const struct opened *b, uint32_t steps, uint32_t *out_at)
{
    for (uint32_t s = 0; s < steps; s++)
        for (int i = 0; i < VALUES_MAX; i++)
            if (a->step[s].value[i] != b->step[s].value[i]) {
                *out_at = s;
                return alike_name(trace, a->step[s].call, i);
            }
    return NULL;
}

/* Says how a view's datatype breaks MPI's rules; NULL: it does not. Its displacements must not fall
 * or be negative, and its parts must not overlap if the file is opened for writing. */
static const char *check_file_misplaced(const struct trace *trace, int32_t id, bool written)
{
    const struct trace_datatype *type = &trace->datatype[id];
    int64_t last = INT64_MIN, end = INT64_MIN;
    bool negative = false, falls = false, overlaps = false;

    for (uint32_t i = 0; type->segment && i < type->segment_count; i++) {
        const struct spool_segment *segment = &type->segment[i];
        if (segment->basic >= trace->datatype_count || !segment->count)
            return NULL;
        const struct trace_datatype *basic = &trace->datatype[segment->basic];
        negative |= segment->displacement < 0;
        falls |= segment->displacement < last;
        overlaps |= segment->displacement < end;
        last = segment->displacement + (int64_t)(segment->count - 1) * basic->extent;
        end = last + basic->size > end ? last + basic->size : end;
    }
    return negative              ? "has negative displacements"
           : falls               ? "has displacements that fall"
           : overlaps && written ? "has parts that overlap, in a file that is opened for writing"
                                 : NULL;
}

/* Returns the smallest number n for which tile n of a view's datatype overlaps tile 0; 0: none, or
 * unknown. The datatype obeys check_file_misplaced. */
static uint32_t repetitions_overlap(const struct trace *trace, int32_t id)
{
    enum { WORK_MAX = 1 << 20 };
    const struct trace_datatype *type = &trace->datatype[id];
    const struct spool_segment *s = type->segment;
    uint32_t count = s ? type->segment_count : 0;
    int64_t step, end = INT64_MIN;

    if (type->extent < -FAR || type->extent > FAR)
        return 0;
    step = type->extent < 0 ? -type->extent : type->extent;
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_datatype *basic = &trace->datatype[s[i].basic];
        if (s[i].basic >= trace->datatype_count || !s[i].count || basic->size != basic->extent ||
            basic->size > INT16_MAX || s[i].displacement < -FAR || s[i].displacement > FAR)
            return 0;
        end = s[i].displacement + (int64_t)s[i].count * basic->size;
    }
    for (uint32_t k = 1; count && k < WORK_MAX / count; k++) {
        if (step >= (end - s[0].displacement + k - 1) / k)
            return 0;
        int64_t by = (int64_t)k * step;

        for (uint32_t a = 0, b = 0; a < count && b < count;) {
            int64_t a_end =
                        s[a].displacement + (int64_t)s[a].count * trace->datatype[s[a].basic].size,
                    b_end = by + s[b].displacement +
                            (int64_t)s[b].count * trace->datatype[s[b].basic].size;

            if (s[a].displacement < b_end && by + s[b].displacement < a_end)
                return k;
            if (a_end <= b_end)
                a++;
            else
                b++;
        }
    }
    return 0;
}

static void check_file_view(struct files *files, const struct trace_event *event,
                            struct opened *file)
{
    const struct trace *trace = files->input->trace;
    int32_t etype = event->datatype,
            filetype = (int32_t)trace_arg_value(files->input->trace, event, "filetype", -1);
    const char *a, *b;

    file->etype = etype;
    file->overlap = 0;
    if (etype < 0 || filetype < 0 || (uint32_t)etype >= trace->datatype_count ||
        (uint32_t)filetype >= trace->datatype_count)
        return;
    if ((trace->datatype[etype].size > 0 &&
         trace->datatype[filetype].size % trace->datatype[etype].size) ||
        types_compare(trace, etype, 1, filetype, 1, &a, &b) == TYPES_DIFFER)
        check_file_wrong(files, event, 0, "'filetype' is not made of 'etype'");
    for (int i = 0; i < 2; i++) {
        const char *what =
            check_file_misplaced(trace, i ? filetype : etype, !(file->amode & EVENT_AMODE_RDONLY));
        char sentence[128];
        snprintf(sentence, sizeof sentence, "'%s' %s", i ? "filetype" : "etype", what ? what : "");
        if (what && (!i || filetype != etype))
            check_file_wrong(files, event, 0, sentence);
        if (!what && i && trace->datatype[filetype].size > 0 && trace->datatype[etype].size > 0) {
            file->filetype = filetype;
            file->overlap = repetitions_overlap(trace, filetype);
            file->position = 0;
        }
    }
}

static enum core_status read_rank(struct files *files, uint32_t rank)
{
    struct trace *trace = files->input->trace;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    requests_clear(&files->requests);
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent)
            continue;
        status = requests_follow(&files->requests, &event, check_file_followed, files);
        if (status != CORE_OK)
            break;
        if (!trait_in(event.traits, TRAIT_FILE) || event.win < 0)
            continue;
        struct opened *file = opened_of(files, event.win, rank);
        if (!file)
            continue;
        if (event.verb == VERB_OPEN_FILE) {
            free(file->step); /* of an earlier file with the same number */
            *file =
                (struct opened){.amode = trace_arg_value(files->input->trace, &event, "amode", 0),
                                .etype = -1,
                                .seq = event.seq,
                                .known = true};
            continue;
        }
        if (trait_in(event.traits, TRAIT_COLLECTIVE)) {
            status = CORE_ARRAY_PUSH(file->step, file->steps, file->room, "files",
                                     step_of(trace, &event));
            if (status != CORE_OK)
                break;
        }
        if (!file->known)
            continue;
        if (event.traits & (TRAIT_BIT(SHARED_POINTER) | TRAIT_BIT(ORDERED)))
            check_file_share(file, &event);
        check_file_access(files, &event, file);
        check_file_finish(files, &event, file);
        if (event.verb == VERB_SET_VIEW)
            check_file_view(files, &event, file);
    }
    trace_cursor_close(cursor);
    return status;
}

static void check_file_compare(struct files *files, uint32_t at)
{
    const struct trace *trace = files->input->trace;
    CORE_CHECK(at < files->file_count);
    const struct opened *row = &files->opened[(size_t)at * trace->rank_count], *first = NULL;
    uint32_t first_rank = 0;

    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const struct opened *file = &row[rank];
        struct finding *finding = NULL;
        enum remedy remedy = REMEDY_OF_RULE;
        if (!file->known)
            continue;
        if (!first) {
            first = file;
            first_rank = rank;
            continue;
        }
        uint32_t both = first->steps < file->steps ? first->steps : file->steps, differ = 0;
        while (differ < both && first->step[differ].call == file->step[differ].call)
            differ++;
        uint32_t unlike = 0, views = view_differs(first, file, differ);
        const char *what = step_differs(trace, first, file, differ, &unlike);
        bool ended = trace->rank[first_rank].state == EVENT_RANK_FINISHED &&
                     trace->rank[rank].state == EVENT_RANK_FINISHED;
        if (first->amode != file->amode) {
            if ((finding = check_file_say(files, first_rank, first->seq)))
                finding_title(finding,
                              "MPI_File_open: 'amode' differs between ranks %" PRIu32
                              " and %" PRIu32,
                              first_rank, rank);
            if (finding)
                finding_core_add(finding, files->input->trace, rank, file->seq);
        } else if (what) {
            const char *quote = strchr(what, '\'') ? "" : "'";
            if ((finding = check_file_say(files, first_rank, first->step[unlike].seq)))
                finding_title(finding, "%s: %s%s%s differs between ranks %" PRIu32 " and %" PRIu32,
                              trace->call[first->step[unlike].call].name, quote, what, quote,
                              first_rank, rank);
            if (finding)
                finding_core_add(finding, files->input->trace, rank, file->step[unlike].seq);
        } else if (views < differ) {
            const struct step *step = &first->step[views], *other = &file->step[views];
            bool own = step->shared_seq != 0;
            uint32_t user = own ? first_rank : rank;
            uint64_t used = own ? step->shared_seq : other->shared_seq;
            if ((finding = check_file_say(files, first_rank, step->seq)))
                finding_title(finding,
                              "the shared file pointer is used in views that differ between ranks "
                              "%" PRIu32 " and %" PRIu32,
                              first_rank, rank);
            if (finding)
                finding_core_add(finding, files->input->trace, rank, other->seq);
            if (finding)
                finding_core_add(finding, files->input->trace, user, used);
        } else if (differ < both) {
            if ((finding = check_file_say(files, first_rank, first->step[differ].seq)))
                finding_title(finding,
                              "different collective calls on a file: rank %" PRIu32
                              " calls %s, rank %" PRIu32 " calls %s",
                              first_rank, trace->call[first->step[differ].call].name, rank,
                              trace->call[file->step[differ].call].name);
            if (finding)
                finding_core_add(finding, files->input->trace, rank, file->step[differ].seq);
            remedy = REMEDY_FILE_ALL;
        } else if (first->steps != file->steps && ended) {
            const struct opened *longer = first->steps > file->steps ? first : file;
            uint32_t there = longer == first ? first_rank : rank,
                     missing = longer == first ? rank : first_rank;
            CORE_CHECK(differ < longer->steps); /* the first call that the other rank lacks */
            if ((finding = check_file_say(files, there, longer->step[differ].seq)))
                finding_title(finding,
                              "not all ranks make a collective call on a file: rank %" PRIu32
                              " calls %s, rank %" PRIu32 " leaves it out",
                              there, trace->call[longer->step[differ].call].name, missing);
            remedy = REMEDY_FILE_ALL;
        }
        if (finding) {
            finding->remedy = remedy;
            finding->effect = FINDING_EFFECT_BLOCKS;
            return;
        }
    }
}

enum core_status check_file(const struct check_input *input, struct finding_list *list)
{
    struct files files = {.input = input,
                          .dedup = {.input = input, .list = list, .rule = RULE_FILE}};
    enum core_status status = CORE_OK;
    bool any = false, whole = true;

    for (uint32_t i = 0; i < input->trace->call_count && !any; i++)
        any = input->trace->call[i].verb == VERB_OPEN_FILE;
    for (uint32_t rank = 0; rank < input->trace->rank_count; rank++)
        whole &= !input->trace->rank[rank].lost;
    requests_init(&files.requests);
    for (uint32_t rank = 0; any && whole && rank < input->trace->rank_count && status == CORE_OK;
         rank++)
        status = read_rank(&files, rank);
    requests_done(&files.requests);
    for (uint32_t i = 0; i < files.file_count && status == CORE_OK; i++)
        check_file_compare(&files, i);
    for (size_t i = 0; i < files.room; i++)
        free(files.opened[i].step);
    free(files.opened);
    finding_dedup_done(&files.dedup);
    status = status == CORE_OK ? files.dedup.status : status;
    return status == CORE_OK && any && whole ? file_conflict_check(input, list) : status;
}

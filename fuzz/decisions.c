/* See decisions.h.
 *
 * State: one lane for each recorded rank, or one for this process if it is forced.
 * Invariants: 1. An outcome in a lane is a run of n results "not yet", written as -n; or the number
 * of completions with their indices (a probe: 1, source, tag); or NOTHING if there was nothing to
 * wait for.
 * 2. Nothing is forced after the recorded outcomes end.
 * 3. The names are weak: a program that wraps the same calls itself decides by itself. */
#include "fuzz/decisions.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 1 << 20, NOTHING = 1 << 20, KINDS = 5 };
enum kind { SENDS, SOURCES, OUTCOMES, PERSISTENT, LATE };
static const char *const kind_names[KINDS] = {"sends", "sources", "outcomes", "persistent", "late"};

struct list {
    int32_t *value;
    int count, room, at;
};

struct lane {
    struct list list[KINDS], number_of; /* number_of: place of a request among the sources */
    bool last_not_yet;
};

static enum { PASS, NOTE, FORCE } mode;
static struct lane *lanes;
static int lane_count;
static int (*lane_rank)(void);

#define WEAK __attribute__((weak))

static void decisions_add(struct list *list, int32_t value)
{
    if (list->count == LENGTH_MAX)
        return;
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 32;
        int32_t *grown = realloc(list->value, (size_t)room * sizeof *grown);
        if (!grown)
            return;
        list->value = grown;
        list->room = room;
    }
    list->value[list->count++] = value;
}

/* --- noting ----------------------------------------------------------------------------------- */

void decisions_note(int ranks, int (*rank)(void))
{
    lanes = calloc((size_t)ranks, sizeof *lanes);
    lane_count = lanes ? ranks : 0;
    lane_rank = rank;
    mode = lanes ? NOTE : PASS;
}

static struct lane *decisions_noted(int rank)
{
    return mode == NOTE && rank >= 0 && rank < lane_count ? &lanes[rank] : NULL;
}

void decisions_sent(int rank, bool buffered)
{
    struct lane *lane = decisions_noted(rank);
    if (lane)
        decisions_add(&lane->list[SENDS], buffered);
}

void decisions_started(int rank, bool buffered)
{
    struct lane *lane = decisions_noted(rank);
    if (lane && lane->list[PERSISTENT].count)
        lane->list[PERSISTENT].value[0] &= buffered;
    else if (lane)
        decisions_add(&lane->list[PERSISTENT], buffered);
}

void decisions_posted(int rank, int32_t request)
{
    struct lane *lane = decisions_noted(rank);
    if (!lane || request < 0)
        return;
    while (lane->number_of.count <= request && lane->number_of.count < LENGTH_MAX)
        decisions_add(&lane->number_of, -1);
    if (request < lane->number_of.count)
        lane->number_of.value[request] = lane->list[SOURCES].count;
    decisions_add(&lane->list[SOURCES], -1);
}

void decisions_matched(int rank, int32_t request, int world_source)
{
    struct lane *lane = decisions_noted(rank);
    if (!lane || request < 0 || request >= lane->number_of.count)
        return;
    int number = lane->number_of.value[request];
    if (number >= 0 && number < lane->list[SOURCES].count)
        lane->list[SOURCES].value[number] = world_source;
}

void decisions_late(int rank, int call)
{
    struct lane *lane = decisions_noted(rank);
    if (lane)
        decisions_add(&lane->list[LATE], call);
}

static void note_not_yet(void)
{
    struct lane *lane = decisions_noted(lane_rank());
    if (!lane)
        return;
    struct list *list = &lane->list[OUTCOMES];
    if (lane->last_not_yet && list->value[list->count - 1] > INT32_MIN)
        list->value[list->count - 1]--;
    else
        decisions_add(list, -1);
    lane->last_not_yet = list->count > 0;
}

static void note_outcome(int count, const int values[])
{
    struct lane *lane = decisions_noted(lane_rank());
    if (!lane)
        return;
    decisions_add(&lane->list[OUTCOMES], count == MPI_UNDEFINED ? NOTHING : count);
    for (int i = 0; values && i < count; i++)
        decisions_add(&lane->list[OUTCOMES], values[i]);
    lane->last_not_yet = false;
}

void decisions_print(FILE *out)
{
    fprintf(out, "crosswait decisions 1\n");
    for (int rank = 0; rank < lane_count; rank++)
        for (int kind = 0; kind < KINDS; kind++) {
            const struct list *list = &lanes[rank].list[kind];
            if (!list->count)
                continue;
            fprintf(out, "%d %s", rank, kind_names[kind]);
            for (int i = 0; i < list->count; i++)
                fprintf(out, " %d", (int)list->value[i]);
            fprintf(out, "\n");
        }
}

/* --- forcing ---------------------------------------------------------------------------------- */

/* Reads one line: "rank kind number...". */
static int force_line(FILE *in, int ranks, int world_rank)
{
    char word[16];
    int rank, value, kind = 0, got = fscanf(in, "%d %15s", &rank, word);
    if (got == EOF)
        return 1;
    while (got == 2 && kind < KINDS && strcmp(word, kind_names[kind]))
        kind++;
    if (got != 2 || kind == KINDS || rank < 0 || rank >= ranks)
        return -1;
    for (int c; (c = getc(in)) == ' ';) {
        if (fscanf(in, "%d", &value) != 1)
            return -1;
        if (rank == world_rank)
            decisions_add(&lanes->list[kind], value);
    }
    return 0;
}

int decisions_force(const char *path, int ranks, int world_rank)
{
    char title[32] = "";
    FILE *in = fopen(path, "r");
    int code = in && (lanes = calloc(1, sizeof *lanes)) && fgets(title, sizeof title, in) &&
                       !strcmp(title, "crosswait decisions 1\n")
                   ? 0
                   : -1;
    while (code == 0)
        code = force_line(in, ranks, world_rank);
    if (in)
        fclose(in);
    if (code < 0) {
        fprintf(stderr, "crosswait: '%s' holds no decisions for %d rank%s\n", path, ranks,
                ranks == 1 ? "" : "s");
        return -1;
    }
    mode = FORCE;
    return 0;
}

static bool decisions_left(enum kind kind, int count)
{
    return mode == FORCE && lanes->list[kind].count - lanes->list[kind].at >= count;
}

static int decisions_next(enum kind kind)
{
    return decisions_left(kind, 1) ? lanes->list[kind].value[lanes->list[kind].at++] : -1;
}

int decisions_next_send(void)
{
    return decisions_next(SENDS);
}

int decisions_next_source(void)
{
    return decisions_next(SOURCES);
}

int decisions_persistent(void)
{
    return decisions_left(PERSISTENT, 1) ? lanes->list[PERSISTENT].value[0] : -1;
}

bool decisions_is_late(int call)
{
    for (int i = 0; mode == FORCE && i < lanes->list[LATE].count; i++)
        if (lanes->list[LATE].value[i] == call)
            return true;
    return false;
}

/* Takes the next forced outcome: *out_count completions, 0 for "not yet". False: nothing is forced,
 * or there was nothing to wait for. */
static bool decisions_forced(int *out_count)
{
    struct list *list = mode == FORCE ? &lanes->list[OUTCOMES] : NULL;
    if (!list || !decisions_left(OUTCOMES, 1))
        return false;
    int32_t *value = &list->value[list->at];
    if (*value < 0) {
        if (++*value == 0)
            list->at++;
        *out_count = 0;
        return true;
    }
    list->at++;
    *out_count = *value;
    return *value != NOTHING;
}

/* --- the calls -------------------------------------------------------------------------------- */

static void note_flag(int code, int flag)
{
    if (mode != NOTE || code)
        return;
    if (flag)
        note_outcome(1, NULL);
    else
        note_not_yet();
}

WEAK int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int count;
    if (decisions_forced(&count)) {
        *flag = count;
        return count ? PMPI_Wait(request, status) : MPI_SUCCESS;
    }
    int code = PMPI_Test(request, flag, status);
    note_flag(code, *flag);
    return code;
}

WEAK int MPI_Testall(int n, MPI_Request request[], int *flag, MPI_Status status[])
{
    int count;
    if (decisions_forced(&count)) {
        *flag = count;
        return count ? PMPI_Waitall(n, request, status) : MPI_SUCCESS;
    }
    int code = PMPI_Testall(n, request, flag, status);
    note_flag(code, *flag);
    return code;
}

WEAK int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    int count, code = MPI_SUCCESS;
    if (decisions_forced(&count)) {
        for (*flag = 0; count && !*flag && !code;)
            code = PMPI_Request_get_status(request, flag, status);
        return code;
    }
    code = PMPI_Request_get_status(request, flag, status);
    note_flag(code, *flag);
    return code;
}

/* Waits for the requests whose indices are recorded next. */
static int wait_forced(int count, MPI_Request request[], int indices[], MPI_Status status[])
{
    int failed = MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        indices[i] = decisions_next(OUTCOMES);
        int code = PMPI_Wait(&request[indices[i]], status ? &status[i] : MPI_STATUS_IGNORE);
        failed = code ? code : failed;
    }
    return failed;
}

WEAK int MPI_Testany(int n, MPI_Request request[], int *index, int *flag, MPI_Status *status)
{
    int count;
    if (decisions_forced(&count)) {
        *flag = count;
        *index = MPI_UNDEFINED;
        return wait_forced(count, request, index, status);
    }
    int code = PMPI_Testany(n, request, index, flag, status);
    if (mode == NOTE && !code && !*flag)
        note_not_yet();
    else if (mode == NOTE && !code)
        note_outcome(*index == MPI_UNDEFINED ? MPI_UNDEFINED : 1, index);
    return code;
}

WEAK int MPI_Waitany(int n, MPI_Request request[], int *index, MPI_Status *status)
{
    int count;
    if (decisions_forced(&count))
        return wait_forced(count, request, index, status);
    int code = PMPI_Waitany(n, request, index, status);
    if (mode == NOTE && !code)
        note_outcome(*index == MPI_UNDEFINED ? MPI_UNDEFINED : 1, index);
    return code;
}

WEAK int MPI_Testsome(int n, MPI_Request request[], int *outcount, int indices[],
                      MPI_Status status[])
{
    int count;
    if (decisions_forced(&count)) {
        *outcount = count;
        return wait_forced(count, request, indices, status);
    }
    int code = PMPI_Testsome(n, request, outcount, indices, status);
    if (mode == NOTE && !code && *outcount == 0)
        note_not_yet();
    else if (mode == NOTE && !code)
        note_outcome(*outcount, indices);
    return code;
}

WEAK int MPI_Waitsome(int n, MPI_Request request[], int *outcount, int indices[],
                      MPI_Status status[])
{
    int count;
    if (decisions_forced(&count)) {
        *outcount = count;
        return wait_forced(count, request, indices, status);
    }
    int code = PMPI_Waitsome(n, request, outcount, indices, status);
    if (mode == NOTE && !code)
        note_outcome(*outcount, indices);
    return code;
}

static void note_probe(int code, int flag, const MPI_Status *status)
{
    if (mode != NOTE || code)
        return;
    if (!flag) {
        note_not_yet();
        return;
    }
    note_outcome(1, &status->MPI_SOURCE);
    decisions_add(&lanes[lane_rank()].list[OUTCOMES], status->MPI_TAG);
}

WEAK int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    int count;
    if (decisions_forced(&count)) {
        source = decisions_next(OUTCOMES);
        tag = decisions_next(OUTCOMES);
    }
    int code = PMPI_Probe(source, tag, comm, &own);
    note_probe(code, 1, &own);
    if (status != MPI_STATUS_IGNORE)
        *status = own;
    return code;
}

WEAK int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    MPI_Status own;
    int count, code;
    if (decisions_forced(&count)) {
        if (!(*flag = count))
            return MPI_SUCCESS;
        source = decisions_next(OUTCOMES);
        tag = decisions_next(OUTCOMES);
        return PMPI_Probe(source, tag, comm, status);
    }
    code = PMPI_Iprobe(source, tag, comm, flag, &own);
    note_probe(code, *flag, &own);
    if (*flag && status != MPI_STATUS_IGNORE)
        *status = own;
    return code;
}

WEAK int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own;
    int count;
    if (decisions_forced(&count)) {
        source = decisions_next(OUTCOMES);
        tag = decisions_next(OUTCOMES);
    }
    int code = PMPI_Mprobe(source, tag, comm, message, &own);
    note_probe(code, 1, &own);
    if (status != MPI_STATUS_IGNORE)
        *status = own;
    return code;
}

WEAK int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                     MPI_Status *status)
{
    MPI_Status own;
    int count, code;
    if (decisions_forced(&count)) {
        *message = MPI_MESSAGE_NULL;
        if (!(*flag = count))
            return MPI_SUCCESS;
        source = decisions_next(OUTCOMES);
        tag = decisions_next(OUTCOMES);
        return PMPI_Mprobe(source, tag, comm, message, status);
    }
    code = PMPI_Improbe(source, tag, comm, flag, message, &own);
    note_probe(code, *flag, &own);
    if (*flag && status != MPI_STATUS_IGNORE)
        *status = own;
    return code;
}

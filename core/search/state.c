/* See the header. */
#include "core/search/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/output.h"

static enum core_status state_unwritten(const char *path)
{
    return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
}

static enum core_status state_put(const struct search_state *state, const char *beside,
                                  search_state_write_fn write, const void *context)
{
    FILE *file = core_output_open(beside);
    if (!file)
        return state_unwritten(beside);
    fprintf(file, "%s %d %" PRIx64 "\n", state->kind, state->version, state->question);
    write(context, file);
    fprintf(file, "end\n");
    bool bad = ferror(file);
    if (fclose(file) == 0 && !bad && rename(beside, state->path) == 0)
        return CORE_OK;
    enum core_status status = state_unwritten(state->path);
    unlink(beside);
    return status;
}

enum core_status search_state_write(const struct search_state *state, search_state_write_fn write,
                                    const void *context)
{
    char *beside = NULL;
    CORE_CHECK(state->path && !strchr(state->kind, ' '));
    if (asprintf(&beside, "%s.new", state->path) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for the state of the search");
    enum core_status status = state_put(state, beside, write, context);
    free(beside);
    return status;
}

static bool state_ends(FILE *file)
{
    char end[8];
    return fscanf(file, " %7s", end) == 1 && !strcmp(end, "end");
}

static enum core_status state_get(const struct search_state *state, FILE *file,
                                  search_state_read_fn read, void *context)
{
    const char *path = state->path;
    char kind[40];
    int version;
    uint64_t question;
    if (fscanf(file, "%39s %d %" SCNx64, kind, &version, &question) != 3 ||
        strcmp(kind, state->kind))
        return core_report(CORE_BAD_FORMAT, "'%s' is not the state of an exploration", path);
    if (version != state->version)
        return core_report(CORE_BAD_VERSION, "'%s' is of another version; remove it", path);
    if (question != state->question)
        return core_report(CORE_BAD_INPUT,
                           "'%s' belongs to another command; remove it, or name another file",
                           path);
    if (!read(context, file) || !state_ends(file))
        return core_report(CORE_BAD_FORMAT, "'%s' is damaged; remove it", path);
    return CORE_OK;
}

enum core_status search_state_read(const struct search_state *state, search_state_read_fn read,
                                   void *context, bool *out_resumed)
{
    CORE_CHECK(state->path);
    *out_resumed = false;
    FILE *file = fopen(state->path, "r");
    if (!file)
        return errno == ENOENT
                   ? CORE_OK
                   : core_report(CORE_IO, "cannot read '%s': %s", state->path, strerror(errno));
    enum core_status status = state_get(state, file, read, context);
    fclose(file);
    *out_resumed = status == CORE_OK;
    return status;
}

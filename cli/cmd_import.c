/* crosswait import: makes a trace from another tool's archive. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/options.h"
#include "core/trace/describe.h"
#include "core/trace/trace.h"
#include "foreign/import.h"
#include "store/store.h"

static const struct options_spec spec[] = {
    {"output", 'o', "FILE", "write the trace to FILE (default crosswait.db)"},
    {0},
};

static const struct options_command command = {
    .name = "import",
    .usage = "crosswait import ARCHIVE [-o T.db]",
    .about = "Makes a trace of an OTF2 archive, which Score-P, TAU, EZTrace and others write. "
             "ARCHIVE is its anchor file (traces.otf2), or the folder that holds it. check, "
             "replay, report "
             "and diff then work on the trace as far as the archive allows: it holds no buffers "
             "and no datatypes, and of each receive only the message that it got, not the source "
             "and tag that it named.",
    .spec = spec,
    .more = "Says what the archive lacks. Exit status: 0 done, 2 usage, 3 no trace could be made.",
    .example = "crosswait import scorep-20260301/traces.otf2 -o T.db\ncrosswait check T.db",
};

enum { NOTES_BYTES = 4096 };

static void note_add(char *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note_add(char *notes, const char *format, ...)
{
    size_t used = strlen(notes);
    va_list list;

    va_start(list, format);
    if (used && used + 1 < NOTES_BYTES)
        notes[used++] = '\n';
    vsnprintf(notes + used, NOTES_BYTES - used, format, list);
    va_end(list);
}

/* Writes the limits of the archive, one a line. */
static void lacks_write(const struct import_summary *summary, char notes[NOTES_BYTES])
{
    char number[32];

    notes[0] = 0;
    note_add(notes, "imported from an OTF2 archive of %s",
             *summary->creator ? summary->creator : "another tool");
    note_add(notes, "%s", DESCRIBE_IMPORTED);
    note_add(notes, "sizes are in bytes: the archive holds no datatypes, and no sizes and "
                    "operations of collectives");
    if (summary->left_out)
        note_add(notes, "%s call%s left out, as the archive lacks what they are about: %s",
                 describe_number(summary->left_out, number, sizeof number),
                 summary->left_out == 1 ? " is" : "s are", summary->left_out_names);
    if (summary->unposted)
        note_add(notes,
                 "%s receive%s shown just before the call that completed %s: the archive "
                 "does not say when it was posted",
                 describe_number(summary->unposted, number, sizeof number),
                 summary->unposted == 1 ? " is" : "s are", summary->unposted == 1 ? "it" : "each");
    if (summary->polls)
        note_add(notes, "%s test%s that found nothing %s left out",
                 describe_number(summary->polls, number, sizeof number),
                 summary->polls == 1 ? "" : "s", summary->polls == 1 ? "is" : "are");
    if (summary->unjudged)
        note_add(notes, "%s call%s shown but not checked (one-sided, files, communicators)",
                 describe_number(summary->unjudged, number, sizeof number),
                 summary->unjudged == 1 ? " is" : "s are");
    if (summary->comms_differ)
        note_add(notes, "the archive has one communicator per rank where MPI has one in all: calls "
                        "on it cannot be compared");
    if (summary->comms_hidden)
        note_add(notes, "the archive has no communicator but MPI_COMM_WORLD, and the program made "
                        "others: messages of different communicators cannot be told apart");
    if (!summary->ends_known)
        note_add(notes, "not every rank's MPI_Finalize is in the archive");
}

/* Adds the notes to those of the store. */
static enum core_status notes_keep(const char *path, const struct import_summary *summary,
                                   const char *notes)
{
    struct trace trace;
    enum core_status status = trace_open(path, TRACE_WRITE, &trace);
    const char *before;
    uint64_t calls = 0;
    char *all;

    if (status != CORE_OK)
        return status;
    for (uint32_t rank = 0; rank < trace.rank_count; rank++)
        calls += trace.rank[rank].events;
    if (calls != summary->calls) {
        trace_close(&trace);
        return core_report(CORE_BAD_FORMAT,
                           "the trace '%s' has %" PRIu64 " calls of the %" PRIu64
                           " that were imported, which is a mistake of crosswait",
                           path, calls, summary->calls);
    }
    before = trace_meta(&trace, "notes");
    if (asprintf(&all, "%s%s%s", notes, before && *before ? "\n" : "", before ? before : "") < 0)
        status = core_report(CORE_NO_MEMORY, "out of memory");
    if (status == CORE_OK) {
        status = trace_meta_put(&trace, "notes", all);
        free(all);
    }
    if (status == CORE_OK)
        status = trace_meta_put(&trace, "imported",
                                *summary->creator ? summary->creator : "another tool");
    trace_close(&trace);
    return status;
}

static enum core_status import_do(const char *archive, const char *output)
{
    struct import_summary summary;
    char notes[NOTES_BYTES], number[32];
    struct store_options options = {.exit_code = -1, .times_all = true};
    struct folder folder;
    enum core_status status = folder_make(&folder);

    if (status != CORE_OK)
        return status;
    status = import_otf2(archive, folder.path, &summary);
    if (status == CORE_OK)
        status = store_write(folder.path, output, &options);
    folder_done(&folder);
    if (status != CORE_OK)
        return status;
    lacks_write(&summary, notes);
    status = notes_keep(output, &summary, notes);
    if (status != CORE_OK)
        return status;
    printf("%s: %" PRIu32 " rank%s, %s call%s\n", output, summary.ranks,
           summary.ranks == 1 ? "" : "s", describe_number(summary.calls, number, sizeof number),
           summary.calls == 1 ? "" : "s");
    for (const char *at = notes; *at;) {
        int length = (int)strcspn(at, "\n");
        printf("  note: %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    return CORE_OK;
}

int cmd_import(int argc, char **argv)
{
    const char *output;
    struct options o;
    int which = options_read_one(&o, &command, argc, argv, "archive", &output);

    if (which != OPTIONS_END)
        return which;
    return cli_exit_of(import_do(o.operand[0], output ? output : "crosswait.db"));
}

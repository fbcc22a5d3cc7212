/* Writes the comparison of two runs for a terminal and for scripts, and checks a CI system's
 * limits. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/trace/describe.h"
#include "reports/diff.h"

enum { ROWS_SHOWN_MAX = 20, THOUSAND = 1000 };

const char *diff_change(uint64_t before, uint64_t after, char *buffer, size_t buffer_bytes)
{
    if (before == after)
        return "";
    if (!before)
        return "new";
    double percent = 100.0 * ((double)after / (double)before - 1);
    char number[32];
    if (percent < THOUSAND)
        snprintf(buffer, buffer_bytes, "%+.3g %%", percent);
    else
        snprintf(buffer, buffer_bytes, "+%s %%",
                 describe_number((uint64_t)percent, number, sizeof number));
    return buffer;
}

static const char *report_diff_grouped(uint64_t number, char *buffer, size_t buffer_bytes)
{
    describe_bytes(number, buffer, buffer_bytes);
    *strchr(buffer, ' ') = 0; /* cuts the unit of "1,024 bytes" */
    return buffer;
}

const char *diff_value(uint64_t value, bool time, char *buffer, size_t buffer_bytes)
{
    return time ? report_why_time(value, buffer, buffer_bytes)
                : report_diff_grouped(value, buffer, buffer_bytes);
}

uint64_t diff_calls(const struct diff_row *row, int side)
{
    return row->per_call && row->value[side][0] ? row->value[side][0] : 1;
}

/* --- limits ----------------------------------------------------------------------------------- */

static bool report_diff_passes(uint64_t before, uint64_t after, double percent)
{
    return (double)after > (double)before * (1 + percent / 100);
}

static bool rows_pass(const struct diff *diff, enum diff_total total, double percent, FILE *file)
{
    int value = total == DIFF_ROUNDS ? 1 : 2;
    bool passed = false;
    char text[64];

    for (uint32_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->row[i];
        uint64_t before = row->value[0][value] * diff_calls(row, 1),
                 after = row->value[1][value] * diff_calls(row, 0);
        if (row->section != DIFF_COLLECTIVE || !row->in[0] || !row->in[1] ||
            !report_diff_passes(before, after, percent))
            continue;
        fprintf(file, "failed: %s of %s: %s%s\n", diff_total_text(total), row->what,
                diff_change(before, after, text, sizeof text), row->per_call ? " a call" : "");
        passed = true;
    }
    return passed;
}

static bool total_passes(const struct diff *diff, enum diff_total total, double percent, FILE *file)
{
    uint64_t before = diff->total[0][total], after = diff->total[1][total];
    char text[64];

    if (total == DIFF_ROUNDS || total == DIFF_WORDS)
        return rows_pass(diff, total, percent, file);
    if (!report_diff_passes(before, after, percent))
        return false;
    fprintf(file, "failed: %s: %s\n", diff_total_text(total),
            diff_change(before, after, text, sizeof text));
    return true;
}

static bool algorithms_pass(const struct diff *diff, FILE *file)
{
    bool passed = false;

    for (uint32_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->row[i];
        const char *a = row->algorithm[0] ? row->algorithm[0] : "none of the model",
                   *b = row->algorithm[1] ? row->algorithm[1] : "none of the model";
        if (row->section != DIFF_COLLECTIVE || !row->in[0] || !row->in[1] || !strcmp(a, b))
            continue;
        fprintf(file, "failed: algorithm of %s: %s, was %s\n", row->what, b, a);
        passed = true;
    }
    return passed;
}

static bool findings_pass(const struct diff *diff, FILE *file)
{
    bool passed = false;

    for (uint32_t i = 0; i < diff->finding_count; i++) {
        const struct finding *finding = diff->finding[i].entry->finding;
        if (diff->finding[i].gone || finding->severity == FINDING_NOTE)
            continue;
        fprintf(file, "failed: a new finding: %s: %s\n", finding->rule->id, finding_says(finding));
        passed = true;
    }
    return passed;
}

static enum core_status report_diff_wrong(const char *word, size_t bytes)
{
    return core_report(CORE_BAD_INPUT,
                       "'%.*s' is not a limit; there are calls, messages, bytes, rounds, words and "
                       "waiting with '>N%%', algorithm, new-findings",
                       (int)bytes, word);
}

/* Tells whether the rounds and words of some messages are unknown. */
static bool lacks_messages(const struct diff *diff, enum diff_total total)
{
    return (total == DIFF_ROUNDS || total == DIFF_WORDS) &&
           (diff->is_long || diff->comms_left_out > 0);
}

static enum core_status report_diff_limit(const struct diff *diff, const char *word, size_t bytes,
                                          FILE *file, bool *out_passed, bool *out_undecided)
{
    static const char new_findings[] = "new-findings", algorithm[] = "algorithm";

    *out_passed = *out_undecided = false;
    if (bytes == strlen(new_findings) && !memcmp(word, new_findings, bytes)) {
        *out_passed = file && findings_pass(diff, file);
        return CORE_OK;
    }
    if (bytes == strlen(algorithm) && !memcmp(word, algorithm, bytes)) {
        *out_passed = file && algorithms_pass(diff, file);
        return CORE_OK;
    }
    for (int total = 0; total < DIFF_TOTAL_COUNT; total++) {
        const char *name = diff_total_text((enum diff_total)total);
        size_t length = strlen(name);
        char *end;
        if (bytes < length + 2 || memcmp(word, name, length) != 0 || word[length] != '>')
            continue;
        double percent = strtod(word + length + 1, &end);
        if (end == word + length + 1 || percent < 0 || *end != '%' || end + 1 != word + bytes)
            return report_diff_wrong(word, bytes);
        *out_passed = file && total_passes(diff, (enum diff_total)total, percent, file);
        *out_undecided = file && !*out_passed && lacks_messages(diff, (enum diff_total)total);
        return CORE_OK;
    }
    return report_diff_wrong(word, bytes);
}

enum core_status diff_limits(const struct diff *diff, const char *limits, FILE *file,
                             bool *out_failed, bool *out_undecided)
{
    enum core_status status = CORE_OK;

    *out_failed = *out_undecided = false;
    for (const char *word = limits; *word && status == CORE_OK;) {
        size_t bytes = strcspn(word, ",");
        bool passed = false, undecided = false;
        status = report_diff_limit(diff, word, bytes, file, &passed, &undecided);
        *out_failed |= passed;
        *out_undecided |= undecided;
        word += bytes + (word[bytes] == ',');
    }
    return status;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_totals(const struct diff *diff, FILE *file)
{
    char a[64], b[64], text[64];

    fprintf(file, "%-14s %18s %18s\n", "", "before", "after");
    for (int total = 0; total < DIFF_TOTAL_COUNT; total++) {
        uint64_t before = diff->total[0][total], after = diff->total[1][total];
        if (!before && !after)
            continue;
        bool time = total == DIFF_WAITING;
        const char *change = diff_change(before, after, text, sizeof text);
        fprintf(file, "%-14s %18s %18s%s%s\n",
                total == DIFF_WORDS ? "words in bytes" : diff_total_text((enum diff_total)total),
                diff_value(before, time, a, sizeof a), diff_value(after, time, b, sizeof b),
                *change ? "   " : "", change);
    }
}

static void print_pair(const char *what, uint64_t before, uint64_t after, bool first, FILE *file)
{
    char a[64], b[64], text[64];

    if (before != after)
        fprintf(file, "%s%s %s -> %s (%s)", first ? "" : ", ", what,
                report_diff_grouped(before, a, sizeof a), report_diff_grouped(after, b, sizeof b),
                diff_change(before, after, text, sizeof text));
}

static void print_collective(const struct diff_row *row, FILE *file)
{
    static const char *const name[] = {NULL, "rounds", "words in bytes"};
    const char *a = row->algorithm[0] ? row->algorithm[0] : "none of the model",
               *b = row->algorithm[1] ? row->algorithm[1] : "none of the model";
    bool first = strcmp(a, b) == 0;

    if (!first)
        fprintf(file, "algorithm %s -> %s", a, b);
    for (int v = 1; v < DIFF_VALUES; v++) {
        uint64_t before = row->value[0][v] / diff_calls(row, 0),
                 after = row->value[1][v] / diff_calls(row, 1);
        print_pair(name[v], before, after, first, file);
        first &= before == after;
    }
    print_pair(row->per_call ? "calls" : "messages", row->value[0][0], row->value[1][0], first,
               file);
}

static void print_row(const struct diff_row *row, FILE *file)
{
    char a[32], b[32];

    fprintf(file, "  %s: ", row->what);
    if (!row->in[0] || !row->in[1]) {
        fprintf(file, "%s\n", row->in[1] ? "new" : "gone");
        return;
    }
    switch (row->section) {
    case DIFF_PLACE:
        print_pair("calls", row->value[0][0], row->value[1][0], true, file);
        print_pair("bytes", row->value[0][1], row->value[1][1],
                   row->value[0][0] == row->value[1][0], file);
        break;
    case DIFF_COLLECTIVE:
        print_collective(row, file);
        break;
    default:
        fprintf(file, "%s -> %s", report_why_time(row->value[0][0], a, sizeof a),
                report_why_time(row->value[1][0], b, sizeof b));
    }
    fputc('\n', file);
}

bool diff_worth(const struct diff *diff, const struct diff_row *row)
{
    enum { SHARE = 100 };
    uint64_t a = row->value[0][0], b = row->value[1][0], most = a > b ? a : b,
             apart = a > b ? a - b : b - a;

    return row->section != DIFF_WAIT ||
           (apart * 5 >= most && apart * SHARE >= diff->side[1]->why.elapsed_ns);
}

static void print_rows(const struct diff *diff, enum diff_section section, FILE *file)
{
    static const char *const title[] = {[DIFF_PLACE] = "calls whose number or bytes changed",
                                        [DIFF_COLLECTIVE] = "collectives that cost something else",
                                        [DIFF_WAIT] = "waiting that changed"};
    uint32_t shown = 0, more = 0;

    for (uint32_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->row[i];
        if (row->section != section || !diff_worth(diff, row))
            continue;
        if (!shown)
            fprintf(file, "%s:\n", title[section]);
        if (shown == ROWS_SHOWN_MAX) {
            more++;
            continue;
        }
        shown++;
        print_row(row, file);
    }
    if (more)
        fprintf(file, "  and %" PRIu32 " more (--format=json has all)\n", more);
}

static void print_findings(const struct diff *diff, bool gone, FILE *file)
{
    bool any = false;

    for (uint32_t i = 0; i < diff->finding_count; i++) {
        const struct finding *finding = diff->finding[i].entry->finding;
        if (diff->finding[i].gone != gone)
            continue;
        if (!any)
            fprintf(file, gone ? "findings that are gone:\n" : "new findings:\n");
        any = true;
        fprintf(file, "  %s[%s]: %s\n", finding_severity_text(finding->severity), finding->rule->id,
                finding_says(finding));
    }
}

static enum core_status print_parts(const struct diff_part *part, uint32_t count, const char *title,
                                    const char *what, FILE *file)
{
    enum core_status status = CORE_OK;
    uint32_t told = 0;

    if (count)
        fprintf(file, "%s:\n", title);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        char *ranks;
        status = diff_part_ranks(part, count, i, &ranks);
        if (!ranks)
            continue;
        if (told++ >= ROWS_SHOWN_MAX) {
            free(ranks);
            continue;
        }
        fprintf(file, "  %s, from %s %" PRIu64 " on: %s, was %s\n", ranks, what, part[i].number,
                part[i].what[1] ? part[i].what[1] : "no more",
                part[i].what[0] ? part[i].what[0] : "none");
        free(ranks);
    }
    if (told > ROWS_SHOWN_MAX)
        fprintf(file, "  and %" PRIu32 " more (--format=json has all)\n", told - ROWS_SHOWN_MAX);
    return status;
}

char *diff_scope(const struct diff *diff, int side)
{
    const struct report_facts *facts = diff->side[side];
    const uint32_t ranks = facts->trace->rank_count,
                   open = ranks - facts->ranks_in_state[EVENT_RANK_FINISHED];
    char lost[512], some[64] = "", *text = NULL;

    if (report_is_whole(facts))
        return NULL;
    report_lost(facts, lost, sizeof lost);
    if (open)
        snprintf(some, sizeof some, "%s%" PRIu32 " rank%s did not finish", *lost ? "; " : "", open,
                 open == 1 ? "" : "s");
    if (asprintf(&text, "%s: compared as far as it was recorded: %s%s", side ? "after" : "before",
                 lost, some) < 0)
        text = NULL;
    return text;
}

enum core_status diff_text(const struct diff *diff, FILE *file)
{
    const struct trace *a = diff->side[0]->trace, *b = diff->side[1]->trace;

    fprintf(file, "before: %s, after: %s\n", a->path, b->path);
    for (int side = 0; side < 2; side++) {
        char *scope = diff_scope(diff, side);
        if (scope)
            fprintf(file, "%s\n", scope);
        free(scope);
    }
    print_totals(diff, file);
    for (int section = DIFF_SECTION_COUNT; section-- > 0;)
        if (section != DIFF_PLACE)
            print_rows(diff, (enum diff_section)section, file);
    print_rows(diff, DIFF_PLACE, file);
    print_findings(diff, false, file);
    print_findings(diff, true, file);
    if (diff->comms_left_out)
        fprintf(file,
                "messages on %" PRIu32 " more communicators are neither compared nor in the "
                "totals\n",
                diff->comms_left_out);
    if (diff->is_long)
        fputs("a run is so long that the rounds and words of its messages are neither compared nor "
              "in the totals\n",
              file);
    if (a->rank_count != b->rank_count)
        fprintf(file,
                "%" PRIu32 " ranks before, %" PRIu32
                " after: the calls of single ranks are not compared\n",
                a->rank_count, b->rank_count);
    enum core_status status = print_parts(diff->sequence, diff->sequence_count,
                                          "ranks that make other calls", "call", file);
    if (status == CORE_OK)
        status = print_parts(diff->order, diff->order_count, "messages in another order", "receive",
                             file);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void set_text(json_t *object, const char *key, const char *text)
{
    char *copy = text ? core_text_utf8(text) : NULL;

    json_object_set_new(object, key, copy ? json_string(copy) : json_null());
    free(copy);
}

static json_t *report_diff_pair(uint64_t before, uint64_t after)
{
    return json_pack("[I, I]", (json_int_t)before, (json_int_t)after);
}

static json_t *rows_json(const struct diff *diff, enum diff_section section)
{
    static const char *const name[][DIFF_VALUES] = {
        [DIFF_PLACE] = {"calls", "bytes"},
        [DIFF_COLLECTIVE] = {"calls", "rounds", "words_bytes"},
        [DIFF_WAIT] = {"ns"}};
    json_t *array = json_array();

    for (uint32_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->row[i];
        if (row->section != section)
            continue;
        json_t *object = json_object();
        set_text(object, "what", row->what);
        json_object_set_new(object, "in", json_pack("[b, b]", (int)row->in[0], (int)row->in[1]));
        for (int v = 0; v < DIFF_VALUES && name[section][v]; v++)
            json_object_set_new(object, name[section][v],
                                report_diff_pair(row->value[0][v], row->value[1][v]));
        if (section == DIFF_COLLECTIVE) {
            set_text(object, "algorithm_before", row->algorithm[0]);
            set_text(object, "algorithm_after", row->algorithm[1]);
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *findings_json(const struct diff *diff, bool gone)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < diff->finding_count; i++) {
        char *text =
            diff->finding[i].gone == gone ? finding_json(diff->finding[i].entry->finding) : NULL;
        if (text)
            json_array_append_new(array, json_loads(text, 0, NULL));
        free(text);
    }
    return array;
}

static json_t *parts_json(const struct diff_part *part, uint32_t count)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count; i++) {
        json_t *object = json_pack("{s:I, s:I}", "rank", (json_int_t)part[i].rank, "number",
                                   (json_int_t)part[i].number);
        set_text(object, "before", part[i].what[0]);
        set_text(object, "after", part[i].what[1]);
        json_array_append_new(array, object);
    }
    return array;
}

enum core_status diff_json(const struct diff *diff, const char *failed, FILE *file)
{
    json_t *root = json_object(), *totals = json_object();
    enum core_status status = CORE_OK;

    json_object_set_new(root, "format", json_string("crosswait-diff-1"));
    set_text(root, "before", diff->side[0]->trace->path);
    set_text(root, "after", diff->side[1]->trace->path);
    for (int total = 0; total < DIFF_TOTAL_COUNT; total++)
        json_object_set_new(totals, diff_total_text((enum diff_total)total),
                            report_diff_pair(diff->total[0][total], diff->total[1][total]));
    json_object_set_new(root, "recorded_whole",
                        json_pack("[b, b]", (int)report_is_whole(diff->side[0]),
                                  (int)report_is_whole(diff->side[1])));
    json_object_set_new(root, "totals", totals);
    json_object_set_new(root, "communicators_left_out",
                        json_integer((json_int_t)diff->comms_left_out));
    json_object_set_new(root, "messages_left_out", json_boolean(diff->is_long));
    json_object_set_new(root, "collectives", rows_json(diff, DIFF_COLLECTIVE));
    json_object_set_new(root, "places", rows_json(diff, DIFF_PLACE));
    json_object_set_new(root, "waiting", rows_json(diff, DIFF_WAIT));
    json_object_set_new(root, "new_findings", findings_json(diff, false));
    json_object_set_new(root, "gone_findings", findings_json(diff, true));
    json_object_set_new(root, "other_calls", parts_json(diff->sequence, diff->sequence_count));
    json_object_set_new(root, "other_order", parts_json(diff->order, diff->order_count));
    set_text(root, "failed", failed);
    if (json_dumpf(root, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 && !ferror(file))
        status = core_report(CORE_NO_MEMORY, "out of memory for the comparison");
    fputc('\n', file);
    json_decref(root);
    return status;
}

/* Writes the remedies that were tried and move a line of the source as a unified diff, for
 * `patch -p1`.
 *
 * The move was tried in the recorded calls, which show no variables. So the text decides whether
 * the line may move.
 *
 * Invariants
 *  1. A line is moved only past statements of the same block that each make one MPI call; a line
 *     that completes an operation, also past assignments that call nothing.
 *  2. No such statement names the moved call's buffer or request, or a further variable that it may
 *     change. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "reports/report.h"
#include "reports/source.h"

enum { CONTEXT_LINES = 3, ARGUMENTS_MAX = 16 };

struct line { /* of a file, without its end */
    const char *text;
    size_t bytes;
};
struct lines {
    struct line *line;
    uint32_t count, room;
};
struct argument {
    const char *text;
    size_t bytes;
};

static enum core_status lines_of(const char *text, struct lines *out)
{
    enum core_status status = CORE_OK;

    *out = (struct lines){0};
    while (*text && status == CORE_OK) {
        struct line line = {text, strcspn(text, "\n")};
        status = CORE_ARRAY_PUSH(out->line, out->count, out->room, "lines of a source file", line);
        text += line.bytes + (text[line.bytes] == '\n');
    }
    return status;
}

static struct line line_trim(struct line line)
{
    while (line.bytes && isspace((unsigned char)*line.text))
        line.text++, line.bytes--;
    while (line.bytes && isspace((unsigned char)line.text[line.bytes - 1]))
        line.bytes--;
    return line;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Tells whether the line holds the name as a whole word. */
static bool line_names(struct line line, const char *name, size_t bytes)
{
    for (size_t i = 0; i + bytes <= line.bytes; i++)
        if (!strncmp(line.text + i, name, bytes) && (!i || !is_word(line.text[i - 1])) &&
            (i + bytes == line.bytes || !is_word(line.text[i + bytes])))
            return true;
    return false;
}

/* Tells whether the line is a whole statement without strings, blocks and comments. */
static bool is_statement(struct line line)
{
    if (!line.bytes || line.text[line.bytes - 1] != ';')
        return false;
    for (size_t i = 0; i + 1 < line.bytes; i++)
        if (strchr(";\"'{}", line.text[i]) ||
            (line.text[i] == '/' && strchr("/*", line.text[i + 1])))
            return false;
    return true;
}

/* Tells whether the line is one statement that calls an MPI function: "MPI_Send(...);". */
static bool is_call(struct line line)
{
    int depth = 0;

    line = line_trim(line);
    if (line.bytes < 7 || strncmp(line.text, "MPI_", 4) != 0 || !is_statement(line))
        return false;
    for (size_t i = 0; i + 1 < line.bytes; i++) {
        char c = line.text[i];
        depth += (c == '(') - (c == ')');
        if (depth == 0 && c == ')' && i + 2 != line.bytes)
            return false;
    }
    return depth == 0 && line.text[line.bytes - 2] == ')';
}

/* Tells whether a statement begins in the line: the last text before it ends one, or opens or
 * closes a block. */
static bool begins_statement(const struct lines *lines, uint32_t at)
{
    while (at > 0) {
        struct line before = line_trim(lines->line[--at]);
        if (before.bytes)
            return strchr(";{}", before.text[before.bytes - 1]) &&
                   !memmem(before.text, before.bytes, "//", 2);
    }
    return false;
}

/* Tells whether the line is one assignment that calls nothing: "x[i] = 2 * (y + 1);", "n++;". */
static bool is_assignment(struct line line)
{
    static const char *const no[] = {"return", "goto", "else", "case", "default", "do"};
    bool assigns = false;

    line = line_trim(line);
    if (!is_statement(line))
        return false;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (line_names(line, no[i], strlen(no[i])))
            return false;
    for (size_t i = 0; i < line.bytes; i++) {
        size_t before = i;
        while (before > 0 && line.text[before - 1] == ' ')
            before--;
        if (line.text[i] == ':' ||
            (line.text[i] == '(' && before > 0 &&
             (is_word(line.text[before - 1]) || strchr(")]", line.text[before - 1]))))
            return false; /* a label, a call, or the condition of an if */
        assigns |= line.text[i] == '=' ||
                   (i > 0 && strchr("+-", line.text[i]) && line.text[i - 1] == line.text[i]);
    }
    return assigns;
}

/* Splits the arguments of a call. Returns their number; 0: too many. */
static uint32_t arguments_of(struct line call, struct argument *argument)
{
    const char *at = memchr(call.text, '(', call.bytes), *end = call.text + call.bytes;
    uint32_t count = 0;
    int depth = 0;

    CORE_CHECK(at);
    for (const char *from = ++at; at < end; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if ((*at != ',' || depth) && depth >= 0)
            continue;
        if (count == ARGUMENTS_MAX)
            return 0;
        argument[count++] = (struct argument){from, (size_t)(at - from)};
        from = at + 1;
        if (depth < 0)
            break;
    }
    return count;
}

/* Tells whether the statement may change the argument, or the memory that it names. Plain names
 * that the statement uses by value keep their value. */
static bool may_change(struct line call, const struct argument *argument, bool memory)
{
    struct line text = line_trim((struct line){argument->text, argument->bytes});
    bool plain = text.bytes > 0;

    for (size_t i = 0; i < text.bytes; i++)
        plain = plain && (is_word(text.text[i]) || strchr(" +-()!%/", text.text[i]));
    for (size_t i = 0; i < text.bytes;) {
        size_t bytes = 0;
        while (i + bytes < text.bytes && is_word(text.text[i + bytes]))
            bytes++;
        const char *name = text.text + i;
        i += bytes ? bytes : 1;
        if (!bytes || isdigit((unsigned char)*name) || !strncmp(name, "MPI_", 4) ||
            !line_names(call, name, bytes))
            continue;
        if (memory || !plain)
            return true;
        for (size_t k = 1; k + bytes <= call.bytes; k++) /* "&name", "++name" */
            if (!strncmp(call.text + k, name, bytes) && strchr("&+-", call.text[k - 1]))
                return true;
    }
    return false;
}

/* Tells whether the text allows the move (invariants 1 and 2). */
static bool may_move(const struct lines *lines, const struct finding_move *move)
{
    struct argument argument[ARGUMENTS_MAX];
    uint32_t from = (uint32_t)move->before - 1, line = (uint32_t)move->line - 1;

    if (move->before < 1 || line >= lines->count || from >= line ||
        !begins_statement(lines, from) || !is_call(lines->line[line]))
        return false;
    struct line moved = line_trim(lines->line[line]);
    size_t name = strlen(move->call);
    uint32_t count = arguments_of(moved, argument);
    if (!count || moved.bytes <= name || strncmp(moved.text, move->call, name) != 0 ||
        moved.text[name] != '(')
        return false;
    for (uint32_t i = from; i < line; i++) {
        if (!line_trim(lines->line[i]).bytes)
            continue;
        if (!is_call(lines->line[i]) && !(move->completes && is_assignment(lines->line[i])))
            return false;
        for (uint32_t a = 0; a < count; a++)
            if (may_change(lines->line[i], &argument[a], a == 0 || a + 1 == count))
                return false;
    }
    return true;
}

static void suggest_line(char sign, struct line line, FILE *file)
{
    fprintf(file, "%c%.*s\n", sign, (int)line.bytes, line.text);
}

static void suggest_write(const struct lines *lines, const struct finding_move *move,
                          const char *path, FILE *file)
{
    uint32_t from = (uint32_t)move->before - 1, line = (uint32_t)move->line - 1;
    uint32_t first = from > CONTEXT_LINES ? from - CONTEXT_LINES : 0,
             end =
                 line + 1 + CONTEXT_LINES < lines->count ? line + 1 + CONTEXT_LINES : lines->count;

    CORE_CHECK(from < line && line < lines->count);
    fprintf(file, "--- a/%s\n+++ b/%s\n@@ -%u,%u +%u,%u @@\n", path, path, first + 1, end - first,
            first + 1, end - first);
    for (uint32_t i = first; i < end; i++) {
        if (i == from)
            suggest_line('+', lines->line[line], file);
        suggest_line(i == line ? '-' : ' ', lines->line[i], file);
    }
}

/* Tells whether an earlier finding moves a line of the same file: the patch has each file once, and
 * the second move would need a patch of its own. */
static bool is_told(const struct finding_list *list, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (list->finding[i].move.path &&
            !strcmp(list->finding[i].move.path, list->finding[at].move.path))
            return true;
    return false;
}

enum core_status report_suggest(const struct report_facts *facts, FILE *file)
{
    const struct finding_list *list = facts->findings;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; list && i < list->count && status == CORE_OK; i++) {
        const struct finding_move *move = &list->finding[i].move;
        const char *text = move->path && move->call && !is_told(list, i)
                               ? source_text(facts->source, move->path)
                               : NULL;
        struct lines lines;
        if (!text)
            continue;
        status = lines_of(text, &lines);
        if (status == CORE_OK && may_move(&lines, move))
            suggest_write(&lines, move, source_below(facts->source, move->path), file);
        CORE_ARRAY_DONE(lines.line, lines.count, lines.room);
    }
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}

/* See source_mention.h. Holds no state. */
#include "program/source_mention.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/text.h"

enum { FILE_BYTES_MAX = 16 << 20 };

/* --- words ------------------------------------------------------------------------------------ */

enum kind { END, NAME, SIGN, LINE_END }; /* line ends count in Fortran, unless & continues */

struct reader {
    const char *at, *line;             /* start of the line */
    bool fortran, goes_on, ended;      /* the line ended, and that was returned */
    struct source_mention_place place; /* of the word */
    const char *word;
    size_t bytes;
};

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_text(struct reader *r)
{
    char quote = *r->at++;

    CORE_CHECK(quote == '"' || quote == '\'');

    while (*r->at && *r->at != quote && *r->at != '\n')
        r->at += 1 + (!r->fortran && *r->at == '\\' && r->at[1]);
    r->at += *r->at == quote;
}

/* Skips everything but words. Returns false at a line end that counts. */
static bool source_mention_skip(struct reader *r)
{
    for (;;) {
        const char *c = r->at;
        if (*c == '\n') {
            r->ended = r->fortran && !r->goes_on && !r->ended;
            if (r->ended)
                return false;
            r->at++;
            r->place.line++;
            r->line = r->at;
        } else if (isspace((unsigned char)*c) || (!r->fortran && *c == '\\')) {
            r->at++;
        } else if (r->fortran ? *c == '!' : *c == '/' && c[1] == '/') {
            r->at += strcspn(c, "\n");
        } else if (!r->fortran && *c == '/' && c[1] == '*') {
            for (r->at += 2; *r->at && (*r->at != '*' || r->at[1] != '/'); r->at++)
                if (*r->at == '\n') {
                    r->place.line++;
                    r->line = r->at + 1;
                }
            r->at += *r->at ? 2 : 0;
        } else {
            return true;
        }
    }
}

static enum kind source_mention_next(struct reader *r)
{
    if (!source_mention_skip(r))
        return LINE_END;
    CORE_CHECK(r->at >= r->line);
    r->place.column = (int)(r->at - r->line) + 1;
    r->word = r->at;
    if (!*r->at)
        return END;
    if (*r->at == '"' || *r->at == '\'') {
        skip_text(r);
        r->goes_on = false;
        r->bytes = 1;
        return SIGN;
    }
    while (is_of_name(*r->at))
        r->at++;
    r->bytes = (size_t)(r->at - r->word);
    if (r->bytes) {
        r->goes_on = false;
        return NAME;
    }
    r->goes_on = *r->at == '&';
    r->at++;
    r->bytes = 1;
    return SIGN;
}

/* --- mentions --------------------------------------------------------------------------------- */

static bool is_word(const struct reader *r, const char *name)
{
    size_t bytes = strlen(name);

    CORE_CHECK(r->word + r->bytes <= r->at);
    return r->bytes == bytes &&
           (r->fortran ? strncasecmp(r->word, name, bytes) : strncmp(r->word, name, bytes)) == 0;
}

static bool is_before(const struct source_mention_place *a, const struct source_mention_place *b)
{
    CORE_CHECK(a->column >= 0 && b->column >= 0);
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

/* Skips to the word behind the closing bracket of the bracket that was just read. */
static void skip_brackets(struct reader *r)
{
    int depth = 1;
    enum kind kind;

    while (depth > 0 && (kind = source_mention_next(r)) != END)
        if (kind == SIGN)
            depth += (*r->word == '(' || *r->word == '[') - (*r->word == ')' || *r->word == ']');
}

/* Tells whether the declarator whose name was read initializes the variable: = 0, {0}, (0), or a
 * loop's. */
static bool gives_value(struct reader *r)
{
    enum kind kind;
    bool attribute = false;

    CORE_CHECK(!r->fortran); /* Fortran variables with initial values are not in frames */

    while ((kind = source_mention_next(r)) != END) {
        if (kind == NAME) {
            attribute = is_word(r, "__attribute__") || is_word(r, "alignas") ||
                        is_word(r, "_Alignas") || is_word(r, "__asm__");
            continue;
        }
        if (*r->word == ',' || *r->word == ';')
            return false;
        if (*r->word == '[' || (*r->word == '(' && attribute))
            skip_brackets(r);
        else if (strchr("={(:", *r->word))
            return true;
        attribute = false;
    }
    return false;
}

/* Tells whether the word ends the statement that contains the call. */
static bool is_end(const struct reader *r, enum kind kind, int *depth)
{
    if (kind == LINE_END)
        return true;
    CORE_CHECK(kind != END);
    if (kind != SIGN)
        return false;
    *depth += (*r->word == '(') - (*r->word == ')');
    return *depth <= 0 && (*r->word == ';' || (!r->fortran && strchr("{}", *r->word)));
}

bool source_mention_find(const char *text, const char *name, const struct source_mention_span *span)
{
    struct reader r = {.at = text, .line = text, .fortran = span->fortran, .place.line = 1};
    enum kind kind;
    bool declared = false, member = false;
    int depth = 0;

    if (span->from.line < 1 || is_before(&span->to, &span->from))
        return false;
    while ((kind = source_mention_next(&r)) != END) {
        bool is = kind == NAME && is_word(&r, name);
        if (!declared) {
            if (r.place.line > span->from.line)
                return false;
            declared = is && !is_before(&r.place, &span->from);
            if (declared && !r.fortran && gives_value(&r))
                return true;
        } else if (is && !member) {
            return true;
        } else if (!is_before(&r.place, &span->to) && is_end(&r, kind, &depth)) {
            return false;
        }
        member = kind == SIGN && (*r.word == '.' || (r.fortran && *r.word == '%') ||
                                  (*r.word == '>' && r.word > text && r.word[-1] == '-'));
    }
    return false;
}

static bool is_mpi(const struct reader *r)
{
    const char prefix[] = "MPI_";
    size_t bytes = strlen(prefix);

    return r->bytes > bytes && (r->fortran ? strncasecmp(r->word, prefix, bytes)
                                           : strncmp(r->word, prefix, bytes)) == 0;
}

/* Reads the arguments of a call whose name was read, and tells whether the argument of that number
 * is the variable. */
static bool among_arguments(struct reader *r, const char *name, unsigned number)
{
    enum kind kind;
    int depth = 0;
    unsigned at = 0;
    bool is = false, more = false; /* the argument so far: has the name; has something else */
    bool found = false;

    do {
        kind = source_mention_next(r);
        char sign = kind == SIGN ? *r->word : ' ';
        CORE_CHECK(depth >= 0);
        depth += (sign == '(') - (sign == ')');
        if (depth == (sign != ')') && strchr("(,)", sign)) {
            found |= is && !more && at == number;
            is = more = false;
            at++;
        } else if (kind == NAME && is_word(r, name)) {
            more |= is;
            is = true;
        } else {
            more |= kind == NAME ? !is_word(r, "int") && !is_word(r, "static_cast")
                                 : !strchr("()<>", sign) && !(r->fortran && sign == '&');
        }
    } while (depth > 0 && kind != END && kind != LINE_END);
    return found;
}

bool source_mention_is_argument(const char *text, const char *name, unsigned number, int line,
                                bool fortran)
{
    struct reader r = {.at = text, .line = text, .fortran = fortran, .place.line = 1};
    enum kind kind;

    while ((kind = source_mention_next(&r)) != END && r.place.line <= line)
        if (kind == NAME && is_mpi(&r) && among_arguments(&r, name, number) && r.place.line >= line)
            return true;
    return false;
}

bool source_mention_word(const char *text, const struct source_mention_place *place, bool fortran,
                         char *out, size_t room)
{
    struct reader r = {.at = text, .line = text, .fortran = fortran, .place.line = 1};
    enum kind kind;

    CORE_CHECK(room > 0);
    while ((kind = source_mention_next(&r)) != END)
        if (kind == NAME && !is_before(&r.place, place)) {
            snprintf(out, room, "%.*s", (int)r.bytes, r.word);
            return r.place.line == place->line && r.bytes < room;
        }
    return false;
}

bool source_mention_in_block(const char *text, const char *name,
                             const struct source_mention_place *from, bool fortran)
{
    struct reader r = {.at = text, .line = text, .fortran = fortran, .place.line = 1};
    enum kind kind;
    int depth = 0;

    while (depth >= 0 && (kind = source_mention_next(&r)) != END) {
        if (is_before(&r.place, from))
            continue;
        if (kind == NAME && is_word(&r, name))
            return true;
        if (kind == SIGN)
            depth += (*r.word == '{') - (*r.word == '}');
    }
    return false;
}

bool source_mention_in_statement(const char *text, const char *name, int line, bool fortran)
{
    struct reader r = {.at = text, .line = text, .fortran = fortran, .place.line = 1};
    enum kind kind;
    int depth = 0;

    while ((kind = source_mention_next(&r)) != END) {
        if (r.place.line < line)
            continue;
        if (kind == NAME && is_word(&r, name))
            return true;
        if (is_end(&r, kind, &depth))
            return false;
    }
    return false;
}

/* Tells whether a macro is used before a parenthesis, by its name in capitals: it may stand for
 * several arguments. */
static bool is_macro(const char *parenthesis)
{
    const char *at = parenthesis;

    while (is_of_name(at[-1]) && !islower((unsigned char)at[-1]))
        at--;
    return at < parenthesis && !is_of_name(at[-1]);
}

/* Finds the arguments of a call, which begins at its parenthesis, behind its name. Returns their
 * number; 0: unknown, or too many. */
static unsigned arguments_find(const char *at, const char **start, const char **end, unsigned most)
{
    unsigned count = 0;
    int depth = 0;

    CORE_CHECK(*at == '(');
    for (; *at; at++) {
        if (*at == '"' || *at == '\'' || (*at == '(' && depth && is_macro(at)))
            return 0;
        bool opens = strchr("([{", *at), closes = strchr(")]}", *at);
        depth += opens - closes;
        if (depth > 1 || (depth == 1 && *at != ',' && !opens) || (depth == 1 && closes))
            continue;
        if (count)
            end[count - 1] = at;
        if (!depth)
            return count;
        if (depth == 1 && (!opens || !count)) {
            if (count == most)
                return 0;
            start[count++] = at + 1;
        }
    }
    return 0;
}

char *source_mention_exchange(const char *line, const char *call, unsigned first, unsigned second)
{
    enum { MOST = 32 };
    const char *start[MOST], *end[MOST], *at = strcasestr(line, call),
                                         *open = at ? at + strlen(call) : NULL;
    unsigned count = open && *open == '(' ? arguments_find(open, start, end, MOST) : 0;
    char *text = NULL;
    size_t bytes;
    FILE *file = count && first && second && first <= count && second <= count
                     ? open_memstream(&text, &bytes)
                     : NULL;

    if (!file)
        return NULL;
    fprintf(file, "%.*s", (int)(open - at), at);
    for (unsigned i = 0; i < count; i++) {
        unsigned from = i + 1 == first ? second - 1 : i + 1 == second ? first - 1 : i;
        const char *word = start[from] + strspn(start[from], " \t");
        fprintf(file, "%s%.*s", i ? ", " : "(", (int)(end[from] - word), word);
    }
    fputc(')', file);
    return core_text_close(file, &text);
}

char *source_mention_read(const char *path)
{
    struct stat about;
    FILE *file = fopen(path, "re");
    char *text = NULL;

    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size < FILE_BYTES_MAX)
        text = core_alloc((size_t)about.st_size + 1);
    if (text)
        text[fread(text, 1, (size_t)about.st_size, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

char *source_mention_line(const char *path, int line)
{
    char *text = source_mention_read(path), *at = text, *found = NULL;

    for (int i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at && line > 0)
        found = strndup(at, strcspn(at, "\n"));
    free(text);
    return found;
}

/* See text.h. Holds no state. */
#include "core/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Returns the length of the UTF-8 character that begins here; 0: none begins here. */
static size_t character_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = at[0] < 0x80                    ? 1
                   : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                   : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                   : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                   : 0;

    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool outside = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
    return bytes > 1 && (overlong || outside) ? 0 : bytes;
}

void core_text_xml(const char *text, FILE *file)
{
    while (text && *text) {
        size_t bytes = character_bytes(text);
        if (bytes == 0)
            fputs(replacement, file);
        else if (bytes > 1)
            fwrite(text, 1, bytes, file);
        else if (strchr("<>&\"'", *text))
            fprintf(file, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
            fputc(*text, file);
        text += bytes ? bytes : 1;
    }
}

char *core_text_close(FILE *file, char **text)
{
    bool failed = file && ferror(file) != 0;

    if (!file)
        return NULL;
    if (fclose(file) != 0 || failed) {
        free(*text);
        *text = NULL;
    }
    return *text;
}

char *core_text_utf8(const char *text)
{
    char *copy = NULL;
    size_t room;
    FILE *file = open_memstream(&copy, &room);

    if (!file)
        return NULL;
    while (*text) {
        size_t bytes = character_bytes(text);
        if (bytes)
            fwrite(text, 1, bytes, file);
        else
            fputs(replacement, file);
        text += bytes ? bytes : 1;
    }
    return core_text_close(file, &copy);
}

char *core_text_uri(const char *path)
{
    char *uri = NULL;
    size_t room;
    FILE *file = open_memstream(&uri, &room);

    if (!file)
        return NULL;
    if (*path == '/')
        fputs("file://", file);
    for (; *path; path++) {
        if (isalnum((unsigned char)*path) || strchr("-._~/+=@,", *path))
            fputc(*path, file);
        else
            fprintf(file, "%%%02X", (unsigned char)*path);
    }
    return core_text_close(file, &uri);
}

static void text_quoted(const char *word, FILE *file)
{
    fputc('\'', file);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\'", file);
        fputc(*word, file);
    }
    fputc('\'', file);
}

void core_text_shell(const char *word, FILE *file)
{
    if (*word && !strpbrk(word, " \t\n\"'$&;|<>()*?[]{}#~`!\\"))
        fputs(word, file);
    else
        text_quoted(word, file);
}

char *core_text_shell_quoted(const char *word)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    text_quoted(word, file);
    return core_text_close(file, &text);
}

static int text_distance(const char *a, const char *b)
{
    enum { WORD_MAX = 32 };
    int row[WORD_MAX + 1] = {0};
    int la = (int)strlen(a), lb = (int)strlen(b);

    if (la > WORD_MAX || lb > WORD_MAX)
        return INT_MAX;
    CORE_CHECK(la >= 0 && lb >= 0);
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lb];
}

/* Tells whether `brief` abbreviates `word`: it starts with the same letter and its letters occur in
 * `word` in this order, e.g. bcast and broadcast. */
static bool text_abbreviates(const char *brief, const char *word)
{
    CORE_CHECK(brief && word);
    if (strlen(brief) < 3 || *brief != *word)
        return false;
    for (; *brief; brief++, word++) {
        word = strchr(word, *brief);
        if (!word)
            return false;
    }
    return true;
}

const char *core_text_nearest(const char *word, const char *const *candidate, int count)
{
    const char *nearest = NULL;
    int best = INT_MAX;

    for (int i = 0; i < count; i++) {
        int d = text_distance(word, candidate[i]);
        if (*word && !strncmp(candidate[i], word, strlen(word)))
            d = 0;
        else if (d > 2 && text_abbreviates(candidate[i], word))
            d = 2;
        if (d < best) {
            best = d;
            nearest = candidate[i];
        }
    }
    CORE_CHECK(best == INT_MAX || nearest); /* the nearest word is one of the candidates */
    return best <= 2 ? nearest : NULL;
}

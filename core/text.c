/* See text.h. Holds no state. */
#include "core/text.h"

#include <limits.h>
#include <string.h>

void core_text_xml(const char *text, FILE *file)
{
    for (; text && *text; text++) {
        if (strchr("<>&\"'", *text))
            fprintf(file, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
            fputc(*text, file);
    }
}

void core_text_json(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static void quoted(const char *word, FILE *file)
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
        quoted(word, file);
}

char *core_text_shell_quoted(const char *word)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    quoted(word, file);
    return fclose(file) == 0 ? text : NULL;
}

static int distance(const char *a, const char *b)
{
    enum { WORD_MAX = 32 };
    int row[WORD_MAX + 1];
    int la = (int)strlen(a), lb = (int)strlen(b);

    if (la > WORD_MAX || lb > WORD_MAX)
        return INT_MAX;
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

const char *core_text_nearest(const char *word, const char *const *candidate, int count)
{
    const char *nearest = NULL;
    int best = INT_MAX;

    for (int i = 0; i < count; i++) {
        int d = distance(word, candidate[i]);
        int prefix = *word && !strncmp(candidate[i], word, strlen(word)) ? 0 : d;

        if (prefix < best) {
            best = prefix;
            nearest = candidate[i];
        }
    }
    return best <= 2 ? nearest : NULL;
}

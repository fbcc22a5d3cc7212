/* See source.h. */
#include "reports/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"

enum { LINE_SHOWN_MAX = 200 };

struct source_file {
    char *path;
    char *text; /* NULL: it cannot be read */
    bool newer; /* than the recorded run */
    bool other; /* found by name below the current directory: the program was built elsewhere */
};

struct source {
    char *folder;
    const char *root; /* of the sources; NULL: the current directory */
    uint64_t started_ns;
    struct source_file *file;
    uint32_t count, room;
};

enum core_status source_open(uint64_t started_ns, struct source **out_source)
{
    struct source *source = calloc(1, sizeof *source);

    if (!source)
        return core_report(CORE_NO_MEMORY, "out of memory for the report");
    source->started_ns = started_ns;
    source->folder = getcwd(NULL, 0); /* NULL: no path lies below it */
    *out_source = source;
    return CORE_OK;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    for (uint32_t i = 0; i < source->count; i++) {
        free(source->file[i].path);
        free(source->file[i].text);
    }
    free(source->file);
    free(source->folder);
    free(source);
}

static char *text_read(const char *path, uint64_t started_ns, bool *out_newer)
{
    struct stat about;
    FILE *file = fopen(path, "re");
    char *text = NULL;

    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size < SOURCE_FILE_BYTES_MAX) {
        size_t bytes = 0;
        text = malloc((size_t)about.st_size + 1);
        if (text)
            bytes = fread(text, 1, (size_t)about.st_size, file);
        if (text)
            text[bytes] = 0;
        *out_newer = (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec >
                     started_ns;
    }
    if (file)
        fclose(file);
    return text;
}

/* Reads the file or, if it is missing, the one below the current directory whose path is the
 * longest end of the file's path: a trace may come from another machine. */
static void file_read(struct source_file *file, uint64_t started_ns)
{
    const char *end = file->path;

    file->text = text_read(file->path, started_ns, &file->newer);
    file->other = !file->text;
    while (!file->text && *end) {
        end += strcspn(end, "/");
        end += strspn(end, "/");
        if (*end)
            file->text = text_read(end, started_ns, &file->newer);
    }
}

/* Returns the file, read once (invariant 1). NULL: out of memory. */
static const struct source_file *file_get(struct source *source, const char *path)
{
    struct source_file file = {.path = NULL};

    for (uint32_t i = 0; i < source->count; i++)
        if (!strcmp(source->file[i].path, path))
            return &source->file[i];
    file.path = strdup(path);
    if (!file.path)
        return NULL;
    file_read(&file, source->started_ns);
    if (CORE_ARRAY_PUSH(source->file, source->count, source->room, "the report's source files",
                        file) != CORE_OK) {
        free(file.path);
        free(file.text);
        return NULL;
    }
    return &source->file[source->count - 1];
}

/* Finds the line's start and length in the text. NULL if the text has fewer lines. */
static const char *line_find(const char *text, int line, size_t *out_bytes)
{
    for (int i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || line < 1 || !*text)
        return NULL;
    *out_bytes = strcspn(text, "\r\n");
    return text;
}

/* Copies the line without leading space and control characters, which would move the cursor. */
static char *line_copy(const char *text, size_t bytes, uint32_t *out_indent)
{
    for (*out_indent = 0; bytes && isspace((unsigned char)*text); ++*out_indent) {
        text++;
        bytes--;
    }
    while (bytes && isspace((unsigned char)text[bytes - 1]))
        bytes--;
    char *copy = strndup(text, bytes < LINE_SHOWN_MAX ? bytes : LINE_SHOWN_MAX);
    for (char *at = copy; at && *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    return copy;
}

/* Counts columns, not bytes: the later bytes of a UTF-8 character take none. */
static uint32_t source_columns(const char *text, size_t bytes)
{
    uint32_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

struct source_line source_line_get(struct source *source, const struct trace_site *site,
                                   const char *name)
{
    const char *path = site && site->path ? site->path : site ? site->file : NULL;
    const struct source_file *file = path && site->line > 0 ? file_get(source, path) : NULL;
    struct source_line line = {0};
    size_t bytes;
    const char *text = file && file->text ? line_find(file->text, site->line, &bytes) : NULL;

    if (!text)
        return line;
    line.text = line_copy(text, bytes, &line.indent);
    if (!line.text)
        return line;
    const char *found = name ? strcasestr(line.text, name) : NULL; /* Fortran ignores case */
    line.named = found != NULL;
    if (found) {
        line.mark = source_columns(line.text, (size_t)(found - line.text));
        line.size = source_columns(found, strlen(name));
    } else {
        line.size = source_columns(line.text, strlen(line.text));
    }
    if (!line.size || (!found && (file->newer || file->other || !source->started_ns))) {
        free(line.text);
        return (struct source_line){0};
    }
    return line;
}

const char *source_text(struct source *source, const char *path)
{
    const struct source_file *file = source->started_ns ? file_get(source, path) : NULL;

    return file && !file->newer && !file->other ? file->text : NULL;
}

void source_root_set(struct source *source, const char *root)
{
    source->root = root;
}

const char *source_below(const struct source *source, const char *path)
{
    const char *above = source->root ? source->root : source->folder;
    size_t bytes = above ? strlen(above) : 0;

    while (bytes && above[bytes - 1] == '/')
        bytes--;
    return bytes && !strncmp(path, above, bytes) && path[bytes] == '/' ? path + bytes + 1 : path;
}

char *source_place(const struct source *source, const struct trace *trace, int32_t site)
{
    const struct trace_site *s =
        site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;
    const char *below = s && s->file && s->path ? source_below(source, s->path) : NULL;
    char place[512], *text = NULL;

    if (!below || below == s->path)
        return strdup(trace_site_text(trace, site, place, sizeof place));
    return asprintf(&text, "%s:%d", below, s->line) < 0 ? NULL : text;
}

/* Lists what a world wrote (scratch.h). A text's lines count in any order, as ranks that share a
 * file often write in the order in which they come. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.h"
#include "world/processes/scratch.h"

enum { SHOWN_MAX = 96 /* bytes of a file */ };
enum { LIST_PART = 1 << 16, LIST_DEPTH = 32, LIST_REST = 64 /* room for the last line */ };
static const uint64_t HASHED_MAX = UINT64_C(1) << 28; /* bytes of a world's files */

struct list {
    char *out;
    size_t room, used;
    const char *here; /* the current folder */
    uint64_t left;    /* bytes that may still be read */
    uint64_t more, more_hash;
};

struct lines { /* a sum over the lines of a file */
    uint64_t sum, line;
    bool binary;
};

static void lines_add(struct lines *lines, const char *part, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        lines->binary |= !part[i];
        if (part[i] == '\n') {
            lines->sum += XXH3_64bits(&lines->line, sizeof lines->line);
            lines->line = 0;
        } else {
            lines->line = (lines->line ^ (uint8_t)part[i]) * UINT64_C(0x100000001b3) + 1;
        }
    }
}

static uint64_t content_hash(int file)
{
    static char part[LIST_PART];
    struct lines lines = {0};
    XXH3_state_t state;
    ssize_t got;

    CORE_CHECK(file >= 0);
    XXH3_64bits_reset(&state);
    while ((got = read(file, part, sizeof part)) > 0) {
        XXH3_64bits_update(&state, part, (size_t)got);
        lines_add(&lines, part, (size_t)got);
    }
    return lines.binary ? XXH3_64bits_digest(&state)
                        : lines.sum + XXH3_64bits(&lines.line, sizeof lines.line);
}

static int text_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Shows the lines of a short text in the order of their letters: "12 bytes: first 1; sum 3".
 * Returns false if the file holds anything else. */
static bool content_show(int file, char *what, size_t room)
{
    char text[SHOWN_MAX + 2], *line[SHOWN_MAX + 1], *rest = text;
    ssize_t got = pread(file, text, SHOWN_MAX + 1, 0);
    size_t count = 0, used;

    if (got <= 0 || got > SHOWN_MAX)
        return false;
    for (ssize_t i = 0; i < got; i++)
        if ((text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] == 127)
            return false;
    text[got - (text[got - 1] == '\n')] = 0;
    while (rest && count <= SHOWN_MAX)
        line[count++] = strsep(&rest, "\n");
    qsort(line, count, sizeof *line, text_compare);
    used = (size_t)snprintf(what, room, "(%zd byte%s: ", got, got == 1 ? "" : "s");
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(what + used, room - used, "%s%s", i ? "; " : "", line[i]);
    used += used < room ? (size_t)snprintf(what + used, room - used, ")") : 0;
    return used < room;
}

static void list_line(struct list *list, const char *path, const char *what)
{
    const size_t here = strlen(list->here);
    char line[PATH_MAX + 128];

    CORE_CHECK(list->used + LIST_REST <= list->room);
    if (!strncmp(path, list->here, here) && path[here] == '/')
        path += here + 1;
    int bytes = snprintf(line, sizeof line, "%s %s\n", path, what);
    if (bytes <= 0 || (size_t)bytes >= sizeof line)
        return;
    for (char *c = line; c < line + bytes - 1; c++)
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    if (list->used + (size_t)bytes + LIST_REST > list->room) {
        list->more++;
        list->more_hash = XXH3_64bits_withSeed(line, (size_t)bytes, list->more_hash);
        return;
    }
    memcpy(list->out + list->used, line, (size_t)bytes + 1);
    list->used += (size_t)bytes;
}

/* upper: where the layer has the file; path: what the program calls it. */
static void list_file(struct list *list, int folder, const char *name, const char *path)
{
    char what[PATH_MAX + 32] = "(removed)", target[PATH_MAX] = "";
    struct stat is;

    CORE_CHECK(folder >= 0);
    if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISLNK(is.st_mode)) {
        if (readlinkat(folder, name, target, sizeof target - 1) > 0)
            snprintf(what, sizeof what, "(link to %s)", target);
    } else if (S_ISREG(is.st_mode)) {
        int file = (uint64_t)is.st_size <= list->left
                       ? openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
                       : -1;
        bool shown = file >= 0 && content_show(file, what, sizeof what);
        uint64_t hash = file >= 0 && !shown ? content_hash(file) : 0;
        if (file >= 0) {
            list->left -= (uint64_t)is.st_size;
            close(file);
        }
        if (!shown)
            snprintf(what, sizeof what, "(%" PRIu64 " byte%s, hash %016" PRIx64 ")",
                     (uint64_t)is.st_size, is.st_size == 1 ? "" : "s", hash);
    } else if (!S_ISCHR(is.st_mode)) { /* a character device stands for what was removed */
        return;
    }
    list_line(list, path, what);
}

static void list_folder(struct list *list, const char *upper, const char *path, int depth)
{
    struct dirent **entry;
    char below[PATH_MAX], called[PATH_MAX];
    int count = depth < LIST_DEPTH ? scandir(upper, &entry, NULL, alphasort) : -1;
    int folder = count > 0 ? open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        struct stat is;
        bool known = strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && folder >= 0 &&
                     (size_t)snprintf(below, sizeof below, "%s/%s", upper, name) < sizeof below &&
                     (size_t)snprintf(called, sizeof called, "%s/%s", path, name) < sizeof called;
        if (known && fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(is.st_mode))
            list_folder(list, below, called, depth + 1);
        else if (known)
            list_file(list, folder, name, called);
        free(entry[i]);
    }
    if (folder >= 0)
        close(folder);
    if (count >= 0)
        free(entry);
}

void scratch_list(const struct scratch *s, char *out, size_t room)
{
    char here[PATH_MAX] = "/", upper[128];
    struct list list = {.out = out, .room = room, .here = here, .left = HASHED_MAX};

    CORE_CHECK(room > LIST_REST);
    *out = 0;
    if (!getcwd(here, sizeof here))
        *here = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        snprintf(upper, sizeof upper, "%s/w/%uu", s->stage, i);
        list_folder(&list, upper, s->place[i], 0);
    }
    CORE_CHECK(list.used + LIST_REST <= room);
    if (list.more)
        snprintf(out + list.used, LIST_REST, "%" PRIu64 " more files (hash %016" PRIx64 ")\n",
                 list.more, list.more_hash);
}

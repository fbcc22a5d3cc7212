/* See the header. */
#include "explore/files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/random.h"

enum { FILES_MAX = 20000, DEPTH_MAX = 2 };

/* Tells whether it is the file that our own output goes to. */
static bool is_ours(const struct explore_files *before, const struct stat *file)
{
    for (int i = 0; i < 2; i++)
        if (before->own[i].device == file->st_dev && before->own[i].inode == file->st_ino)
            return true;
    return false;
}

static bool is_behind(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

struct walk {
    const struct explore_files *before;
    uint64_t names;
    char *written; /* a file that was written since then and is not our own output */
    int left;
};

/* Tells whether it is one of our traces, or a cache or sum that programs keep beside them
 * (world/ranks/posix.c leaves these out, too). */
static bool is_left_out(const char *name)
{
    const char *end = strrchr(name, '.');
    return strstr(name, ".db") || (end && (!strcmp(end, ".gcda") || !strcmp(end, ".pyc")));
}

static void walk_name(struct walk *walk, const char *path)
{
    uint64_t hash = 0;
    for (const char *at = path; *at; at++)
        hash = core_random_mix(hash ^ (uint8_t)*at);
    walk->names += hash;
}

static void walk_file(struct walk *walk, const char *path, const char *name, const struct stat *is)
{
    if (is_left_out(name))
        return;
    walk_name(walk, path);
    if (!walk->written && is_behind(is->st_mtim, walk->before->since) && !is_ours(walk->before, is))
        walk->written = strdup(name);
}

/* Looks at the files below the folder. Every world would write those again that the job wrote. */
static void walk_below(struct walk *walk, const char *folder, int depth)
{
    DIR *directory = opendir(folder);
    CORE_CHECK(depth >= 0);
    for (struct dirent *entry; directory && (entry = readdir(directory)) && walk->left;) {
        struct stat is;
        char *path = NULL;
        walk->left--;
        if (entry->d_name[0] == '.' || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            continue;
        const bool known = lstat(path, &is) == 0;
        if (known && S_ISREG(is.st_mode))
            walk_file(walk, path, entry->d_name, &is);
        else if (known && S_ISLNK(is.st_mode))
            walk_name(walk, path);
        else if (known && S_ISDIR(is.st_mode) && !strstr(entry->d_name, ".spool") &&
                 strcmp(entry->d_name, "__pycache__")) {
            walk_name(walk, path);
            if (depth > 0)
                walk_below(walk, path, depth - 1);
        }
        free(path);
    }
    if (directory)
        closedir(directory);
}

void explore_files_look(struct explore_files *out_before)
{
    struct walk walk = {.before = out_before, .left = FILES_MAX};
    for (int i = 0; i < 2; i++) {
        struct stat is;
        const bool known = fstat(STDOUT_FILENO + i, &is) == 0;
        out_before->own[i].device = known ? is.st_dev : 0;
        out_before->own[i].inode = known ? is.st_ino : 0;
    }
    /* the clock of files, which may be some milliseconds behind */
    clock_gettime(CLOCK_REALTIME_COARSE, &out_before->since);
    walk_below(&walk, ".", DEPTH_MAX);
    free(walk.written);
    out_before->names = walk.left ? walk.names : 0;
}

/* Looks at the files in the folder that the word names, as "--out=/data/run/result" does, or in
 * which the file is that it names. A program writes nothing beside itself; in a folder that all
 * users share, as /tmp, others change files. */
static void walk_word(struct walk *walk, const char *word)
{
    const char *equals = strchr(word, '='), *slash;
    struct stat is;
    const char *path = equals && equals[1] ? equals + 1 : word;
    const bool there = stat(path, &is) == 0;
    if (!(slash = strrchr(path, '/')) || slash == path)
        return;
    CORE_CHECK(walk->before->since.tv_sec);
    if (there && S_ISDIR(is.st_mode)) {
        if (!(is.st_mode & S_ISVTX))
            walk_below(walk, path, DEPTH_MAX);
        return;
    }
    if (there && S_ISREG(is.st_mode) && !(is.st_mode & S_IXUSR))
        walk_file(walk, path, slash + 1, &is);
    char *folder = strndup(path, (size_t)(slash - path));
    if (folder && strcmp(folder, ".") && !(there && is.st_mode & S_IXUSR) &&
        stat(folder, &is) == 0 && !(is.st_mode & S_ISVTX))
        walk_below(walk, folder, 0);
    free(folder);
}

char *explore_files_changed(const struct explore_files *before, char *const *command)
{
    struct walk walk = {.before = before, .left = FILES_MAX};
    struct walk named = walk;
    if (!before->since.tv_sec)
        return NULL;
    walk_below(&walk, ".", DEPTH_MAX);
    for (int i = 0; command && command[i] && !walk.written && !named.written; i++)
        walk_word(&named, command[i]);
    if (!walk.written)
        walk.written = named.written;
    else
        free(named.written);
    if (!walk.written && walk.left && before->names && walk.names != before->names)
        walk.written = strdup("one that is gone or has another name");
    return walk.written;
}

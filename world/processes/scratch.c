/* See the header. The stage, a file system in memory, holds the upper layers from before the ranks
 * began (0e, 1e, ...); in w, another file system holds those of one world (w/0u, ...). */
#include "world/processes/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/check.h"

static bool scratch_refuse(struct scratch *s, const char *what)
{
    snprintf(s->why, sizeof s->why, "%s: %s", what, strerror(errno));
    s->count = 0;
    return false;
}

/* --- the namespace ---------------------------------------------------------------------------- */

static bool file_write(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return done;
}

/* Keeps the rights to mount in its own namespace across exec: only processes with these rights can
 * access an overlay's work folder. */
static bool rights_keep(void)
{
    static const int rights[] = {CAP_SYS_ADMIN, CAP_DAC_OVERRIDE};
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    _Static_assert(CAP_SYS_ADMIN < 32 && CAP_DAC_OVERRIDE < 32, "both are in a set's first word");
    if (syscall(SYS_capget, &head, data) != 0)
        return false;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        data[0].inheritable |= 1u << rights[i];
    bool kept = syscall(SYS_capset, &head, data) == 0;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        kept = kept && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, rights[i], 0, 0) == 0;
    return kept;
}

/* Maps the same user and group into the namespace; without them no file could be created, not even
 * a real one. */
static void user_map(uid_t user, gid_t group)
{
    char text[64];
    _Static_assert(sizeof text > 2 * sizeof "4294967295 " + sizeof "1", "a map is not cut off");
    file_write("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", user, user);
    bool mapped = file_write("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", group, group);
    if (mapped && file_write("/proc/self/gid_map", text))
        return;
    dprintf(STDERR_FILENO, "crosswait: no user in a user namespace: %s\n", strerror(errno));
    _exit(126);
}

static bool namespace_enter(struct scratch *s)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return scratch_refuse(s, "no user namespace");
        s->mapped = true;
        user_map(user, group);
        if (!rights_keep())
            return scratch_refuse(s, "no rights in a user namespace");
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        return scratch_refuse(s, "no mounts of its own");
    return true;
}

/* --- layers ----------------------------------------------------------------------------------- */

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    for (struct dirent *entry; empty && (entry = readdir(folder));)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (folder)
        closedir(folder);
    return empty;
}

static bool stage_find(struct scratch *s)
{
    static const char *const places[] = {"/mnt", "/media", "/srv", "/var/opt", "/var/local"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (is_empty(places[i])) {
            snprintf(s->stage, sizeof s->stage, "%s", places[i]);
            return true;
        }
    snprintf(s->why, sizeof s->why, "no empty folder to keep files in");
    return false;
}

/* Makes a folder with the owner and mode of the model, for the upper layer. */
static bool folder_like(const char *path, const char *model)
{
    struct stat is;
    if (stat(model, &is) != 0 || mkdir(path, 0700) != 0)
        return false;
    if (chown(path, is.st_uid, is.st_gid) != 0 && errno != EPERM && errno != EINVAL)
        return false;
    return chmod(path, is.st_mode & 07777) == 0;
}

static bool scratch_overlay(const struct scratch *s, uint32_t i, bool world)
{
    char upper[128], work[128], early[128], text[SCRATCH_PATH + 512];
    _Static_assert(sizeof text >= SCRATCH_PATH + sizeof upper + sizeof work + sizeof early + 64,
                   "mount's text is not cut off");
    CORE_CHECK(i < SCRATCH_PLACES && s->stage[0]);
    snprintf(early, sizeof early, "%s/%ue", s->stage, i);
    snprintf(upper, sizeof upper, world ? "%s/w/%uu" : "%s/%ue", s->stage, i);
    snprintf(work, sizeof work, world ? "%s/w/%uw" : "%s/%uw", s->stage, i);
    snprintf(text, sizeof text, "lowerdir=%s%s%s,upperdir=%s,workdir=%s%s", world ? early : "",
             world ? ":" : "", s->place[i], upper, work, s->mapped ? ",userxattr" : "");
    return folder_like(upper, s->place[i]) && mkdir(work, 0700) == 0 &&
           mount("overlay", s->place[i], "overlay", 0, text) == 0;
}

/* Mounts a file system in memory, limited so that a program cannot fill the machine's memory. */
static bool memory_mount(const char *path)
{
    return mount("tmpfs", path, "tmpfs", 0, "mode=0755,size=1g") == 0;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool is_within(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);
    return !strncmp(path, folder, bytes) && (!path[bytes] || path[bytes] == '/');
}

/* Tells whether file systems are mounted below the folder, which an overlay would hide. */
static bool holds_mounts(const char *path)
{
    char line[4096], at[2048];
    bool holds = false;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts && !holds && fgets(line, sizeof line, mounts))
        holds = sscanf(line, "%*s %*s %*s %*s %2047s", at) == 1 && strcmp(at, path) != 0 &&
                is_within(at, path);
    if (mounts)
        fclose(mounts);
    return holds;
}

struct wanted { /* a folder as seen from outside of the namespace, with the real user numbers */
    char path[4096]; /* "": none */
    bool own;
    uint64_t device;
};

static void wanted_look(const char *path, struct wanted *out)
{
    struct stat is;
    if (!path || !realpath(path, out->path) || stat(out->path, &is) != 0 ||
        strlen(out->path) >= SCRATCH_PATH || strpbrk(out->path, ":,\\") ||
        access(out->path, W_OK) != 0)
        out->path[0] = 0;
    else
        out->own = is.st_uid == geteuid(), out->device = is.st_dev;
}

static void place_move(struct scratch *s, uint32_t to, uint32_t from)
{
    CORE_CHECK(to < from && from < SCRATCH_PLACES);
    memcpy(s->place[to], s->place[from], SCRATCH_PATH);
    s->device[to] = s->device[from];
}

/* Adds a folder to overlay. In a user namespace files can be created only in folders of that user.
 * Places inside another place are covered by it. */
static void place_add(struct scratch *s, const struct wanted *wanted)
{
    const char *path = wanted->path;
    uint32_t kept = 0;
    if (!path[0] || !path[1] || (s->mapped && !wanted->own) || is_within(s->stage, path) ||
        holds_mounts(path))
        return;
    for (uint32_t i = 0; i < s->count; i++) {
        if (is_within(path, s->place[i]))
            return;
        if (!is_within(s->place[i], path) && kept++ != i)
            place_move(s, kept - 1, i);
    }
    CORE_CHECK(kept <= s->count && kept < SCRATCH_PLACES); /* each folder adds at most one */
    CORE_CHECK(path[0] == '/' && strlen(path) < SCRATCH_PATH);
    snprintf(s->place[kept], SCRATCH_PATH, "%.*s", SCRATCH_PATH - 1, path);
    s->device[kept] = wanted->device;
    s->count = kept + 1;
}

void scratch_enter(struct scratch *s)
{
    const char *temporary = getenv("TMPDIR");
    struct wanted wanted[SCRATCH_FIRST] = {0};
    char here[4096], path[128];
    CORE_CHECK(!s->count); /* called once */
    wanted_look(getenv("HOME"), &wanted[0]);
    wanted_look(temporary && *temporary ? temporary : "/tmp", &wanted[1]);
    wanted_look(getcwd(here, sizeof here), &wanted[2]);
    wanted_look("/tmp", &wanted[3]); /* some programs do not ask for TMPDIR */
    if (!wanted[2].path[0] || !namespace_enter(s) || !stage_find(s))
        return;
    for (int i = 0; i < SCRATCH_FIRST; i++)
        place_add(s, &wanted[i]);
    if (!s->count)
        snprintf(s->why, sizeof s->why, "no folder that can be overlaid");
    snprintf(path, sizeof path, "%s/w", s->stage);
    if (s->count && (!memory_mount(s->stage) || mkdir(path, 0755) != 0))
        scratch_refuse(s, "no file system in memory");
    uint32_t made = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (made != i)
            place_move(s, made, i);
        if (scratch_overlay(s, made, false))
            made++;
        else
            snprintf(s->why, sizeof s->why, "'%.80s' cannot be overlaid: %s", s->place[made],
                     strerror(errno));
    }
    CORE_CHECK(made <= s->count);
    s->count = made;
    if (chdir(here) != 0)
        scratch_refuse(s, "no way back");
}

/* --- worlds ----------------------------------------------------------------------------------- */

static bool layers_new(struct scratch *s, bool first)
{
    char here[4096], path[128];
    bool known = getcwd(here, sizeof here) != NULL;
    snprintf(path, sizeof path, "%s/w", s->stage);
    for (uint32_t i = 0; i < s->count; i++)
        umount2(s->place[i], MNT_DETACH);
    if (!first)
        umount2(path, MNT_DETACH);
    if (!memory_mount(path))
        return scratch_refuse(s, "no file system in memory");
    for (uint32_t i = 0; i < s->count; i++)
        if (!scratch_overlay(s, i, true))
            return scratch_refuse(s, "no other layer");
    return !known || chdir(here) == 0 || scratch_refuse(s, "no way back");
}

bool scratch_begin(struct scratch *s)
{
    return !s->count || layers_new(s, true);
}

bool scratch_grow(struct scratch *s, const char *file, bool world)
{
    struct wanted wanted = {0};
    char folder[SCRATCH_PATH], here[4096];
    const char *slash = strrchr(file, '/');
    const uint32_t before = s->count;
    bool known = getcwd(here, sizeof here) != NULL;
    if (!before || before == SCRATCH_PLACES || !slash || strlen(file) >= sizeof folder)
        return false;
    *(char *)mempcpy(folder, file, (size_t)(slash - file)) = 0;
    wanted_look(folder, &wanted);
    place_add(s, &wanted);
    if (s->count == before)
        return false;
    CORE_CHECK(s->count == before + 1); /* no place is below it: holds_mounts */
    if (!scratch_overlay(s, before, false)) {
        s->count = before;
        return false;
    }
    return world ? layers_new(s, false) : !known || chdir(here) == 0;
}

uint64_t scratch_room(const struct scratch *s)
{
    char path[128];
    struct statfs is;
    snprintf(path, sizeof path, "%s/w", s->stage);
    return s->count && statfs(path, &is) == 0 ? (uint64_t)is.f_bavail * (uint64_t)is.f_bsize
                                              : UINT64_MAX;
}

bool scratch_written(const struct scratch *s)
{
    char path[128];
    bool written = false;
    for (uint32_t i = 0; i < s->count && !written; i++) {
        snprintf(path, sizeof path, "%s/w/%uu", s->stage, i);
        written = !is_empty(path);
    }
    return written;
}

bool scratch_clear(struct scratch *s)
{
    return !scratch_written(s) || layers_new(s, false);
}

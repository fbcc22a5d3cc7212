/* See system.h. */
#include "interpose/entry/system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

long system_call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

int text_order(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

bool text_equal(const char *a, const char *b)
{
    return text_order(a, b) == 0;
}

bool text_begins(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

bool text_holds(const char *text, const char *part)
{
    while (*text && !text_begins(text, part))
        text++;
    return *text != '\0';
}

size_t text_append(char *to, size_t at, size_t room, const char *text)
{
    while (*text && at + 1 < room)
        to[at++] = *text++;
    to[at] = '\0';
    return at;
}

void system_say(const char *a, const char *b, const char *c)
{
    char line[1024];
    size_t at = text_append(line, 0, sizeof line - 1, "crosswait: ");

    at = text_append(line, at, sizeof line - 1, a);
    at = text_append(line, at, sizeof line - 1, b);
    at = text_append(line, at, sizeof line - 1, c);
    line[at++] = '\n';
    system_call(SYS_write, 2, (long)line, (long)at, 0);
}

void system_yield(void)
{
    system_call(SYS_sched_yield, 0, 0, 0, 0);
}

/* --- mappings --------------------------------------------------------------------------------- */

/* A file that is read byte by byte from large buffers. */
struct reader {
    long fd, at, length;
    char piece[PAGE];
};

static int reader_next(struct reader *reader)
{
    if (reader->at >= reader->length) {
        reader->at = 0;
        reader->length =
            system_call(SYS_read, reader->fd, (long)reader->piece, sizeof reader->piece, 0);
        if (reader->length <= 0)
            return -1;
    }
    return (unsigned char)reader->piece[reader->at++];
}

static int reader_number(struct reader *reader, uintptr_t *out)
{
    int c;

    *out = 0;
    while ((c = reader_next(reader)) >= 0) {
        if (c >= '0' && c <= '9')
            *out = *out * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *out = *out * 16 + (uintptr_t)(c - 'a' + 10);
        else
            break;
    }
    return c;
}

/* Parses a line: START-END rwxp OFFSET DEVICE INODE   FILE. Returns false at the end. */
static bool reader_mapping(struct reader *reader, struct mapping *out)
{
    size_t at = 0;
    int c;

    if (reader_number(reader, &out->start) != '-' || reader_number(reader, &out->end) != ' ')
        return false;
    out->protection = 0;
    while ((c = reader_next(reader)) > ' ')
        out->protection |= c == 'r' ? PROT_READ : c == 'w' ? PROT_WRITE : c == 'x' ? PROT_EXEC : 0;
    while (c >= 0 && c != '\n' && c != '/')
        c = reader_next(reader);
    for (; c >= 0 && c != '\n'; c = reader_next(reader))
        if (at + 1 < sizeof out->file)
            out->file[at++] = (char)c;
    out->file[at] = '\0';
    return true;
}

bool mapping_find(uintptr_t address, struct mapping *out)
{
    struct reader reader;
    bool found = false;

    reader.fd = system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    reader.at = reader.length = 0;
    if (reader.fd < 0)
        return false;
    while (!found && reader_mapping(&reader, out))
        found = address >= out->start && address < out->end;
    system_call(SYS_close, reader.fd, 0, 0, 0);
    return found;
}

static long system_protect(uintptr_t start, uintptr_t end, int protection)
{
    start &= ~(uintptr_t)(PAGE - 1);
    return system_call(SYS_mprotect, (long)start, (long)(end - start), protection, 0);
}

bool mapping_open(uintptr_t start, uintptr_t end, struct mapping *out)
{
    if (!mapping_find(start, out) || end > out->end)
        return false;
    return out->protection & PROT_WRITE ||
           system_protect(start, end, out->protection | PROT_WRITE) == 0;
}

void mapping_close(const struct mapping *mapping, uintptr_t start, uintptr_t end)
{
    if (!(mapping->protection & PROT_WRITE))
        system_protect(start, end, mapping->protection);
}

/* --- the environment -------------------------------------------------------------------------- */

const char *environment_value(char *const *environment, const char *name)
{
    for (; environment && *environment; environment++) {
        const char *at = *environment, *of = name;
        while (*of && *at == *of)
            at++, of++;
        if (!*of && *at == '=')
            return at + 1;
    }
    return NULL;
}

/* The kept variables, each with a NUL behind it; an empty one ends them. Copies: a program may
 * change its environment in place. */
static struct {
    size_t used;
    char text[64 << 10];
} settings;

void settings_keep(char *const *environment)
{
    for (; environment && *environment; environment++) {
        size_t length = 0;
        while ((*environment)[length])
            length++;
        if (!text_begins(*environment, "CROSSWAIT_") ||
            length + 2 > sizeof settings.text - settings.used)
            continue;
        text_append(settings.text, settings.used, sizeof settings.text, *environment);
        settings.used += length + 1;
    }
}

const char *settings_kept(void)
{
    return settings.text;
}

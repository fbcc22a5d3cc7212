/* See rust_name.h. A name is a path, and a path has paths and types within it; B stands for one
 * that began earlier in the name.
 *
 * Example: _RNvMs_NtCs3_3mpi5topicNtB4_4Ring4next
 *     N v                       a value: function `next` of
 *       M s_ (N t (C s3_ 3mpi) 5topic)   what is implemented in mpi::topic
 *            (N t B4_ 4Ring)             for the type mpi::topic::Ring, which is left out
 *     -> mpi::topic::next
 *
 * Invariants:
 * 1. at never passes the byte 0 that ends the name.
 * 2. used < room: what is written ends with a byte 0.
 * 3. Parts lie within each other, and B leads back, DEPTH_MAX times at most. */
#include "program/rust_name.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"

enum { DEPTH_MAX = 64, STEPS_MAX = 4096 };

struct name {
    const char *first, *at; /* where positions are counted from; what is read next */
    char *out;
    size_t room, used;
    unsigned hidden; /* parts around this one that are left out */
    unsigned depth, steps;
    bool bad;
};

static void path_read(struct name *n);
static void type_read(struct name *n);

static bool name_takes(struct name *n, char c)
{
    bool here = !n->bad && *n->at == c;

    n->at += here;
    return here;
}

static char name_next(struct name *n)
{
    char c = n->bad ? 0 : *n->at;

    CORE_CHECK(n->at >= n->first);
    n->bad |= !c; /* invariant 1 */
    n->at += c != 0;
    return c;
}

/* A number of base 62 that ends with an underscore: "_" is 0, "0_" is 1. */
static size_t number62_read(struct name *n)
{
    size_t value = 0;

    if (name_takes(n, '_'))
        return 0;
    while (!name_takes(n, '_') && !n->bad) {
        char c = name_next(n);
        size_t digit = isdigit((unsigned char)c)   ? (size_t)(c - '0')
                       : islower((unsigned char)c) ? (size_t)(c - 'a') + 10
                                                   : (size_t)(c - 'A') + 36;
        n->bad |= !isalnum((unsigned char)c);
        value = (value * 62 + digit) & (SIZE_MAX >> 8);
    }
    return value + 1;
}

static void disambiguator_read(struct name *n)
{
    if (name_takes(n, 's'))
        (void)number62_read(n);
}

static void word_write(struct name *n, const char *word, size_t bytes)
{
    if (n->hidden || n->bad || !bytes)
        return;
    n->used += (size_t)snprintf(n->out + n->used, n->room - n->used, "%s%.*s", n->used ? "::" : "",
                                (int)bytes, word);
    n->used = n->used < n->room ? n->used : n->room - 1;
    CORE_CHECK(n->out[n->used] == 0); /* invariant 2 */
}

static void identifier_read(struct name *n)
{
    size_t bytes = 0;

    disambiguator_read(n);
    (void)name_takes(n, 'u'); /* Punycode */
    n->bad |= !isdigit((unsigned char)*n->at);
    if (!name_takes(n, '0')) /* no number begins with 0: 00 are two closures within each other */
        while (!n->bad && isdigit((unsigned char)*n->at) && bytes < INT_MAX / 16)
            bytes = bytes * 10 + (size_t)(name_next(n) - '0');
    (void)name_takes(n, '_');
    n->bad |= bytes > strlen(n->at);
    if (n->bad)
        return;
    word_write(n, n->at, bytes);
    n->at += bytes;
}

/* Reads what began at the position that is named, and goes on behind. */
static void earlier_read(struct name *n, void (*read)(struct name *))
{
    size_t position = number62_read(n);
    const char *behind = n->at;

    n->bad |= position + 1 >= (size_t)(behind - n->first);
    if (n->bad)
        return;
    n->at = n->first + position;
    CORE_CHECK(n->at < behind); /* invariant 3 */
    read(n);
    CORE_CHECK(behind > n->first);
    n->at = behind;
}

static void hidden_read(struct name *n, void (*read)(struct name *))
{
    n->hidden++;
    read(n);
    CORE_CHECK(n->hidden > 0);
    n->hidden--;
}

static void constant_read(struct name *n)
{
    if (name_takes(n, 'B')) {
        earlier_read(n, constant_read);
        return;
    }
    if (name_takes(n, 'p'))
        return;
    type_read(n);
    while (!name_takes(n, '_') && !n->bad)
        (void)name_next(n);
}

static void argument_read(struct name *n)
{
    if (name_takes(n, 'L'))
        (void)number62_read(n);
    else if (name_takes(n, 'K'))
        constant_read(n);
    else
        type_read(n);
}

static void until_end(struct name *n, void (*read)(struct name *))
{
    while (!name_takes(n, 'E') && !n->bad)
        read(n);
}

static void trait_read(struct name *n)
{
    path_read(n);
    while (name_takes(n, 'p')) { /* of an associated type what it is */
        identifier_read(n);
        type_read(n);
    }
}

static void binder_read(struct name *n)
{
    if (name_takes(n, 'G'))
        (void)number62_read(n);
}

static void function_type_read(struct name *n)
{
    binder_read(n);
    (void)name_takes(n, 'U');
    if (name_takes(n, 'K') && !name_takes(n, 'C'))
        identifier_read(n);
    until_end(n, type_read);
    type_read(n);
}

static void part_of_type_read(struct name *n)
{
    char c = name_next(n);

    if (islower((unsigned char)c) || n->bad)
        return;
    switch (c) {
    case 'R':
    case 'Q':
        if (name_takes(n, 'L'))
            (void)number62_read(n);
        type_read(n);
        return;
    case 'A':
        type_read(n);
        constant_read(n);
        return;
    case 'P':
    case 'O':
    case 'S':
        type_read(n);
        return;
    case 'T':
        until_end(n, type_read);
        return;
    case 'F':
        function_type_read(n);
        return;
    case 'D':
        binder_read(n);
        until_end(n, trait_read);
        n->bad |= !name_takes(n, 'L');
        (void)number62_read(n);
        return;
    case 'B':
        earlier_read(n, type_read);
        return;
    }
    n->at--;
    path_read(n);
}

/* Counts steps, too, as parts that lead back can be read many times. */
static void bounded_read(struct name *n, void (*read)(struct name *))
{
    n->bad |= n->depth >= DEPTH_MAX || ++n->steps > STEPS_MAX; /* invariant 3 */
    if (n->bad)
        return;
    n->depth++;
    CORE_CHECK(n->depth <= DEPTH_MAX);
    read(n);
    CORE_CHECK(n->depth > 0);
    n->depth--;
}

static void type_read(struct name *n)
{
    bounded_read(n, part_of_type_read);
}

/* Writes the path of where an implementation stands. */
static void implementation_read(struct name *n, bool of_trait)
{
    disambiguator_read(n);
    path_read(n);
    hidden_read(n, type_read);
    if (of_trait)
        hidden_read(n, path_read);
}

static void part_of_path_read(struct name *n)
{
    switch (name_next(n)) {
    case 'C':
        identifier_read(n);
        return;
    case 'N':
        (void)name_next(n); /* what kind of name it is */
        path_read(n);
        identifier_read(n);
        return;
    case 'M':
        implementation_read(n, false);
        return;
    case 'X':
        implementation_read(n, true);
        return;
    case 'Y':
        hidden_read(n, type_read);
        path_read(n);
        return;
    case 'I':
        path_read(n);
        n->hidden++;
        until_end(n, argument_read);
        n->hidden--;
        return;
    case 'B':
        earlier_read(n, path_read);
        return;
    }
    n->bad = true;
}

static void path_read(struct name *n)
{
    bounded_read(n, part_of_path_read);
}

bool rust_name(const char *symbol, char *out_name, size_t room)
{
    struct name n = {.first = symbol + 2, .at = symbol + 2, .out = out_name, .room = room};

    CORE_CHECK(room > 0);
    if (strncmp(symbol, "_R", 2) != 0 || !isupper((unsigned char)symbol[2]))
        return false;
    *out_name = 0;
    path_read(&n);
    CORE_CHECK(n.used < room);
    if (n.bad)
        *out_name = 0;
    return !n.bad;
}

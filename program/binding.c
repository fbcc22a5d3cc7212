/* See binding.h. */
#include "program/binding.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "program/rust_name.h"

/* Rust's symbols end with a hash, which distinguishes them from C++ namespaces; those of a trait's
 * functions begin with the type. Names of the newer kind get a hash in symbol_name. */
#define RUST_HASH_WORD "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define RUST_HASH "::h" RUST_HASH_WORD RUST_HASH_WORD RUST_HASH_WORD RUST_HASH_WORD
/* The crate mpi, from cargo's registry or a copy in the program, and its C part. */
#define RUST_MPI                                                                                   \
    "mpi::*" RUST_HASH ",_$LT$mpi..*" RUST_HASH ",RSMPI_*(),*/registry/src/*/mpi-[0-9]*/src/*.rs," \
    "*/git/checkouts/rsmpi-*/src/*.rs,*/vendor/mpi/src/*.rs"

static const char known[] = "libcaf_,_gfortran_caf_*(),*/mpi_caf.c,libboost_mpi,boost::mpi::,"
                            "*/boost/mpi/*,MPI::,*/openmpi/ompi/mpi/cxx/*,mpl::,*/include/mpl/*,"
                            "kamping::,*/include/kamping/*," RUST_MPI;
static const char between[] = "boost::,*/include/boost/*,std::,__gnu_cxx::,*/include/c++/*,"
                              "core::*" RUST_HASH ",alloc::*" RUST_HASH ",/rustc/*/library/*";

enum kind { LIBRARY, FUNCTION, SOURCE };

enum { WORDS_MAX = 256 };
static struct {
    struct word {
        enum kind kind;
        enum binding binding;
        char *pattern;
        size_t fixed; /* number of leading bytes that are literal */
    } word[WORDS_MAX];
    unsigned count;
    bool read, sources;
} list;

/* Returns the bytes up to the next comma or single colon. */
static size_t word_bytes(const char *text)
{
    size_t bytes = 0;

    while (text[bytes] && text[bytes] != ',' && text[bytes] != ':')
        do
            bytes += strncmp(text + bytes, "::", 2) == 0 ? 2 : 1;
        while (strncmp(text + bytes, "::", 2) == 0);
    return bytes;
}

static void word_add(const char *text, size_t bytes, enum binding binding)
{
    char *pattern = list.count < WORDS_MAX ? malloc(bytes + 2) : NULL;
    enum kind kind = LIBRARY;

    CORE_CHECK(bytes > 0);
    CORE_CHECK(binding != BINDING_NONE);
    if (!pattern)
        return;
    memcpy(pattern, text, bytes);
    pattern[bytes] = 0;
    if (strchr(pattern, '/')) {
        kind = SOURCE;
    } else if (bytes > 2 && strcmp(pattern + bytes - 2, "()") == 0) {
        kind = FUNCTION;
        pattern[bytes - 2] = 0;
    } else {
        kind = strstr(pattern, "::") ? FUNCTION : LIBRARY;
        strcat(pattern, "*");
    }
    list.word[list.count++] = (struct word){kind, binding, pattern, strcspn(pattern, "*?[")};
}

static void words_read(const char *text, enum binding binding)
{
    while (text && *text) {
        size_t bytes = word_bytes(text);
        CORE_CHECK(bytes <= strlen(text));
        if (bytes)
            word_add(text, bytes, binding);
        text += bytes + (text[bytes] != 0);
    }
}

static void list_read(void)
{
    list.read = true;
    words_read(getenv("CROSSWAIT_BINDINGS"), BINDING_IS);
    for (unsigned i = 0; i < list.count; i++)
        list.sources |= list.word[i].kind == SOURCE;
    words_read(known, BINDING_IS);
    words_read(between, BINDING_BETWEEN);
}

static enum binding binding_matches(enum kind kind, const char *name)
{
    if (!list.read)
        list_read();
    CORE_CHECK(list.count <= WORDS_MAX);
    for (const struct word *w = list.word; w < list.word + list.count; w++)
        if (w->kind == kind && strncmp(w->pattern, name, w->fixed) == 0 &&
            fnmatch(w->pattern, name, FNM_NOESCAPE) == 0)
            return w->binding;
    return BINDING_NONE;
}

bool binding_library(const char *file)
{
    return binding_matches(LIBRARY, file) != BINDING_NONE;
}

enum binding binding_function(const char *name)
{
    return binding_matches(FUNCTION, name);
}

enum binding binding_source(const char *path)
{
    return binding_matches(SOURCE, path);
}

bool binding_sources(void)
{
    if (!list.read)
        list_read();
    return list.sources;
}

/* --- names of symbols ------------------------------------------------------------------------- */

/* Parse parts of the Itanium ABI's grammar, enough to find the end of a part of a name. Each
 * returns the address behind the part; NULL: it contains expressions, or is no such name. */
static const char *part_skip(const char *at);

static const char *digits_skip(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static const char *word_skip(const char *at, const char **out_word, size_t *out_bytes)
{
    char *word;
    unsigned long bytes = strtoul(at, &word, 10);

    CORE_CHECK(word > at); /* there is a digit */
    if (bytes > strlen(word))
        return NULL;
    *out_word = word;
    *out_bytes = bytes;
    return word + bytes;
}

/* Skips to the E that ends the enclosing part. */
static const char *parts_skip(const char *at)
{
    while (at && *at && *at != 'E')
        at = part_skip(at);
    return at && *at ? at + 1 : NULL;
}

static const char *literal_skip(const char *at)
{
    if (*at == '_') /* a name */
        return parts_skip(at);
    at = part_skip(at);
    at = at ? strchr(at, 'E') : NULL;
    return at ? at + 1 : NULL;
}

static const char *part_skip(const char *at)
{
    const char *word;
    size_t bytes;

    if (isdigit((unsigned char)*at))
        return word_skip(at, &word, &bytes);
    switch (*at) {
    case 'N':
    case 'I':
    case 'J':
    case 'F':
    case 'Z':
        return parts_skip(at + 1);
    case 'L':
        return literal_skip(at + 1);
    case 'U': /* lambdas and unnamed types; other words are qualifiers */
        if (at[1] != 'l' && at[1] != 't')
            return at + 1;
        at = at[1] == 'l' ? parts_skip(at + 2) : at + 2;
        at = at ? digits_skip(at) : NULL;
        return at && *at == '_' ? at + 1 : NULL;
    case 'S':
    case 'T':
        if (islower((unsigned char)at[1]))
            return at + 2;
        at = strchr(at, '_');
        return at ? at + 1 : NULL;
    case 'A':
        at = digits_skip(at + 1);
        return *at == '_' ? at + 1 : NULL;
    case 'D':
        return at[1] && !strchr("tTOwB", at[1]) ? at + 2 : NULL;
    case 'X':
    case 'E':
    case 0:
        return NULL;
    case '_': /* number of one of several in a function */
        return digits_skip(at + (at[1] == '_' ? 2 : 1));
    }
    return at + 1;
}

static void name_add(char *name, const char *word, size_t bytes)
{
    size_t used = strlen(name);

    CORE_CHECK(used < BINDING_NAME_MAX);
    if (bytes >= 10 && strncmp(word, "_GLOBAL__N", 10) == 0) /* an unnamed namespace */
        return;
    snprintf(name + used, BINDING_NAME_MAX - used, "%s%.*s", used ? "::" : "", (int)bytes, word);
}

static void symbol_name(const char *symbol, char *out_name)
{
    const char *at = symbol + 2, *word;
    size_t bytes;
    bool more;

    *out_name = 0;
    if (rust_name(symbol, out_name, BINDING_NAME_MAX - 20)) {
        name_add(out_name, "h0000000000000000", 17);
        return;
    }
    if (strncmp(symbol, "_Z", 2) != 0) { /* copies made by the compiler have a dot */
        name_add(out_name, symbol, strcspn(symbol, "."));
        return;
    }
    at += strspn(at, "Z"); /* something inside a function: use that function */
    more = *at == 'N';
    at += more + (more ? strspn(at + 1, "rVKRO") : 0);
    do {
        if (strncmp(at, "St", 2) == 0) {
            name_add(out_name, "std", 3);
            at += 2;
            more |= isdigit((unsigned char)*at) != 0;
            continue;
        }
        at += *at == 'L' && isdigit((unsigned char)at[1]); /* local to this file */
        if (isdigit((unsigned char)*at)) {
            at = word_skip(at, &word, &bytes);
            if (at)
                name_add(out_name, word, bytes);
        } else if (*at == 'I') {
            at = parts_skip(at + 1);
        } else if (*at == 'B') {
            at = part_skip(at + 1);
        } else {
            if (*at && *at != 'E')
                name_add(out_name, islower((unsigned char)*at) ? "operator" : "?",
                         islower((unsigned char)*at) ? 8 : 1);
            return;
        }
    } while (more && at);
}

enum binding binding_symbol(const char *symbol)
{
    char name[BINDING_NAME_MAX];

    symbol_name(symbol, name);
    return binding_function(name);
}

/* Variables of a program from its symbols and debug information: which one lies at an address, and
 * whether elements of datatypes are what it holds.
 *
 *  1. Only certain names are given: locations that are computed in another way than from the
 *     frame or as a constant, types of unknown encoding or size, bit fields, fit everything.
 *  2. Where several variables lie at an address (unions in Fortran's clothes, inlined functions),
 * an element that one of them holds is right, and they end where the last of them ends. */
#ifndef PROGRAM_VARIABLE_H
#define PROGRAM_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "program/site.h"

enum { VARIABLE_TEXT_BYTES = 160, VARIABLE_SLOTS_MAX = 8, VARIABLE_SAME_MAX = 16 };

/* A basic element of a datatype, as it lies in memory. */
enum variable_sort {
    VARIABLE_ANY,       /* bytes: fits everything */
    VARIABLE_CHARACTER, /* one byte, of a type of its own */
    VARIABLE_INTEGER,   /* and enumerations, and logical ones */
    VARIABLE_FLOATING
};
enum variable_sign { VARIABLE_EITHER, VARIABLE_SIGNED, VARIABLE_UNSIGNED };
struct variable_element {
    enum variable_sort sort;
    uint32_t bytes;
    enum variable_sign sign; /* of an integer of more than one byte: a signed one is none that is
                                unsigned, while an unsigned one is often given as a signed one */
};

/* How an element lies in a variable, from good to bad. */
enum variable_fit {
    VARIABLE_FITS,
    VARIABLE_FITS_LOOSELY, /* a character, where something larger is */
    VARIABLE_IS_OTHER,     /* of another kind or size than what is there */
    VARIABLE_IS_POINTER,   /* there is a pointer */
    VARIABLE_IS_BETWEEN    /* there is nothing, or the middle of something */
};
struct variable_answer {
    enum variable_fit fit;
    uint64_t run; /* bytes from there on for which it holds just so, if the element repeats */
    char type[VARIABLE_TEXT_BYTES]; /* of what is there; "" where it fits */
};

struct variable; /* one that was found, or several at one place */

struct variable_place {
    const char *module; /* path */
    const unsigned char *build_id;
    size_t build_id_bytes;
    uint64_t pc; /* a return address in the frame's function; both relative to the module's bias */
    uint64_t address;     /* of the memory, for variable_find_static */
    uint64_t sp, cfa, fp; /* of the frame: as in struct spool_memory */
};
struct variable_asked {
    uint64_t address;    /* of the process, that is looked for in the frame; */
    const int64_t *slot; /* or, where it is elsewhere, places of the frame, relative to cfa, with
                            pointers to it; NULL: none */
    uint32_t slot_count;
};

/* Each of them: CORE_NOT_FOUND, without a report, where nothing is known. */
/* The one that holds the address, in the frame; or what its pointers point to, of unknown size, as
 * far as their types tell. */
enum core_status variable_find_local(struct site_resolver *resolver,
                                     const struct variable_place *place,
                                     const struct variable_asked *asked,
                                     struct variable **out_variable);
/* Before something that is wrong with it is told: whether it is certain that at the call the place
 * in the frame is that variable's (variable_frame.c invariant 1). It becomes one with which all is
 * right that is right with another variable of the function, or NULL: it is not certain. */
enum core_status variable_confirm(struct site_resolver *resolver,
                                  const struct variable_place *place,
                                  const struct variable_asked *asked, struct variable **variable);
/* The one that holds place->address in the module itself; without debug information, the symbol. */
enum core_status variable_find_static(struct site_resolver *resolver,
                                      const struct variable_place *place,
                                      struct variable **out_variable);
void variable_free(struct variable *variable); /* takes NULL */

const char *variable_name(const struct variable *variable);
const char *variable_type(const struct variable *variable); /* "int[10]"; NULL unknown */
const char *variable_file(const struct variable *variable); /* last component; NULL unknown */
int variable_line(const struct variable *variable);         /* 0 unknown */
/* Where the address lies in it, and its end, both relative to its start. Of what is pointed to: 0
 * and UINT64_MAX. */
uint64_t variable_offset(const struct variable *variable);
uint64_t variable_bytes(const struct variable *variable);
/* Bytes of the structures that it is a row of, the address being where one of them begins, and
 * their type; 0: it is none, or not known. */
uint64_t variable_structure_bytes(const struct variable *variable, char *out_type, size_t room);
bool variable_is_pointed(const struct variable *variable); /* what a pointer points to */
/* In the memory pointed to there is one element of a datatype every so many bytes. */
void variable_repeat(struct variable *variable, uint64_t bytes);
/* Whether such an element may lie `offset` bytes behind the address that was looked for. */
void variable_ask(const struct variable *variable, int64_t offset, struct variable_element element,
                  struct variable_answer *out_answer);

#endif

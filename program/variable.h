/* Finds the variable at an address from a program's symbols and debug information, and tells
 * whether elements of datatypes match its content.
 *
 *  1. Only certain answers are given: locations that are neither relative to the frame nor
 *     constant, types of unknown encoding or size, and bit fields fit everything.
 *  2. If several variables lie at an address (unions declared as Fortran variables, inlined
 *     functions), an element that fits one of them is right, and their end is the last one's. */
#ifndef PROGRAM_VARIABLE_H
#define PROGRAM_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "program/site.h"

enum { VARIABLE_TEXT_BYTES = 160, VARIABLE_SLOTS_MAX = 8, VARIABLE_SAME_MAX = 16 };
enum { VARIABLE_SLOT_ITSELF = -1 };

/* A basic element of a datatype, in memory. */
enum variable_sort {
    VARIABLE_ANY,       /* bytes: fits everything */
    VARIABLE_CHARACTER, /* one byte, of a character type */
    VARIABLE_INTEGER,   /* also enumerations and logicals */
    VARIABLE_FLOATING
};
enum variable_sign {
    VARIABLE_EITHER,
    VARIABLE_SIGNED,
    VARIABLE_UNSIGNED,
    VARIABLE_SIGN_MATTERS,
    VARIABLE_SIGN_SET
};
struct variable_element {
    enum variable_sort sort;
    uint32_t bytes;
    enum variable_sign sign; /* for integers of several bytes: an unsigned element does not fit a
                                signed variable, but programs often send unsigned as signed. SIGN_
                                MATTERS: a signed element that is compared. It does not fit unsigned
                                of up to 4 bytes, whose upper half is often used. SIGN_SET: one of
                                the compared elements is in the upper half. */
};

/* How an element fits a variable, from good to bad. */
enum variable_fit {
    VARIABLE_FITS,
    VARIABLE_FITS_LOOSELY, /* a character, where the variable has something larger */
    VARIABLE_IS_OTHER,     /* the variable has another kind or size there */
    VARIABLE_IS_POINTER,   /* the variable has a pointer there */
    VARIABLE_IS_BETWEEN    /* the variable has nothing there, or the middle of something */
};
struct variable_answer {
    enum variable_fit fit;
    uint64_t run; /* bytes from there on with the same answer, if the element repeats */
    char type[VARIABLE_TEXT_BYTES]; /* the variable's type there; "" if it fits */
};

struct variable; /* one variable, or several at one place */

struct variable_place {
    const char *module; /* path */
    const unsigned char *build_id;
    size_t build_id_bytes;
    uint64_t pc; /* a return address in the frame's function; relative to the module's bias, like
                    `address` */
    uint64_t address;     /* of the memory, for variable_find_static */
    uint64_t sp, cfa, fp; /* of the frame: as in struct spool_memory */
};
struct variable_slot { /* a pointer to the memory */
    int64_t at;        /* a place of the frame, relative to cfa, or of static memory, relative to
                          the module's bias */
    int32_t inside;    /* VARIABLE_SLOT_ITSELF: the pointer lies there; else there is the address of
                          an object, which has the pointer at this offset */
    int32_t ahead;     /* bytes from the memory's address to the one behind the pointer; -1: none */
};
struct variable_asked {
    uint64_t address;                 /* address of the process to find in the frame; */
    const struct variable_slot *slot; /* or, if it lies elsewhere, pointers to it; NULL: none */
    uint32_t slot_count;
};

/* Each of these returns CORE_NOT_FOUND, without a report, if nothing is known. */
/* Finds the variable in the frame that holds the address; or the target of pointers, of unknown
 * size, by their types. */
enum core_status variable_find_local(struct site_resolver *resolver,
                                     const struct variable_place *place,
                                     const struct variable_asked *asked,
                                     struct variable **out_variable);
/* Called before a mistake about the variable is reported: checks that at the call the place in the
 * frame is certainly that variable's (variable_frame.c invariant 1). *variable becomes one that
 * also accepts what any other variable of the function at this place accepts, or NULL: not
 * certain. */
enum core_status variable_confirm(struct site_resolver *resolver,
                                  const struct variable_place *place,
                                  const struct variable_asked *asked, struct variable **variable);
/* Finds the variable that holds place->address in the module itself; without debug information, the
 * symbol. */
enum core_status variable_find_static(struct site_resolver *resolver,
                                      const struct variable_place *place,
                                      struct variable **out_variable);
/* Finds the target of pointers in static memory, by their types; place has the module. */
enum core_status variable_find_pointed(struct site_resolver *resolver,
                                       const struct variable_place *place,
                                       const struct variable_asked *asked,
                                       struct variable **out_variable);
/* Called before a mistake about the target of a pointer is reported: adds the pointers of the
 * calling function that have no place in memory and that the source mentions in the call. Any of
 * them may be another pointer to the target. */
enum core_status variable_alias(struct site_resolver *resolver, const struct variable_place *call,
                                struct variable *variable);
void variable_free(struct variable *variable); /* accepts NULL */

const char *variable_name(const struct variable *variable);
const char *variable_type(const struct variable *variable); /* "int[10]"; NULL: unknown */
const char *variable_file(const struct variable *variable); /* last component; NULL: unknown */
int variable_line(const struct variable *variable);         /* 0: unknown */
/* The address and the end of the variable, both relative to its start. For the target of a pointer:
 * 0 and UINT64_MAX. */
uint64_t variable_offset(const struct variable *variable);
uint64_t variable_bytes(const struct variable *variable);
/* Returns the size of the structures that the variable is an array of, if the address is the start
 * of one, and their type; 0: none, or unknown. */
uint64_t variable_structure_bytes(const struct variable *variable, char *out_type, size_t room);
/* Tells whether the address is the start of an object of at most `bytes` bytes with a string,
 * container or pointer of the C++ library, which owns memory elsewhere, and writes its type. */
bool variable_owns(const struct variable *variable, uint64_t bytes, char *out_type, size_t room);
/* The same for a structure with a pointer of its own, and writes "`name` (type)" of that member. */
bool variable_has_pointer(const struct variable *variable, uint64_t bytes, char *out_member,
                          size_t room);
/* Tells whether the variable is an integer of 8 bytes that the source gives to the MPI call, of
 * variable_find_local's place, as the argument of that number (from 1). */
bool variable_is_wide_argument(const struct variable *variable, unsigned number);
bool variable_is_pointed(const struct variable *variable); /* it is the target of a pointer */
/* Returns the bytes of the elements that a vector has from the address on; -1: it is no vector, or
 * the compiler may keep its size elsewhere. */
int64_t variable_filled(const struct variable *variable);
/* Notes that the target of a pointer has one element of a datatype every `bytes` bytes. */
void variable_repeat(struct variable *variable, uint64_t bytes);
/* Tells whether such an element may lie `offset` bytes behind the queried address. */
void variable_ask(const struct variable *variable, int64_t offset, struct variable_element element,
                  struct variable_answer *out_answer);

#endif

/* Puts records of misuse (core/trace/misuse.h) into words. */
#ifndef CHECKERS_WORDING_MISUSE_H
#define CHECKERS_WORDING_MISUSE_H

#include "core/trace/misuse.h"

/* Words for a misuse: "'tag' is -3: tags are not negative". other: the name of the other call that
 * it is about; NULL: unknown. traits: of the misused call; buffers of local calls and of file calls
 * are neither sent nor received. Free with free(); NULL: out of memory. */
char *wording_misuse(const struct misuse *misuse, uint64_t traits, const char *other);
/* Describes what differs between occurrences: where overlapping buffers lie, and in how many bytes.
 * Free with free(); NULL: nothing to say, or out of memory. */
char *wording_misuse_detail(const struct misuse *misuse);
/* Returns the words of a kind, with placeholders for the data of a record: %a, %b and %c its names,
 * %0, %1 %2 and %3 its values (%s: the plural of the value before it), %o its object, %n the name
 * of a null handle, %e the other call, %v the memory of a buffer, %d its datatype, %f and %t the
 * byte of that memory ("from", "at"); %S and %R "sent" and "received", %X and %Y "sends" and
 * "receives". */
const char *wording_misuse_form(enum misuse_kind kind);

#endif

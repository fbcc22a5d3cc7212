/* Words of what was misused (core/trace/misuse.h). */
#ifndef CHECKERS_WORDING_MISUSE_H
#define CHECKERS_WORDING_MISUSE_H

#include "core/trace/misuse.h"

/* Words for a misuse: "'tag' is -3: tags are not negative". other: the name of the other call that
 * it is about, NULL where none is known. traits: of its own call; buffers of local calls, and of
 * those on files, are neither sent nor received. Free with free(); NULL: out of memory. */
char *wording_misuse(const struct misuse *misuse, uint64_t traits, const char *other);
/* Words for what differs from one occurrence to the next: where buffers lie that overlap, and in
 * how many bytes. Free with free(); NULL: nothing to say, or out of memory. */
char *wording_misuse_detail(const struct misuse *misuse);
/* The words of a kind, with places for what a record of it holds: %a, %b and %c its names, %0, %1
 * %2 and %3 its values (%s: the plural of the value before it), %o its object, %n what names none,
 * %e the other call, %v the memory of a buffer, %d its datatype, %f and %t from or at which byte of
 * the memory; %S and %R "sent" and "received", %X and %Y "sends" and "receives". */
const char *wording_misuse_form(enum misuse_kind kind);

#endif

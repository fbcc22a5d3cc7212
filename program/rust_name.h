/* Names of Rust's functions as its compiler writes them since 1.95 for its own library, and with
 * -C symbol-mangling-version=v0 for a program (RFC 2603). Names of the older kind are those of C++
 * with a hash at their end. */
#ifndef PROGRAM_RUST_NAME_H
#define PROGRAM_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the function, beginning with the crate that defines it: "mpi::topology::rank".
 * Types are left out, so that a trait's function is one of where the trait is implemented. A path
 * that does not fit is cut. false: symbol is no such name, and nothing is written. */
bool rust_name(const char *symbol, char *out_name, size_t room);

#endif

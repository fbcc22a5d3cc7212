/* Finds the program's own array of requests where a Fortran interface gives the call a copy.
 *
 *  1. An array is found only if it holds the Fortran handles of two or more known requests, each in
 *     its place. */
#ifndef INTERPOSE_MISUSE_FORTRAN_ARRAY_H
#define INTERPOSE_MISUSE_FORTRAN_ARRAY_H

#include "interpose/recorder.h"

/* Returns the array of `count` Fortran handles; NULL: not found. cfa: of the call. */
const void *fortran_array_find(void **cfa, const MPI_Request *request, int count);

#endif

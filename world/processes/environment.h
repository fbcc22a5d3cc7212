/* The environment in which a program's ranks run: our library for its ABI, preloaded, and
 * variables. Programs often read the number of ranks, which a launcher sets, before MPI_Init; h5py
 * does so to choose its library. Its own rank a process learns when it is forked
 * (ranks/fork_server.c). */
#ifndef WORLD_PROCESSES_ENVIRONMENT_H
#define WORLD_PROCESSES_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "world/processes/processes.h"
#include "world/processes/region.h"

const char *environment_library_name(enum region_abi abi);
/* Writes what to preload: `wanted`, or if that is NULL our library for the ABI. Returns false if
 * there is no such file. */
bool environment_library(const char *wanted, enum region_abi abi, char *out, size_t room);
/* Sets the variables, in the process that then becomes the program. */
void environment_set(const struct world_program *program, enum region_abi abi, const char *library);

#endif

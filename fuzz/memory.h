/* Tracks the allocations of a collective: its object files call the functions of replaced.c instead
 * of malloc and its like (program/globals.sh --memory), and these call memory.c. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Begins a world; allocations of earlier worlds no longer count. */
void memory_world_starts(void);
/* The process that runs the world: a child that a rank forks is another one. */
extern pid_t memory_process;
/* Ends a world after all ranks have returned (world_options.returned): what they allocated and did
 * not free is lost, unless it can be reached from what they keep. Frees both. */
void memory_world_returned(void);
/* Finds lost memory; false if there is none. text[WORLD_TEXT_MAX] describes it. */
bool memory_lost(int *out_rank, char *text);
/* Prints where it was allocated, one line for each place: "allocated in FUNCTION, FILE:LINE". */
void memory_lost_places(FILE *out);

/* Act as malloc (calloc), realloc and free; `site`: the caller in the program. */
void *memory_allocate(size_t bytes, bool zeroed, const void *site);
void *memory_reallocate(void *data, size_t bytes, const void *site);
void memory_free(void *data);
/* Notes a block that another function than malloc allocated, and the function that frees it;
 * returns the block. */
typedef void (*memory_release_fn)(void *data);
void *memory_note(void *data, size_t bytes, memory_release_fn release, const void *site);
/* Forgets a block, which the caller frees. */
void memory_forget(void *data);
/* Zeroes bytes of a large block at no cost; false if they are not within one. */
bool memory_zero_sparse(char *begin, size_t bytes);

/* Handles a report of the undefined-behaviour sanitizer. An offset of zero from a null pointer,
 * which count 0 causes, is a note ("note: FILE:LINE: ..." on standard error with memory_notes); all
 * others are its findings. */
extern bool memory_notes;

#endif

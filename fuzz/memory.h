/* Follows the allocations of a collective: its object files call the functions of replaced.c in
 * place of malloc and its kin (program/globals.sh --memory), and these call memory.c. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A world starts; what an earlier one left behind counts no more. */
void memory_world_starts(void);
/* All ranks have returned (world_options.returned): what they allocated and did not free is lost,
 * but for what can be reached from what they keep. Both are freed. */
void memory_world_returned(void);
/* Finds lost memory: false for none; text[WORLD_TEXT_MAX] says it. */
bool memory_lost(int *out_rank, char *text);
/* Where it was allocated, a line each place: "allocated in FUNCTION, FILE:LINE". */
void memory_lost_places(FILE *out);

/* As malloc (calloc), realloc and free; `site`: where the program calls it. */
void *memory_allocate(size_t bytes, bool zeroed, const void *site);
void *memory_reallocate(void *data, size_t bytes, const void *site);
void memory_free(void *data);
/* A block that another function than malloc gave, with the one that frees it; returns the block. */
typedef void (*memory_release_fn)(void *data);
void *memory_note(void *data, size_t bytes, memory_release_fn release, const void *site);
/* It is freed by whoever calls this. */
void memory_forget(void *data);
/* Zeroes in a large block cost nothing; false: it is not within one. */
bool memory_zero_sparse(char *begin, size_t bytes);

/* Handles a report of the undefined-behaviour sanitizer. An offset of zero from a null pointer,
 * which is what count 0 gives, is a note ("note: FILE:LINE: ..." on standard error with
 * memory_notes), everything else its finding. */
extern bool memory_notes;

#endif

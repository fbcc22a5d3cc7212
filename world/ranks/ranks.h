/* A rank that is a process of the unmodified program: the library that is preloaded into it.
 *
 * The program is started once and runs up to its MPI_Init. There it becomes a server
 * (fork_server.c) that forks all ranks of a world, so that whatever has an address in one of them
 * has the same in all. They share the variables marked WORLD_SHARED and the arena; everything else
 * is a process's own.
 *
 * Invariants: 1. At most one process runs, and only it touches what is shared: the rank of
 * WORLD->fiber, or, while world_process_at waits, the one that it named. 2. A fiber that is no
 * thread of its rank runs on a stack of its rank's process, or in a thread of its own. 3. What one
 * process gives another to call or read is in shared memory, or the same in all since before the
 * fork. */
#ifndef WORLD_RANKS_RANKS_H
#define WORLD_RANKS_RANKS_H

#include <sys/types.h>

#include "world/processes/region.h"
#include "world/state.h"

extern struct region *rank_region; /* NULL: not in a world */
extern int rank_own; /* which rank this process is; -1: before MPI_Init, or the server */

/* fork_server.c */
_Noreturn void rank_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* sched.c */
extern __thread uint32_t rank_slot; /* which fiber the calling thread is: its slot */
void rank_sched_begin(void);        /* of a new world: nobody runs, and nobody is asked */
void rank_sched_give(const struct world_fiber *to);
void rank_sched_wait(void);
/* Waits until the searcher is scheduled; false: it is not before that time (ms). */
bool rank_sched_back(uint64_t until_ms);
/* For the searcher: runs it in the process of that rank. */
bool rank_sched_ask(int rank, void (*run)(void *argument), uint64_t until_ms);
uint64_t rank_now_ms(void);     /* of the machine */
_Noreturn void rank_over(void); /* the world cannot go on */
void rank_leave(int status, void *unused);

/* event_log.c */
void rank_layers_find(void);
void rank_event(void *unused, const struct world_event *event);

/* threads.c */
int rank_thread_count(int process);
/* Waits until *scheduled may have changed: it was `seen`. */
void rank_threads_rest(_Atomic uint32_t *scheduled, uint32_t seen);
bool rank_threads_inside(void); /* the calling one is in a call of MPI */
void rank_threads_leave(void);  /* the calling one ends the process */

/* versions.c: processes of a rank, each forked from the one before it. */
bool rank_version_is_last(void);
bool rank_version_goes_on(void); /* is scheduled: false, if a later version was, and has ended */
void rank_versions_drop(uint32_t depth); /* those of more */

/* states.c */
void rank_states_search(void);
void rank_states_begin(void);  /* before there are ranks */
void rank_states_answer(void); /* of a new world: there is none yet */

/* states_hash.c */
/* shared.c: notes that the rank that begins has memory that it shares; maps memory that is ours. */
void rank_shared_tell(void);
void *rank_map(void *at, size_t bytes, int flags, int file, off_t from);
void rank_memory_take(void *unused); /* in a rank: into rank_region */
bool rank_states_hash(uint64_t out_hash[2]);
void rank_states_end_hash(uint64_t out_hash[2]);
/* The same of one rank alone. */
bool rank_states_local_hash(int rank, uint64_t out_hash[2], uint64_t out_end[2]);
/* fork_server.c: files of these numbers are asked for. */
enum { RANK_FILES_ASKED = 1024 };
const char *rank_files_changed(void); /* why; NULL: they are as they were */
bool rank_file_is_compared(int file); /* where it is read next: by rank_files_changed */
/* kernel_state.c: from here on the rank changes nothing that the kernel keeps for it but what
 * rank_kernel_hash and its maps tell, or it is ended. NULL, or why that cannot be. */
const char *rank_kernel_watch(void);
void rank_kernel_hash(uint64_t out_hash[2]);
int rank_errno(void); /* sched.c: the program's, while it waits */
/* The memory that all ranks share: bytes of variables, and the tables behind them. */
size_t rank_shared(void **out_variables, void **out_tables, size_t *out_tables_bytes);
int rank_stream(int number); /* of a rank: two */

/* poll_state.c */
struct rank_frame {
    uintptr_t sp, kept[6];
};
bool rank_frame_find(struct rank_frame *out_frame); /* the program's, that called this library */
enum { RANK_LEFT_OUT = 3 };
struct rank_range {
    uintptr_t from, to;
};
/* This library's own, what its waiting leaves in errno, and where the kernel tells the thread on
 * which processor it runs. */
void rank_left_out(struct rank_range out_range[RANK_LEFT_OUT]);
/* Whether a line of the maps is the stack of the first thread. */
bool rank_map_is_stack(const char *line, const char *line_end);
/* All of /proc/self/maps; 0: it does not fit. */
size_t rank_maps_read(char *text, size_t room);

/* imports.c */
/* Refuses a program that needs what is not here, or is built for another MPI library. */
void rank_needs_check(void);

#endif

/* A rank that is a process of the unmodified program: the library that is preloaded into it.
 *
 * The program is started once and runs up to its MPI_Init. There it becomes a server
 * (fork_server.c) that forks all ranks of a world, so that an address in one rank is the same in
 * all. The ranks share the variables marked WORLD_SHARED and the arena; each process owns
 * everything else.
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
extern int rank_own;               /* rank of this process; -1: before MPI_Init, or the server */

/* fork_server.c */
_Noreturn void rank_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* sched.c */
extern __thread uint32_t rank_slot; /* slot of the calling thread's fiber */
void rank_sched_begin(void);        /* of a new world: no thread runs and no rank is asked */
void rank_sched_give(const struct world_fiber *to);
void rank_sched_wait(void);
void rank_sched_return(void); /* to the searcher, in the middle of a call */
/* Waits until the searcher is scheduled; false if that does not happen before that time (ms). */
bool rank_sched_back(uint64_t until_ms);
/* For the searcher: runs the function in the process of that rank. */
bool rank_sched_ask(int rank, void (*run)(void *argument), uint64_t until_ms);
uint64_t rank_now_ms(void);     /* the machine's clock */
_Noreturn void rank_over(void); /* the world cannot continue */
void rank_leave(int status, void *unused);

/* inherited.c: files that the program opens before its ranks are forked: notes which were open when
 * it started; finds the others; in a rank: makes them the rank's own. */
void rank_inherited_start(void);
void rank_inherited_find(void);
void rank_inherited_own(void);
/* clock.c: sets the clock when the program starts. */
void rank_clock_begin(void);

/* event_log.c */
void rank_layers_find(void);
void rank_event(void *unused, const struct world_event *event);

/* threads.c */
extern int rank_level; /* the MPI_THREAD_... that the program asks for */
int rank_thread_count(int process);
/* Waits until *scheduled may differ from `seen`. */
void rank_threads_rest(_Atomic uint32_t *scheduled, uint32_t seen);
bool rank_threads_inside(void); /* the calling thread is in a call of MPI */
void rank_threads_leave(void);  /* the calling thread ends the process */

/* versions.c: processes of a rank, each forked from its predecessor. */
bool rank_version_is_last(void);
bool rank_version_goes_on(void);         /* when scheduled; false: a later version ran and ended */
void rank_versions_drop(uint32_t depth); /* ends the versions of a greater depth */
void rank_version_leaves(void);          /* the rank is about to end */
void rank_runners_end(void);             /* for the searcher: from now on ranks fork */

#define RANK_NO_SNAPSHOTS "a rank cannot go back to an earlier state in one process"
/* snapshots.c: a rank's process goes back to earlier states. RANK_SCRATCH: memory of this library
 * that snapshots leave out, as only the searcher uses it, or one call of a function alone. */
#define RANK_SCRATCH __attribute__((section("rank_scratch")))
bool rank_snapshots_begin(void); /* false: the rank has too much memory */
/* Takes a snapshot; true when the rank came back to it. */
bool rank_snapshot_take(uint32_t depth);
_Noreturn void rank_snapshot_return(uint32_t depth); /* to the last one of at most that depth */
uint32_t rank_snapshot_depth(void);                  /* of the last one */
bool rank_snapshots_full(void);                      /* there was no room for the last one */
void rank_snapshots_run(void);                       /* the program's code runs from now on */

/* states.c */
void rank_states_search(void);
void rank_states_begin(void);  /* before ranks exist */
void rank_states_answer(void); /* for a new world: clears the answer */

/* states_hash.c */
/* shared.c: notes that the starting rank has memory that it shares; maps memory of our library. */
void rank_shared_tell(void);
/* In a function that replaces one of the C library's: declares `real`, the replaced one. Needs
 * dlfcn.h and string.h. */
#define RANK_REAL(name)                         \
    static __typeof__(&name) real;              \
    if (!real) {                                \
        void *symbol = dlsym(RTLD_NEXT, #name); \
        memcpy(&real, &symbol, sizeof real);    \
    }

/* real_files.c: ends the process if the call would change a file that worlds do not isolate;
 * follow: a link's own file. */
void rank_file_changes(int folder, const char *name, bool follow);
/* The same after a renaming or a hard link that failed as a world isolates the two folders apart.
 */
void rank_file_crosses(int folder, const char *from, int other, const char *to);
/* posix.c: tells whether that code is the program's, or of another library than ours. */
bool rank_is_theirs(const void *caller);
/* outside.c: notes that the starting or ending rank uses signals or sockets. */
void rank_outside_tell(void);
void rank_outside_note(enum world_outside use);
/* chance.c: notes that the rank got values that differ from job to job. */
void rank_chance_tell(void);
bool rank_is_interpreter(const void *code); /* Python's */
void rank_chance_drawn(const void *caller); /* the caller draws random numbers of the system */
void *rank_map(void *at, size_t bytes, int flags, int file, off_t from);
void rank_memory_take(void *unused); /* in a rank: hashes its memory into rank_region */
bool rank_states_hash(uint64_t out_hash[2]);
void rank_states_end_hash(uint64_t out_hash[2]);
/* Computes the same hashes of one rank alone. */
bool rank_states_local_hash(int rank, uint64_t out_hash[2], uint64_t out_end[2]);
/* fork_server.c: file numbers that are checked. */
enum { RANK_FILES_ASKED = 1024 };
const char *rank_files_changed(void); /* the reason; NULL if the files are unchanged */
void rank_files_freeze(void);         /* counts the open files, of which none can be closed */
bool rank_file_is_ours(int file);     /* the program did not open it */
bool rank_file_is_compared(int file); /* rank_files_changed compares its read position */
/* kernel_state.c: ends the rank from now on if it changes state in the kernel that rank_kernel_hash
 * and its maps do not show. Returns NULL, or why that cannot be checked. */
const char *rank_kernel_watch(void);
void rank_kernel_hash(uint64_t out_hash[2]);
/* From now on nothing changes that rank_kernel_hash and the maps show. */
bool rank_kernel_freeze(void);
bool rank_kernel_is_frozen(void);
int rank_errno(void); /* sched.c: the program's errno while it waits */
/* The memory that all ranks share: bytes of variables, and the tables that follow them. */
size_t rank_shared(void **out_variables, void **out_tables, size_t *out_tables_bytes);
int rank_stream(int number);          /* of a rank: it has two */
size_t rank_stream_bytes(int number); /* states.c: for the searcher */

/* poll_state.c */
struct rank_frame {
    uintptr_t sp, kept[6];
};
bool rank_frame_find(struct rank_frame *out_frame); /* the program's frame that called us */
enum { RANK_LEFT_OUT = 3 };
struct rank_range {
    uintptr_t from, to;
};
/* Memory that is left out: this library's own, what its waiting leaves in errno, and where the
 * kernel tells the thread which processor it runs on. */
void rank_left_out(struct rank_range out_range[RANK_LEFT_OUT]);
/* Tells whether a line of the maps is the stack of the first thread. */
bool rank_map_is_stack(const char *line, const char *line_end);
/* Reads all of /proc/self/maps; returns 0 if it does not fit. */
size_t rank_maps_read(char *text, size_t room);

/* imports.c */
/* Refuses a program that needs a function that we lack, or is built for another MPI library. */
void rank_needs_check(void);

#endif

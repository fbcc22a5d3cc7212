/* Memory that the process that runs worlds shares with the ranks of a world: one memory file,
 * mapped by both. The variables of our library and the memory of the worlds follow the struct; only
 * the ranks use them.
 *
 * Invariants: 1. The runner writes the request between worlds, the program's side everything else
 * while a world runs; a byte over the socket passes the turn. 2. Names are `names` plus one where
 * the interface has a text: the addresses differ. */
#ifndef WORLD_PROCESSES_REGION_H
#define WORLD_PROCESSES_REGION_H

#include <stdatomic.h>

#include "world/processes/processes.h"
#include "world/processes/scratch.h"

#define REGION_VARIABLE "CROSSWAIT_WORLD" /* NUMBERS: region, socket, then two for each rank */
#define REGION_PRELOAD_VARIABLE "CROSSWAIT_WORLD_PRELOAD" /* what the user preloads */
#define REGION_INPUT "crosswait-input" /* the file that worlds read as standard input */

enum {
    REGION_VERSION = 11,
    REGION_NAMES_MAX = 1024,
    REGION_NAME_MAX = 56,
    REGION_WHY_MAX = 160,
    REGION_NAMED_MAX = 1 << 17, /* decisions and sends that a policy names */
    REGION_REFUSAL_MAX = 2048,
    REGION_SCRIPTS_MAX = 1024,
    REGION_PATH_MAX = 244,
    REGION_MAPS_MAX = 1 << 20,
    REGION_VERSIONS_MAX = 1 << 16,
    REGION_ANSWERS_MAX = 1 << 20,
    REGION_FILES_MAX = 1 << 16,
    REGION_WRITTEN_MAX = 1 << 14
};

/* Messages from the program's side. */
enum { REGION_READY = 'r', REGION_REFUSED = 'x', REGION_DONE = 'd', REGION_FAILED = 'f' };

/* The binary interface of an MPI library; we have a library for each but the last. */
enum region_abi { REGION_OPENMPI, REGION_MPICH, REGION_STANDARD, REGION_OTHER };

struct region_rank {
    _Atomic uint32_t scheduled; /* a futex: slot + 1 of the thread that runs; 0: none */
    _Atomic int32_t pid;
    int32_t status; /* as of waitpid */
    int32_t abort_code;
    bool ended, left, stopped, aborted; /* left: it called exit and said so */
    uint64_t computed_ns;               /* its processor time until then */
    _Atomic bool waits;                 /* for a debugger */
    /* Its call when something was found about it; an empty call: nothing was found. */
    char call[REGION_NAME_MAX], why[REGION_WHY_MAX];
    uint64_t site;
    bool detaching; /* that call waits for messages in the attached buffer */
    /* About its threads (ranks/threads.c): one may do more than was seen; another might have got a
     * mutex first. */
    bool loose, contended, several; /* several: it has had several */
    /* A call that a thread made which may not, a literal of the program's side; NULL: none. */
    const char *stray;
    uint64_t stray_site;
    bool shares; /* it shares memory by itself with other processes */
    enum world_outside outside;
    uint64_t seeds; /* this and the next as world_rank_outcome's */
    unsigned varies;
    bool early; /* it ended without notice while the world ran */
    /* For the search by states: whether it ran since its memory was hashed; the hash; why it has
     * none, a literal of the program's side. */
    bool ran;
    uint64_t memory[2];
    const char *why_not;
};

struct region_name {
    uint64_t key; /* address of the text in the program */
    char text[REGION_NAME_MAX];
};

/* A line of a script that called MPI: a site that is no code address. */
#define REGION_SCRIPT ((uint64_t)1 << 63)
struct region_script {
    uint64_t site; /* from path and line, so that it is the same in all worlds; 0: not used yet */
    int32_t line;
    char path[REGION_PATH_MAX];
};

_Static_assert(sizeof(struct region_script) == 256, "both sides were compiled alike");
_Static_assert(sizeof(struct region_name) == 64, "both sides were compiled alike");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a futex is a word that processes share");
_Static_assert(REGION_READY != REGION_REFUSED && REGION_READY != REGION_DONE &&
                   REGION_DONE != REGION_FAILED && REGION_REFUSED != REGION_FAILED,
               "what is said is distinguished");

/* A world that is searched by its states (ranks/states.c). */
struct region_version {  /* a process in which a rank continues; its parent waits for its end */
    _Atomic int32_t pid; /* 0: it has ended */
    int32_t rank;
    uint32_t depth;
};

struct region_states {
    /* The request. */
    bool wanted;
    bool as_one;                    /* ranks are not executed each by itself */
    bool unmasked[WORLD_RANKS_MAX]; /* its buffers count even before its receives fill them */
    uint32_t ms_max;
    _Atomic uint32_t stop;
    /* The answer: lists of answers, each after its length; each list leads to one end. */
    bool complete, asked_again;
    char why[REGION_WHY_MAX];      /* the reason if not complete */
    char together[REGION_WHY_MAX]; /* why ranks were not executed each by itself; "": they were */
    uint64_t state_count, step_count, list_count, answer_count;
    struct world_state_answer answer[REGION_ANSWERS_MAX];
    /* Used only by the program's side. */
    uint32_t depth; /* a scheduled rank of a smaller depth continues in a new version; 0: none */
    /* Ranks that have exchanged anything since the first state have the same number: the lowest of
     * these ranks. */
    uint16_t part[WORLD_RANKS_MAX];
    bool parts_joined;            /* since the last clear */
    _Atomic uint32_t deaths;      /* a futex: number of versions that ended by themselves */
    _Atomic uint32_t system_call; /* + 1: call that a rank was kept from; 0: none */
    uint32_t version_count;
    struct region_version version[REGION_VERSIONS_MAX];
    /* Runners of ranks (ranks/versions.c): there are some; one cannot take snapshots; their
     * processes; the least depth to which the searcher went back since the rank last ran. */
    bool snapshots, no_snapshots;
    _Atomic int32_t runner[WORLD_RANKS_MAX];
    uint32_t kept[WORLD_RANKS_MAX];
    uint32_t run_count[WORLD_RANKS_MAX]; /* how often the rank was scheduled */
};

/* Files that ranks use without MPI (ranks/posix.c): a hash table with linear probing. */
struct region_file {
    uint64_t identity; /* 0: none */
    int32_t rank;
    uint32_t open;  /* uses that have not ended */
    uint32_t ended; /* the rank's number of the last one that has */
    bool writes;
};
struct region_files {
    _Atomic uint32_t lock;
    bool used, full; /* full: a use did not fit */
    struct world_file_race race;
    struct region_file use[REGION_FILES_MAX];
};

struct region {
    uint32_t version, rank_count;
    uint64_t bytes;   /* of the whole file */
    uint64_t address; /* in the program's address space */
    _Atomic int32_t zygote;
    _Atomic bool busy; /* a world runs */
    char refusal[REGION_REFUSAL_MAX];
    enum region_abi abi; /* of a program refused because our library has another ABI */
    bool number_read;    /* the program read its rank from the environment before its MPI_Init */
    char bug[REGION_REFUSAL_MAX]; /* our assertion that failed in a rank; "": none */
    struct scratch scratch;
    char maps[REGION_MAPS_MAX]; /* the program's maps, with its names for its files */
    /* The request. */
    bool late, warn_types, reduce_last;
    uint64_t step_count_max;
    uint32_t look_ns;
    enum replay_choice_kind kind;
    struct core_random random; /* state of a seed's generator */
    uint64_t choice_count;
    _Atomic int32_t
        debugged; /* + 1: a rank that waits for its debugger; 0: none, or not any more */
    /* The answer. */
    _Atomic uint32_t over; /* a rank saw that the world cannot continue: the rest is ended */
    _Atomic uint32_t time; /* the runner's time limit passed */
    bool again;            /* the world is to run again (world_state.again) */
    char files_written[REGION_WRITTEN_MAX]; /* scratch_list */
    char real_file[SCRATCH_PATH]; /* a rank would have changed it: not isolated; "": none */
    struct world_outcome outcome;
    uint64_t question_count, event_count;
    bool lost;
    struct region_name name[REGION_NAMES_MAX];
    struct region_script script[REGION_SCRIPTS_MAX];
    struct replay_policy policy; /* the names of its lists are in `named`, sends first */
    struct replay_name named[REGION_NAMED_MAX];
    uint32_t choice[WORLD_LOG_MAX];
    struct world_question question[WORLD_LOG_MAX];
    struct world_event event[WORLD_LOG_MAX];
    struct region_states states;
    struct region_files files;
    struct region_rank rank[WORLD_RANKS_MAX + 1]; /* the last one is the searcher's */
};

#endif

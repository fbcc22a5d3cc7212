/* The contract between libcrosswait.so, which is loaded into every process of a job, and a recorder
 * (libcrosswait-openmpi.so, libcrosswait-mpich.so, ...), which is loaded at the first MPI call, for
 * the MPI library that makes it.
 *
 *  1. A recorder exports one symbol, RECORDER_BODY. Its wrappers are sorted by name in strcmp's
 *     order.
 *  2. For each function that the library has, *real is set before the first wrapper is called: to
 *     the function that the application called before. For a function that the library lacks it
 *     keeps the recorder's value; no caller reaches its wrapper. */
#ifndef INTERPOSE_ENTRY_BODY_H
#define INTERPOSE_ENTRY_BODY_H

#include <stdbool.h>
#include <stdint.h>

enum { BODY_VERSION = 6, BODY_TYPE_BYTES = 128 };
#define RECORDER_BODY recorder_body
#define RECORDER_BODY_NAME "recorder_body"

struct body_wrapper {
    const char *name;
    void *wrapper;
    void **real;
};

/* A wrapper for a function that the recorder does not know, once *name is set; it passes on 12
 * words unchanged. */
struct body_spare {
    void *wrapper;
    void **real;
    const char **name;
};

struct body_caught {            /* the C++ exception that was caught last */
    uint32_t count;             /* of all that were caught */
    void *thread;               /* __builtin_thread_pointer of the thread that caught it */
    char type[BODY_TYPE_BYTES]; /* its name in object files; "": unknown */
};

/* The interface that libcrosswait.so gives a recorder. */
struct body_entry {
    const char *library; /* the file of the MPI library */
    /* Lets the library's own calls of another object's function go to this one. */
    void (*bind)(const char *name, void *to);
    /* From now on clears the bits (1 << (signal - 1)) of signals whose handler is about to be set.
     * Returns false if that cannot be observed. */
    bool (*watch_signals)(uint64_t *signals);
    int (*termination_signal)(void); /* signal that asked the process to end; 0: none */
    const struct body_caught *caught;
    /* The variables CROSSWAIT_... with which the process was started, each with a NUL behind it; an
     * empty one ends them. A program may clear its environment before MPI_Init. */
    const char *settings;
};

struct body {
    uint32_t version; /* BODY_VERSION */
    uint32_t count;
    const struct body_wrapper *wrapper;
    uint32_t spare_count;
    const struct body_spare *spare;
    void (*start)(const struct body_entry *entry); /* called once, before any wrapper */
};

#endif

/* Options that `record` and `run` share: how to record a job, and options of the recorder. */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include "cli/options.h"
#include "launch/launch.h"

/* How to record a job; one row of struct options_spec each. */
// clang-format off
#define RECORD_TIMES_SPEC \
    {"times", 0, "WHICH", \
     "all: keep the times of each call; loops: of long loops keep the times of the first rounds " \
     "and of slow ones, and sums of the others (default loops)"}
#define RECORD_JOB_SPECS \
    {"output", 'o', "FILE", \
     "write the trace to FILE (default crosswait.db; in a Slurm array crosswait-JOB_TASK.db)"}, \
    {"no-watch", 0, NULL, "do not end the job when a deadlock is proven"}, \
    {"stall", 0, "SECONDS", \
     "end the job, without a proof, if no rank completes an MPI call for SECONDS, apart from " \
     "tests and probes that find nothing (default never)"}, \
    {"keep-spool", 0, NULL, "keep FILE.spool, the ranks' own records"}, \
    RECORD_TIMES_SPEC
// clang-format on
enum { RECORD_JOB_COUNT = 5 };
/* Applies an option; `index` counts from the first of these rows. Reports a value that makes no
 * sense: CORE_BAD_INPUT. */
enum core_status record_job_set(struct launch_options *launch, const struct options *options,
                                int index);

/* Reads the value of --times. */
enum core_status record_times_read(const struct options *options, bool *out_all);

/* Options of the recorder that `record` and `run` accept; one row of struct options_spec each. */
// clang-format off
#define RECORD_OPTION_SPECS \
    {"payload", 0, "KIND", \
     "what to keep of buffers: none, sample, digest, or full[:CAP], CAP bytes of each"}, \
    {"buffers", 0, "on|off", \
     "check whether buffers overlap, or change while MPI owns them (on for run, else off)"}, \
    {"inside", 0, "WAY", \
     "record what the MPI library does inside its collectives: auto (if that changes " \
     "nothing), pml (Open MPI's), transport (MPICH and Intel: all goes over UCX or " \
     "libfabric), off"}, \
    {"stack", 0, "N", "keep N frames of each call's stack (default 1)"}, \
    {"last", 0, "N", "keep only the last N events of each rank"}, \
    {"from", 0, "WHEN", "record from WHEN on: seconds since MPI_Init, or pcontrol:N"}, \
    {"until", 0, "WHEN", "record until WHEN"}, \
    {"ranks", 0, "LIST", "record only these ranks, e.g. 0,4-7"}, \
    {"calls", 0, "LIST", \
     "record only these calls: classes, groups or names, e.g. p2p,coll or -tool"}, \
    {"comms", 0, "LIST", "record only these communicators: world, self, or by name"}, \
    {"relay", 0, "WHEN", \
     "let ranks on other machines send their records here: on, off, auto (if hosts are named)"}
// clang-format on
enum { RECORD_OPTION_COUNT = 11 };
/* Prints the words that the option accepts, one a line, for completion. */
void record_option_values(const char *option);
/* Applies an option, like record_job_set. */
enum core_status record_option_set(struct launch_options *launch, const struct options *options,
                                   int index);

#endif

/* Options that `record` and `run` share: how to record a job, and options of the recorder. */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include "cli/options.h"
#include "launch/launch.h"

/* How to record a job; one row of struct options_spec each. */
// clang-format off
#define RECORD_TIMES_SPEC \
    {"times", 0, "WHICH", \
     "all: the times of each call; loops: of a long loop's rounds those of the first and of slow " \
     "ones, and sums of the others (loops)"}
#define RECORD_JOB_SPECS \
    {"output", 'o', "FILE", \
     "write the trace to FILE (crosswait.db; crosswait-JOB_TASK.db in an array of Slurm's)"}, \
    {"no-watch", 0, NULL, "do not end the job when a deadlock is proven"}, \
    {"stall", 0, "SECONDS", \
     "end the job, without a proof, when no rank completes an MPI call for SECONDS, but for " \
     "tests and probes that find nothing (never)"}, \
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
     "what is kept of buffers: none, sample, digest, or full[:CAP], CAP bytes of each"}, \
    {"buffers", 0, "on|off", \
     "look at what buffers overlap, and change while MPI owns them (on for run, else off)"}, \
    {"inside", 0, "WAY", \
     "record what the MPI library does inside its collectives: auto (where that changes " \
     "nothing), pml (Open MPI's), transport (MPICH: its messages go over UCX), off"}, \
    {"stack", 0, "N", "keep N frames of each call's stack (1)"}, \
    {"last", 0, "N", "keep only the last N events of each rank"}, \
    {"from", 0, "WHEN", "record from WHEN on: seconds since MPI_Init, or pcontrol:N"}, \
    {"until", 0, "WHEN", "record until WHEN"}, \
    {"ranks", 0, "LIST", "record these ranks only, e.g. 0,4-7"}, \
    {"calls", 0, "LIST", \
     "record these calls only: classes, groups or names, e.g. p2p,coll or -tool"}, \
    {"comms", 0, "LIST", "record these communicators only: world, self, or by name"}, \
    {"relay", 0, "WHEN", \
     "ranks of other machines send what they record here: on, off, auto (when hosts are named)"}
// clang-format on
enum { RECORD_OPTION_COUNT = 11 };
/* Prints the words that the option accepts, one a line, for completion. */
void record_option_values(const char *option);
/* Applies an option, like record_job_set. */
enum core_status record_option_set(struct launch_options *launch, const struct options *options,
                                   int index);

#endif

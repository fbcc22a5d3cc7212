/* Holds what all trials of a remedy need: the places of the recorded operations, a copy of the
 * program to change, and the decision whether the changed program deadlocks. */
#ifndef CHECKERS_REMEDY_TRIAL_H
#define CHECKERS_REMEDY_TRIAL_H

#include <stdio.h>

#include "checkers/check.h"

struct trial {
    const struct check_input *input;
    const struct replay_program *program;
    int32_t **site; /* by rank and operation; 0: unknown */
};

/* Prepares the trials. whole: only if all ranks finished. *out_can false: the program is too large,
 * or its record says too little. Free with trial_close. */
enum core_status trial_open(struct trial *trial, const struct check_input *input, bool whole,
                            bool *out_can);
void trial_close(struct trial *trial);

bool trial_is_send(const struct replay_op *op);
bool trial_is_receive(const struct replay_op *op);
bool trial_takes_messages(const struct replay_op *op); /* a receive or a probe */

/* Copy what a changed program keeps: the communicators; the sets of a rank. */
enum core_status trial_frame_copy(const struct replay_program *from, struct replay_program *to);
enum core_status trial_sets_copy(const struct replay_rank *from, struct replay_program *to,
                                 uint32_t rank);

/* Decides whether no order and no buffering deadlocks. False as well if that is not known. */
enum core_status trial_cures(const struct replay_program *program, bool *out_cured);
extern const char trial_cure[]; /* says so */
/* The same for the recorded calls. *out_assumes: in another order a rank may make other calls. */
enum core_status trial_cures_calls(const struct replay_program *program, bool *out_cured,
                                   bool *out_assumes);

/* Writes "MPI_Send (quiz.c:31)". */
enum core_status trial_call_write(const struct trial *trial, uint32_t rank, uint64_t seq,
                                  FILE *file);

#endif

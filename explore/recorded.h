/* The order that a job had, in a world. */
#ifndef EXPLORE_RECORDED_H
#define EXPLORE_RECORDED_H

#include "core/trace/trace.h"
#include "explore/program.h"

/* Runs one world more, in which each decision has the answer that it had in the recorded job, as
 * far as the trace tells, and sets program->passed if that world comes to a good end: a world can
 * be what the job was, and what fails in other orders is the program's own. What cannot be run so
 * is no failure. */
enum core_status explore_recorded_try(struct trace *trace, struct explore_program *program);

#endif

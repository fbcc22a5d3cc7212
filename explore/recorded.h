/* Runs the order that a recorded job had in a world. */
#ifndef EXPLORE_RECORDED_H
#define EXPLORE_RECORDED_H

#include "core/trace/trace.h"
#include "explore/program.h"

/* Runs one more world, in which each decision has the answer that the trace tells for the recorded
 * job, and sets program->passed if that world does not fail. This shows that a world can do what
 * the job did, so failures in other orders are the program's own. A job that no world can follow is
 * no failure. */
enum core_status explore_recorded_try(struct trace *trace, struct explore_program *program);

#endif

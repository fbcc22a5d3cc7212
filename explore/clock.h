/* The clock of time limits. `run` promises to explore for about as long as the job took; on a busy
 * machine its worlds would get a fraction of that, and its answer would depend on the load. So time
 * in which a world had to wait for a processor can be left out, up to a limit. */
#ifndef EXPLORE_CLOCK_H
#define EXPLORE_CLOCK_H

/* Returns seconds. */
double explore_clock_s(void);
/* From now on leaves waiting times out, at most that many seconds in all; 0: none, as at first. */
void explore_clock_patient(double most_s);
/* Leaves out that many seconds. */
void explore_clock_waited(double waited_s);

#endif

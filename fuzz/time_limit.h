/* Time limits that a busy machine does not reach: so many seconds of computing, or three times as
 * many by the clock for what only sleeps; a process that waits for the processor does not sleep. */
#ifndef FUZZ_TIME_LIMIT_H
#define FUZZ_TIME_LIMIT_H

/* The seconds that an input may take: CROSSWAIT_FUZZ_SECONDS, or the usual number. */
int time_limit_seconds(int usual);
/* To show again what took too long: twice as many, and 10 at the most. */
int time_limit_seconds_again(void);

/* Once: handler is called with SIGPROF or SIGALRM when the time is over; SIG_DFL ends the process.
 */
void time_limit_once(int ms, void (*handler)(int));

/* For libFuzzer, whose own -timeout goes by the clock: its alarm counts from now on only where the
 * input really computed for so long. seconds: what -timeout says. To be called when libFuzzer has
 * set its alarm. */
void time_limit_inputs(int seconds);
/* At the start of each input. */
void time_limit_input_starts(void);

#endif

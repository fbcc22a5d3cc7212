/* Time limits that a busy machine does not exceed: so many seconds of computing, or three times as
 * many of wall-clock time for a process that only sleeps; waiting for the processor is not
 * sleeping. */
#ifndef FUZZ_TIME_LIMIT_H
#define FUZZ_TIME_LIMIT_H

/* Returns the seconds that an input may take: CROSSWAIT_FUZZ_SECONDS, or the usual number. */
int time_limit_seconds(int usual);
/* Returns the limit for repeating what took too long: twice as many, at most 10. */
int time_limit_seconds_again(void);

/* Sets a limit once: calls the handler with SIGPROF or SIGALRM when time is over; SIG_DFL ends the
 * process. */
void time_limit_once(int ms, void (*handler)(int));

/* Limits inputs for libFuzzer, whose own -timeout measures wall-clock time: its alarm counts from
 * now on only if the input really computed for so long. seconds: the value of -timeout. Call it
 * after libFuzzer has set its alarm. */
void time_limit_inputs(int seconds);
/* Called at the start of each input. */
void time_limit_input_starts(void);

#endif

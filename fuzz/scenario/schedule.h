/* The choices that a scenario leaves to the library (buffering, delays, order), in the words of the
 * policies' grammar. For the files of this folder. */
#ifndef FUZZ_SCENARIO_SCHEDULE_H
#define FUZZ_SCENARIO_SCHEDULE_H

#include "fuzz/scenario/scenario.h"

/* Prints a line for each word that a scenario can choose; returns the bytes written. */
size_t scenario_schedule_print(const struct scenario *scenario, char *text, size_t room);

bool scenario_schedule_has(const char *key);
/* Takes a word of one of these keys. Returns 0, or -1 with a message and the scenario unchanged. */
int scenario_schedule_parse(struct scenario *scenario, const char *key, const char *word,
                            char message[200]);

#endif

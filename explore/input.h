/* Keeps what is on standard input. */
#ifndef EXPLORE_INPUT_H
#define EXPLORE_INPUT_H

/* A file with all of it, from which each world's rank 0 reads; 0: there is none, or it is a
 * terminal. Of a pipe that stays open what comes without a pause; what comes later is not there,
 * which is said. */
int explore_input_take(void);
/* The same of a file that standard input is, from its beginning; nothing is read from there. */
int explore_input_again(void);

#endif

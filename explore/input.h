/* Keeps what is on standard input. */
#ifndef EXPLORE_INPUT_H
#define EXPLORE_INPUT_H

/* Returns a file with all of standard input, from which rank 0 of each world reads; 0 if there is
 * no input or it is a terminal. Of a pipe that stays open the file holds what arrives without a
 * pause; a message says that later input is missing. */
int explore_input_take(void);
/* Does the same when standard input is a file: returns it from its beginning and reads nothing. */
int explore_input_again(void);

#endif

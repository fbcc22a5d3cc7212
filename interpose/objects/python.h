/* The Python frames that called a binding. Internal to interpose/. */
#ifndef INTERPOSE_OBJECTS_PYTHON_H
#define INTERPOSE_OBJECTS_PYTHON_H

#include <stdint.h>

struct python_place {
    const char *file, *function; /* as long as the call goes on */
    void *code;                  /* with the offset: the place, as long as the code object lives */
    int64_t offset;
};
/* The innermost frames first, those of this thread; 0: it runs no Python, or how its frames lie is
 * not known. Under the recorder's lock. */
unsigned python_places(struct python_place *place, unsigned most);
int python_line(const struct python_place *place);

#endif

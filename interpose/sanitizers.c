/* Programs that are built with a sanitizer run with the recorder as they do without it.
 *
 * The sanitizers look at whatever memcpy copies. What the recorder copies out of the application's
 * buffers is none of the application's accesses, and who wrote there inside the MPI library,
 * ThreadSanitizer cannot know: so the recorder has a memcpy of its own, one that they do not see.
 * Our locks it does see: where buffers are looked at or kept, it may take the application's
 * accesses for ordered that are not. */
#include <string.h>

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
                                                   size_t bytes)
{
    return (char *)__mempcpy(to, from, bytes) - bytes;
}

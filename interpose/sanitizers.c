/* Lets programs built with a sanitizer run with the recorder as they do without it.
 *
 * Sanitizers check what memcpy copies. The recorder's copies from the application's buffers are no
 * accesses of the application, and ThreadSanitizer cannot know who wrote there inside the MPI
 * library. So the recorder has a memcpy of its own that sanitizers do not see. They do see its
 * locks: if buffers are checked or kept, ThreadSanitizer may consider accesses of the application
 * ordered that are not. */
#include <string.h>

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
                                                   size_t bytes)
{
    return (char *)__mempcpy(to, from, bytes) - bytes;
}

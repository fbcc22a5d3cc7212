/* Reads the command line of the process, which names the program in reports. */
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include "interpose/life.h"

void recorder_command_line(char *words, size_t room)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd >= 0 ? read(fd, words, room - 2) : 0;
    if (fd >= 0)
        close(fd);
    words[bytes > 0 ? bytes : 0] = '\0'; /* it may be cut */
    words[bytes > 0 ? bytes + 1 : 1] = '\0';
}

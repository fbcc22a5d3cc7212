/* See the header. */
#include "explore/input.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "world/processes/region.h"

enum { PAUSE_MS = 500 };

static bool write_all(int file, const char *bytes, ssize_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, (size_t)count);
        if (written <= 0)
            return false;
        bytes += written;
        count -= written;
    }
    return true;
}

int explore_input_take(void)
{
    struct stat is;
    char buffer[65536];
    uint64_t all = 0;
    ssize_t got = 0;
    if (fstat(STDIN_FILENO, &is) != 0 ||
        !(S_ISREG(is.st_mode) || S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)))
        return 0;
    int file = memfd_create(REGION_INPUT, MFD_CLOEXEC), ready = 0;
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    while (file >= 0 && (ready = poll(&wait, 1, PAUSE_MS)) > 0 &&
           (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0 && write_all(file, buffer, got))
        all += (uint64_t)got;
    if (!all && file >= 0) {
        close(file);
        return 0;
    }
    if (ready == 0)
        fprintf(stderr,
                "crosswait: standard input is still open: the ranks get the %" PRIu64
                " bytes that have come\n",
                all);
    return file < 0 ? 0 : file;
}

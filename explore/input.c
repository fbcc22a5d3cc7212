/* See the header. */
#include "explore/input.h"

#include <fcntl.h>
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

/* Copies what can be read without a pause to a file in memory; returns its descriptor, 0 if nothing
 * was read. *out_open: the writer may send more. */
static int input_copy(int from, bool *out_open)
{
    char buffer[65536];
    uint64_t all = 0;
    ssize_t got = 0;
    int file = memfd_create(REGION_INPUT, MFD_CLOEXEC), ready = 0;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    if (file < 0)
        return 0;
    while ((ready = poll(&wait, 1, PAUSE_MS)) > 0 &&
           (got = read(from, buffer, sizeof buffer)) > 0 && write_all(file, buffer, got))
        all += (uint64_t)got;
    *out_open = ready == 0;
    if (!all) {
        close(file);
        return 0;
    }
    return file;
}

int explore_input_take(void)
{
    struct stat is;
    bool still = false;
    if (fstat(STDIN_FILENO, &is) != 0 ||
        !(S_ISREG(is.st_mode) || S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)))
        return 0;
    int file = input_copy(STDIN_FILENO, &still);
    if (file && still)
        fprintf(stderr,
                "crosswait: standard input is still open: the ranks get the %jd bytes that "
                "crosswait has read\n",
                (intmax_t)lseek(file, 0, SEEK_END));
    return file;
}

int explore_input_again(void)
{
    struct stat is;
    bool still = false;
    if (fstat(STDIN_FILENO, &is) != 0 || !S_ISREG(is.st_mode))
        return 0;
    int from = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    int file = from < 0 ? 0 : input_copy(from, &still);
    if (from >= 0)
        close(from);
    return file;
}

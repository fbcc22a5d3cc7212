/* See clock.h. Any name with "time", "clock" or "chrono" counts as a clock: a false clock is better
 * than a false difference. */
#include "cli/libraries/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/libraries/fit.h"
#include "cli/libraries/symbols.h"
#include "launch/launch.h"

enum { SCRIPT_BYTES_MAX = 1 << 20 };

static bool names_clock(const char *text)
{
    return strcasestr(text, "time") || strcasestr(text, "clock") || strcasestr(text, "chrono");
}

static bool script_names(const char *path)
{
    static char text[SCRIPT_BYTES_MAX + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t bytes = fd >= 0 ? read(fd, text, SCRIPT_BYTES_MAX) : 0;

    if (fd >= 0)
        close(fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    return names_clock(text);
}

static bool symbol_look(const char *name, void *context)
{
    *(bool *)context = names_clock(name);
    return !*(bool *)context;
}

/* Tells whether the file names a clock. Examines only programs that link with MPI: launchers and
 * interpreters read clocks themselves. */
static bool file_names(const char *word, const char *path)
{
    struct launch_linked linked;
    bool found = false;

    launch_library_linked(word, &linked);
    return symbols_each(path, false, symbol_look, &found) ? linked.count && found
                                                          : script_names(path);
}

bool clock_is_read(char *const *command)
{
    char path[PATH_MAX];

    for (; *command; command++) {
        if (fit_is_launcher(*command)) /* a launcher may be a script */
            continue;
        launch_program_find(*command, path);
        if (*path == '\0' && access(*command, R_OK) == 0)
            snprintf(path, sizeof path, "%s", *command); /* a script that is not executable,
                                                            app.py */
        if (*path && access(path, R_OK) == 0 ? file_names(*command, path) : names_clock(*command))
            return true;
    }
    return false;
}

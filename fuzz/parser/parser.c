/* See parser.h. */
#include "fuzz/parser/parser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/status.h"

static char folder[64];

static void parser_drop(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

void parser_quiet(void)
{
    core_report_hook(parser_drop, NULL);
}

static void parser_clean(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        fprintf(stderr, "crosswait: cannot remove '%s'\n", folder);
}

const char *parser_folder(void)
{
    if (!folder[0]) {
        strcpy(folder, "/tmp/crosswait-parser-XXXXXX");
        CORE_CHECK(mkdtemp(folder));
        atexit(parser_clean);
    }
    return folder;
}

void parser_write(const char *name, const uint8_t *data, size_t size, size_t padded_size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", parser_folder(), name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CORE_CHECK(fd >= 0);
    CORE_CHECK(write(fd, data, size) == (ssize_t)size);
    CORE_CHECK(size >= padded_size || ftruncate(fd, (off_t)padded_size) == 0);
    close(fd);
}

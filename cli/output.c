/* See output.h. */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/output.h"

static enum core_status output_unwritten(const char *path)
{
    return core_report(CORE_IO, "cannot write '%s': %s; choose another place", path,
                       strerror(errno));
}

static enum core_status write_into(const char *path, const char *name, output_write_fn write,
                                   const void *what)
{
    FILE *file = core_output_open(path);

    if (!file)
        return output_unwritten(name);
    enum core_status status = write(what, file);
    if (status == CORE_OK && (fflush(file) != 0 || ferror(file)))
        status = output_unwritten(name);
    if (fclose(file) != 0 && status == CORE_OK)
        status = output_unwritten(name);
    return status;
}

enum core_status output_file_write(const char *path, output_write_fn write, const void *what)
{
    char *partial = NULL;

    if (core_output_as_is(path))
        return write_into(path, path, write, what);
    if (asprintf(&partial, "%s.partial", path) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for '%s'", path);
    enum core_status status = write_into(partial, path, write, what);
    if (status == CORE_OK && rename(partial, path) != 0)
        status = output_unwritten(path);
    if (status != CORE_OK)
        unlink(partial);
    free(partial);
    return status;
}

/* Reads the machine's identity anew at each call: a rank asks once or twice. */
#include "core/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void core_machine_here(struct core_machine *out_machine)
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    memset(out_machine, 0, sizeof *out_machine);
    gethostname(out_machine->name, sizeof out_machine->name - 1);
    if (fd < 0)
        return;
    ssize_t got = read(fd, out_machine->boot, sizeof out_machine->boot - 1);
    out_machine->boot[got > 0 ? got : 0] = '\0';
    out_machine->boot[strcspn(out_machine->boot, "\n")] = '\0';
    close(fd);
}

bool core_machine_same(const struct core_machine *a, const struct core_machine *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->boot, b->boot) == 0;
}

void core_machine_text(const struct core_machine *machine, char text[CORE_MACHINE_TEXT_BYTES])
{
    enum { DIGITS = 8 };

    snprintf(text, CORE_MACHINE_TEXT_BYTES, "%s.%.*s", machine->name, DIGITS, machine->boot);
}

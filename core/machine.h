/* Identifies a machine among those of a job: by its name, which another machine may share, and by
 * the kernel's id of this boot. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdbool.h>

struct core_machine {
    char name[64];
    char boot[40]; /* /proc/sys/kernel/random/boot_id; "": unreadable */
};
/* NAME.BOOT with the first digits of the boot id, for use in file names. */
enum { CORE_MACHINE_TEXT_BYTES = 80 };

void core_machine_here(struct core_machine *out_machine);
bool core_machine_same(const struct core_machine *a, const struct core_machine *b);
void core_machine_text(const struct core_machine *machine, char text[CORE_MACHINE_TEXT_BYTES]);

#endif

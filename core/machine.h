/* Identifies a machine among the others of a job: by its name, which another may have too, and by
 * the kernel's id of this boot. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdbool.h>

struct core_machine {
    char name[64];
    char boot[40]; /* /proc/sys/kernel/random/boot_id; "": not to be read */
};
/* NAME.BOOT, of which the first digits do; as part of a file's name. */
enum { CORE_MACHINE_TEXT_BYTES = 80 };

void core_machine_here(struct core_machine *out_machine);
bool core_machine_same(const struct core_machine *a, const struct core_machine *b);
void core_machine_text(const struct core_machine *machine, char text[CORE_MACHINE_TEXT_BYTES]);

#endif

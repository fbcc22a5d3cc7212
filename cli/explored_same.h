/* Drops what worlds found of what the record said already: the same thing is said once. */
#ifndef CLI_EXPLORED_SAME_H
#define CLI_EXPLORED_SAME_H

#include "checkers/finding.h"

/* Those from `first` on are of worlds. Of two that are the same the record's is kept, with what the
 * world knows of it; where the record was not sure, the world's. */
void explored_same_drop(struct finding_list *list, uint32_t first);

#endif

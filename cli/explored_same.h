/* Drops findings of worlds that repeat findings of the record. */
#ifndef CLI_EXPLORED_SAME_H
#define CLI_EXPLORED_SAME_H

#include "checkers/finding.h"

/* The findings from `first` on are those of worlds. Of two equal findings keeps the record's, with
 * the world's facts added; if the record's is uncertain, keeps the world's. */
void explored_same_drop(struct finding_list *list, uint32_t first);

#endif

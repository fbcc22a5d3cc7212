/* Finds conflicting accesses to the data of files, for check_file. */
#ifndef CHECKERS_CONFLICT_FILE_CONFLICT_H
#define CHECKERS_CONFLICT_FILE_CONFLICT_H

#include "checkers/check.h"

enum core_status file_conflict_check(const struct check_input *input, struct finding_list *list);

#endif

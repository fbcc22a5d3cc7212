/* The checkers' functions, for the table in check.c and for their tests. */
#ifndef CHECKERS_CHECK_RULES_H
#define CHECKERS_CHECK_RULES_H

#include "checkers/check.h"

enum core_status check_crash(const struct check_input *input, struct finding_list *list);
/* Checks rule lifecycle: ranks that exit without MPI_Finalize. */
enum core_status check_exit(const struct check_input *input, struct finding_list *list);
enum core_status check_deadlock(const struct check_input *input, struct finding_list *list);
enum core_status check_buffer_need(const struct check_input *input, struct finding_list *list);
enum core_status check_collective(const struct check_input *input, struct finding_list *list);
enum core_status check_message(const struct check_input *input, struct finding_list *list);
enum core_status check_rma(const struct check_input *input, struct finding_list *list);
enum core_status check_file(const struct check_input *input, struct finding_list *list);
enum core_status check_thread(const struct check_input *input, struct finding_list *list);
enum core_status check_usage(const struct check_input *input, struct finding_list *list);
enum core_status check_result(const struct check_input *input, struct finding_list *list);
enum core_status check_agreement(const struct check_input *input, struct finding_list *list);
enum core_status check_hang(const struct check_input *input,
                            struct finding_list *list); /* runs last: reads the others' findings */
enum core_status check_explore(const struct check_input *input, struct finding_list *list);
enum core_status check_libraries(const struct check_input *input, struct finding_list *list);
enum core_status check_cost(const struct check_input *input, struct finding_list *list);

/* Refuses claims (check_options.claims) that cannot be read. */
enum core_status check_cost_claims(const char *claims);

#endif

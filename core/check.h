/* Assertions that stay on in release builds. A failed one is a bug of ours, never the user's input:
 * input is answered with a status (core/status.h). Not for interpose/, which fails open. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

_Noreturn void core_check_failed(const char *file, int line, const char *expression);

#define CORE_CHECK(expression) \
    ((expression) ? (void)0 : core_check_failed(__FILE__, __LINE__, #expression))

#endif

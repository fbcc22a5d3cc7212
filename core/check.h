/* Assertions that stay on in release builds. A failed one is a bug of ours, never the user's input:
 * input is answered with a status (core/status.h). Not for interpose/, which fails open.
 *
 * CORE_CHECK_HOT is for inner steps, of which there are millions a second, and for conditions that
 * cost more than the step itself: it is compiled, and does nothing unless CORE_CHECK_HOT_ON is
 * defined, as it is for unit tests, for tests of world/, and by SAN=. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

/* Told of it before the process ends, "FILE:LINE: check failed: EXPRESSION"; NULL: nobody. */
extern void (*core_check_told)(const char *text);

_Noreturn void core_check_failed(const char *file, int line, const char *expression);

#define CORE_CHECK(expression) \
    ((expression) ? (void)0 : core_check_failed(__FILE__, __LINE__, #expression))

#ifdef CORE_CHECK_HOT_ON
#define CORE_CHECK_HOT(expression) CORE_CHECK(expression)
#else
#define CORE_CHECK_HOT(expression) ((void)(0 && (expression)))
#endif

#endif

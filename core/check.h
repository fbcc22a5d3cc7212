/* Assertions that stay on in release builds. A failed assertion is a bug of crosswait, never bad
 * user input: bad input is answered with a status (core/status.h). Not for interpose/, which fails
 * open.
 *
 * CORE_CHECK_HOT is for inner steps that run millions of times a second, and for conditions that
 * cost more than the step itself. The compiler sees it, but it does nothing unless
 * CORE_CHECK_HOT_ON is defined, as in unit tests, tests of world/, and builds with SAN=. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

/* Called before the process ends, with "FILE:LINE: check failed: EXPRESSION"; NULL: no call. */
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

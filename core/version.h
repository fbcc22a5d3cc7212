/* Who made a file: what `crosswait --version` and the formats that name their tool say. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define CORE_VERSION "1.0.0"
#define CORE_VERSION_URI "man:crosswait(1)" /* where more about it stands; an absolute URI */
#define CORE_VERSION_RULES_URI "man:crosswait-check(1)" /* where each rule is told */

#endif

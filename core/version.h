/* Who made a file: what `crosswait --version` and the formats that name their tool say. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define CORE_VERSION "1.0.0"

#endif

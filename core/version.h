/* The tool's name and version, as `crosswait --version` and the formats that name their tool print
 * them. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define CORE_VERSION "1.0.0"

#endif

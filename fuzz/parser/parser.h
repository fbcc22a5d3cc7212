/* Shared code of the fuzzers of our own parsers. */
#ifndef FUZZ_PARSER_PARSER_H
#define FUZZ_PARSER_PARSER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Drops messages of core_report: refused inputs are the usual case. */
void parser_quiet(void);
/* Return a folder of this process, which is removed at exit, and write files into it. */
const char *parser_folder(void);
void parser_write(const char *name, const uint8_t *data, size_t size, size_t padded_size);

#endif

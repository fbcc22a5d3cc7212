/* Shared by the fuzzers of our own parsers. */
#ifndef FUZZ_PARSER_PARSER_H
#define FUZZ_PARSER_PARSER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Messages of core_report go nowhere: a refused input is the usual case. */
void parser_quiet(void);
/* A folder of this process, made once, removed at exit; files in it. */
const char *parser_folder(void);
void parser_write(const char *name, const uint8_t *data, size_t size, size_t padded_size);

#endif

/* A plain main for the fuzzers of our parsers, for systems without libFuzzer: PROGRAM
 * [--mutations=N] FILE... Runs every file unchanged, then N mutations of it: flipped bits, new
 * numbers, moved pieces, a missing end; every other mutation is by the fuzzer's own mutator, if it
 * has one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "fuzz/parser/parser.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
    __attribute__((weak));

static uint8_t *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "crosswait: cannot read '%s'\n", path);
        exit(2);
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        exit(2);
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

enum { ROOM = 1 << 16 };

static size_t parser_main_mutate(struct core_random *random, uint8_t *data, size_t size)
{
    static const uint8_t often[] = {0, 1, 0x7f, 0x80, 0xff};
    for (uint64_t changes = 1 + core_random_below(random, 8); changes > 0 && size > 8; changes--) {
        size_t at = core_random_below(random, core_random_below(random, 2) ? size
                                              : size < 4096                ? size
                                                                           : 4096),
               length;
        switch (core_random_below(random, 5)) {
        case 0:
            data[at] ^= (uint8_t)(1u << core_random_below(random, 8));
            break;
        case 1:
            data[at] = often[core_random_below(random, sizeof often)];
            break;
        case 2:
            length = 1 + core_random_below(random, 8);
            memset(data + at, often[core_random_below(random, sizeof often)],
                   length < size - at ? length : size - at);
            break;
        case 3:
            length = 1 + core_random_below(random, size - at);
            memmove(data + core_random_below(random, size - length + 1), data + at, length);
            break;
        default:
            if (core_random_below(random, 8) == 0)
                size = at + 1;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    long mutations = 0, runs = 0;
    int first = 1;
    if (argc > 1 && !strncmp(argv[1], "--mutations=", 12)) {
        mutations = atol(argv[1] + 12);
        first = 2;
    }
    for (int i = first; i < argc; i++) {
        size_t size;
        uint8_t *data = read_file(argv[i], &size), *copy = malloc(size + ROOM);
        struct core_random random;
        core_random_init(&random, (uint64_t)i);
        LLVMFuzzerTestOneInput(data, size);
        runs++;
        for (long m = 0; copy && m < mutations; m++, runs++) {
            memcpy(copy, data, size);
            size_t made =
                LLVMFuzzerCustomMutator && m % 2
                    ? LLVMFuzzerCustomMutator(copy, size, size + ROOM, (unsigned)(i * 10007 + m))
                    : parser_main_mutate(&random, copy, size);
            LLVMFuzzerTestOneInput(copy, made);
        }
        free(data);
        free(copy);
    }
    printf("%ld inputs\n", runs);
    return runs == 0;
}

/* Counts the MPI calls that a program makes, so that a test can compare a recording with these
 * numbers.
 *
 * CALL(MPI_Send, buffer, 1, MPI_INT, 0, 0, comm) calls and counts; CALL0(MPI_Finalize) is for calls
 * without arguments. counted_print prints one line, `calls rank=R MPI_A=N MPI_B=N ...`, sorted by
 * name, with one call of write. Several threads may count at once.
 */
#ifndef CORPUS_PROGRAMS_COUNTED_H
#define CORPUS_PROGRAMS_COUNTED_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNTED_MAX = 512 };

static struct counted {
    const char *name;
    long calls;
} counted[COUNTED_MAX];
static int counted_n;
static pthread_mutex_t counted_lock = PTHREAD_MUTEX_INITIALIZER;

static void counted_add(const char *name)
{
    int i = 0;
    pthread_mutex_lock(&counted_lock);
    while (i < counted_n && strcmp(counted[i].name, name))
        i++;
    if (i == counted_n && counted_n < COUNTED_MAX)
        counted[counted_n++].name = name;
    counted[i].calls++;
    pthread_mutex_unlock(&counted_lock);
}

static int counted_compare(const void *a, const void *b)
{
    return strcmp(((const struct counted *)a)->name, ((const struct counted *)b)->name);
}

static void counted_print(int rank)
{
    static char line[COUNTED_MAX * 48];
    int length = sprintf(line, "calls rank=%d", rank);
    qsort(counted, (size_t)counted_n, sizeof(counted[0]), counted_compare);
    for (int i = 0; i < counted_n; i++)
        length += sprintf(line + length, " %s=%ld", counted[i].name, counted[i].calls);
    line[length++] = '\n';
    fflush(stdout);
    if (write(1, line, (size_t)length) != length)
        exit(9);
}

#define CALL(name, ...) (counted_add(#name), name(__VA_ARGS__))
#define CALL0(name) (counted_add(#name), name())

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(8);                                                                \
        }                                                                           \
    } while (0)

#endif

/* Makes the spools of a small job in a folder, complete or damaged, for tests of the command line:
 *
 *     spool_make FOLDER whole | pending | missing | torn | version | empty */
#include "tests/unit/spool_pair.h"

static int patch(const char *folder, const char *name, long at, const void *data, size_t bytes)
{
    char path[640];
    FILE *file;
    int ok;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r+");
    if (!file)
        return 0;
    ok = fseek(file, at, SEEK_SET) == 0 && fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && ok;
}

/* Rank 0 hangs in a send to rank 1, which was killed inside a wait on two requests. */
static int pending_write(const char *folder)
{
    int32_t list[2] = {5, 6};
    struct spool_event e;
    struct writer w;
    int ok = 1;

    for (int rank = 0; rank < 2; rank++) {
        writer_open(&w, folder, rank, 2, 0);
        pair_define(&w);
        if (rank == 0) {
            e = pair_message(&w, SEND, 1, 3, 1000);
            writer_pending(&w, e);
            w.header.state = SPOOL_STATE_RUNNING;
        } else {
            for (int i = 0; i < 2; i++) {
                e = pair_message(&w, IRECV, 0, 3 + i, 10);
                e.request = (uint32_t)list[i];
                writer_event(&w, e);
            }
            e = writer_enter(&w, WAITALL);
            writer_list(&w, e.seq, SPOOL_LIST_REQUESTS, 1, list, 2);
            writer_pending(&w, e);
            w.header.state = SPOOL_STATE_SIGNALLED;
            w.header.code = 11;
        }
        w.kept = 65536;
        ok = writer_close(&w) && ok;
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL, *how = argc > 2 ? argv[2] : "";
    char path[640];
    uint32_t version = SPOOL_VERSION + 1;
    int ok;

    if (!folder)
        return 2;
    if (!strcmp(how, "pending"))
        return !pending_write(folder);
    ok = pair_write(folder);
    snprintf(path, sizeof path, "%s/1.0.ring", folder);
    if (!strcmp(how, "missing")) {
        ok = ok && unlink(path) == 0;
    } else if (!strcmp(how, "torn")) { /* the last record of rank 0 claims to be longer than the
                                          file */
        uint16_t words = 4000;
        struct stat about;
        snprintf(path, sizeof path, "%s/0.0.spool", folder);
        ok = ok && stat(path, &about) == 0 &&
             patch(folder, "0.0.spool", about.st_size - 64 + 2, &words, 2);
    } else if (!strcmp(how, "version")) {
        ok = ok && patch(folder, "1.0.ring", 8, &version, sizeof version);
    } else if (!strcmp(how, "empty")) {
        ok = ok && truncate(path, 0) == 0;
    } else if (strcmp(how, "whole") != 0) {
        return 2;
    }
    return !ok;
}

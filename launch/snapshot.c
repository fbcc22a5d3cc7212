/* Takes a snapshot of a running job. */
#include "launch/snapshot.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/spool/spool_read.h"
#include "store/store.h"
#include "launch/proof/proof.h"

/* Returns the standing of a lane's rank: whether it runs. */
static uint8_t lane_standing(const char *job_path, const struct spool_lane_name *lane,
                             uint32_t *out_world)
{
    struct spool_header header;
    char path[4096];
    int fd;
    enum core_status status = CORE_IO;

    snprintf(path, sizeof path, "%s/%" PRId32 ".%" PRIu32 ".ring", job_path, lane->rank,
             lane->lane);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        status = spool_header_read(fd, &header, NULL);
        close(fd);
    }
    if (status != CORE_OK)
        return PROOF_UNKNOWN;
    *out_world = (uint32_t)(header.world_size > 0 ? header.world_size : 0);
    return header.state == SPOOL_STATE_RUNNING ? PROOF_IDLE_64MIB : PROOF_ENDED;
}

/* Returns the standing of each rank, which runs if one of its lanes does. NULL: out of memory. */
static uint8_t *snapshot_standings(const char *job_path, const struct spool_lane_name *lane,
                                   uint32_t count, uint32_t *out_ranks)
{
    uint32_t ranks = (uint32_t)lane[count - 1].rank + 1;
    uint8_t *standing = malloc(ranks);

    if (!standing)
        return NULL;
    memset(standing, PROOF_UNKNOWN, ranks);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t world = ranks;
        uint8_t one = lane_standing(job_path, &lane[i], &world);

        if (world > ranks) { /* some ranks have no spool yet */
            uint8_t *more = realloc(standing, world);

            if (!more)
                break;
            memset(more + ranks, PROOF_UNKNOWN, world - ranks);
            standing = more;
            ranks = world;
        }
        if (standing[lane[i].rank] != PROOF_IDLE_64MIB)
            standing[lane[i].rank] = one;
    }
    *out_ranks = ranks;
    return standing;
}

/* Finds who waits for whom, from the spools. */
static enum core_status waits_find(const char *job_path, struct ending *out_ending)
{
    struct spool_lane_name *lane = NULL;
    struct proof_prover *prover = NULL;
    uint8_t *standing = NULL;
    uint32_t count = 0, ranks = 0;
    enum core_status status = spool_lanes_list(job_path, &lane, &count);

    if (status == CORE_OK && !count)
        status = core_report(CORE_NOT_FOUND, "no rank of the job in '%s' has called MPI_Init yet",
                             job_path);
    if (status == CORE_OK) {
        standing = snapshot_standings(job_path, lane, count, &ranks);
        status = standing ? proof_prover_new(&prover) : CORE_NO_MEMORY;
    }
    if (status == CORE_OK)
        status = proof_waits(prover, job_path, standing, ranks, out_ending);
    proof_prover_free(prover);
    free(standing);
    free(lane);
    return status;
}

enum core_status snapshot_write(const char *job_path, const char *trace_path, const char *command)
{
    struct ending ending = {0};
    enum core_status status = waits_find(job_path, &ending);

    ending.reason = ENDING_SNAPSHOT;
    if (status == CORE_OK) {
        struct store_options options = {.command = command, .exit_code = -1, .ending = &ending};

        status = store_write(job_path, trace_path, &options);
    }
    ending_done(&ending);
    return status;
}

char *snapshot_name(const char *output)
{
    size_t bytes = strlen(output);
    char *name = malloc(bytes + sizeof ".snapshot.db");

    if (bytes > 3 && !strcmp(output + bytes - 3, ".db"))
        bytes -= 3;
    if (name)
        sprintf(name, "%.*s.snapshot.db", (int)bytes, output);
    return name;
}

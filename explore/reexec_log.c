#include "explore/reexec_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"

#define A_TURN "the turns of a job"

enum core_status reexec_log_read(const char *path, struct reexec_log *out_turns)
{
    struct order_log_head head;
    FILE *file = path ? fopen(path, "rb") : NULL;
    bool known = file && fread(&head, sizeof head, 1, file) == 1 && !head.vague &&
                 head.count <= ORDER_LOG_ROWS_MAX;
    *out_turns = (struct reexec_log){0};
    enum core_status status = CORE_ARRAY_NEW(out_turns->row, known ? head.count : 0, A_TURN);
    if (known && status == CORE_OK)
        out_turns->count =
            (uint32_t)fread(out_turns->row, sizeof *out_turns->row, head.count, file);
    if (file)
        fclose(file);
    out_turns->unknown = !known || out_turns->count < head.count;
    for (uint32_t i = 0; i < out_turns->count && status == CORE_OK; i++)
        out_turns->unknown |= out_turns->row[i].kind == ORDER_LOG_NONE;
    return status;
}

enum core_status reexec_log_have(struct reexec_log *turns, const struct order_log_row *row)
{
    const struct replay_name name = {.rank = row->rank, .id = row->number, .source = row->answer};
    return replay_policy_find(&turns->had, row->rank, false, row->number)
               ? CORE_OK
               : replay_policy_add(&turns->had, &name);
}

void reexec_log_done(struct reexec_log *turns)
{
    free(turns->row);
    free(turns->had.name);
    *turns = (struct reexec_log){0};
}

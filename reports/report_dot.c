/* Writes the wait-for graph for Graphviz: a cluster per finding, a node per rank, an arrow to each
 * rank that it waits for (dashed if one of several suffices). Ranks that block each other are bold,
 * ranks that merely wait for them grey. */
#include <inttypes.h>

#include "reports/report.h"

static void report_dot_quoted(const char *text, FILE *file)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if (*text == '\n')
            fputs("\\n", file);
        else
            fputc(*text, file);
    }
}

static void label_line(const char *text, FILE *file)
{
    if (text) {
        fputs("\\n", file);
        report_dot_quoted(text, file);
    }
}

static void report_dot_node(const struct finding_call *call, uint32_t cluster, FILE *file)
{
    fprintf(file, "    f%" PRIu32 "r%" PRIu32 " [label=\"rank %" PRIu32, cluster, call->rank,
            call->rank);
    label_line(call->call ? call->call : "in no recorded call", file);
    label_line(call->site, file);
    label_line(call->subject, file);
    label_line(call->subject ? call->subject_site : NULL, file);
    fprintf(file, "\"%s];\n",
            call->core ? ", penwidth=2, color=\"#b00020\""
                       : ", color=\"#888888\", fontcolor=\"#555555\"");
}

static bool is_listed(const struct finding *finding, uint32_t rank)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].rank == rank)
            return true;
    return false;
}

/* Ranks drawn of a range; more cannot be read. */
enum { RUN_DRAWN_MAX = 64 };

static uint32_t last_drawn(const struct finding_await *await)
{
    return await->last - await->first < RUN_DRAWN_MAX ? await->last
                                                      : await->first + RUN_DRAWN_MAX - 1;
}

/* Tells whether an earlier call, or an earlier range of this call, draws the rank. */
static bool is_drawn(const struct finding *finding, uint32_t call, uint32_t range, uint32_t rank)
{
    for (uint32_t i = 0; i <= call; i++)
        for (uint32_t j = 0; j < (i < call ? finding->call[i].await_count : range); j++) {
            const struct finding_await *await = &finding->call[i].await[j];
            if (await->first <= rank && rank <= last_drawn(await))
                return true;
        }
    return false;
}

/* Draws, each once, the ranks that others wait for and that do not wait themselves: they finished,
 * or are not listed. */
static void other_nodes(const struct finding *finding, uint32_t cluster, FILE *file)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t j = 0; j < finding->call[i].await_count; j++) {
            const struct finding_await *await = &finding->call[i].await[j];
            for (uint32_t rank = await->first; rank <= last_drawn(await); rank++)
                if (!is_listed(finding, rank) && !is_drawn(finding, i, j, rank))
                    fprintf(file,
                            "    f%" PRIu32 "r%" PRIu32 " [label=\"rank %" PRIu32
                            "\", style=dotted];\n",
                            cluster, rank, rank);
        }
}

static void report_dot_edges(const struct finding_call *call, uint32_t cluster, FILE *file)
{
    for (uint32_t j = 0; j < call->await_count; j++) {
        const struct finding_await *await = &call->await[j];
        for (uint32_t rank = await->first; rank <= last_drawn(await); rank++)
            fprintf(file, "    f%" PRIu32 "r%" PRIu32 " -> f%" PRIu32 "r%" PRIu32 "%s;\n", cluster,
                    call->rank, cluster, rank, await->any ? " [style=dashed]" : "");
        const uint32_t left_out = await->last - last_drawn(await);
        if (left_out)
            fprintf(file,
                    "    f%" PRIu32 "more%" PRIu32 "_%" PRIu32 " [label=\"and %" PRIu32
                    " more ranks\", style=dotted];\n    f%" PRIu32 "r%" PRIu32 " -> f%" PRIu32
                    "more%" PRIu32 "_%" PRIu32 "%s;\n",
                    cluster, call->rank, j, left_out, cluster, call->rank, cluster, call->rank, j,
                    await->any ? " [style=dashed]" : "");
    }
}

static void report_dot_graph(const struct finding *finding, uint32_t cluster, FILE *file)
{
    fprintf(file, "  subgraph cluster_%" PRIu32 " {\n    label=\"", cluster);
    report_dot_quoted(finding_says(finding), file);
    label_line(finding->schedule, file);
    fprintf(file, "\";\n");
    for (uint32_t i = 0; i < finding->call_count; i++)
        report_dot_node(&finding->call[i], cluster, file);
    other_nodes(finding, cluster, file);
    for (uint32_t i = 0; i < finding->call_count; i++)
        report_dot_edges(&finding->call[i], cluster, file);
    fprintf(file, "  }\n");
}

enum core_status report_dot(const struct report_facts *facts, FILE *file)
{
    uint32_t cluster = 0;

    fprintf(file, "digraph crosswait {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n "
                  " fontname=\"sans-serif\";\n");
    for (uint32_t i = 0; facts->findings && i < facts->findings->count; i++) {
        const struct finding *finding = &facts->findings->finding[i];
        bool waits = false;
        for (uint32_t j = 0; j < finding->call_count; j++)
            waits |= finding->call[j].await_count > 0;
        if (waits)
            report_dot_graph(finding, ++cluster, file);
    }
    for (uint32_t i = 0; i < facts->proof.count; i++)
        report_dot_graph(&facts->proof.finding[i], ++cluster, file);
    if (!cluster)
        fprintf(file,
                "  nothing [label=\"no rank waits for another for ever\", shape=plaintext];\n");
    fprintf(file, "}\n");
    return ferror(file) ? report_unwritten(facts) : CORE_OK;
}

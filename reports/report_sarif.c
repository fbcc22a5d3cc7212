/* Writes SARIF 2.1.0, for code scanning: the checkers' rules, and a result per finding at the
 * places of its calls. Paths are relative to the root of the sources, so that a program built
 * inside its repository is annotated there wherever it ran. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "reports/annotation.h"
#include "reports/block.h"
#include "reports/identity.h"
#include "reports/report.h"
#include "reports/sarif.h"

enum { PARTS_SAID_MAX = 8 }; /* per place */

static void place_add(struct sarif *sarif, const struct block_place *at)
{
    const struct annotation_place of = annotation_place_of(at);
    char *says = block_place_text(at, PARTS_SAID_MAX), *link = NULL;
    struct sarif_place place = {.path = of.path,
                                .line = of.line,
                                .column = of.column,
                                .end = of.end,
                                .function = of.function,
                                .message = says};

    if (at->path && asprintf(&link, "%s%s%s", at->ranks, at->where ? " at " : "",
                             at->where ? at->where : "") < 0)
        link = NULL;
    place.link = link;
    sarif_place_add(sarif, &place);
    free(says);
    free(link);
}

void report_sarif_places(struct sarif *sarif, const struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        place_add(sarif, &block->place[i]);
}

static enum core_status add_result(struct sarif *sarif, const struct report_facts *facts,
                                   const struct finding *finding)
{
    char *message = NULL, *identity = identity_text(facts->trace, finding);
    struct block block = {0};
    struct annotation_place at = {0};
    size_t bytes;
    FILE *said = open_memstream(&message, &bytes);

    if (said) {
        fputs(finding_says(finding), said);
        for (uint32_t i = 0; i < finding->fact_count; i++)
            fprintf(said, "; %s", finding->fact[i]);
    }
    bool whole = said && fclose(said) == 0 && identity;
    enum core_status status =
        whole ? block_make(facts->trace, facts->source, finding, &block)
              : core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
    if (status == CORE_OK)
        status = annotation_place_first(facts, finding, &block, &at);
    if (status == CORE_OK) {
        sarif_result_add(sarif,
                         &(struct sarif_result){.rule = finding->rule->id,
                                                .level = finding_severity_text(finding->severity),
                                                .message = message,
                                                .identity = identity});
        report_sarif_places(sarif, &block);
        sarif_place_default(sarif, &(struct sarif_place){.path = at.path,
                                                         .line = at.line,
                                                         .column = at.column,
                                                         .end = at.end,
                                                         .function = at.function});
        sarif_property_add(sarif, "checker", finding->rule->checker);
        sarif_property_add(sarif, "class", finding->rule->class);
        sarif_property_add(sarif, "schedule", finding->schedule);
        sarif_property_add(sarif, "repeat", finding->repeat);
        sarif_property_add(sarif, "assumed", finding->assumed ? "true" : "false");
        sarif_property_add(sarif, "live", finding_confirmed_text(finding->confirmed));
    }
    free(message);
    free(identity);
    block_done(&block);
    return status;
}

/* Sets the category, "crosswait/app-8/": runs replace earlier ones of the program with as many
 * ranks. */
static void category_set(struct sarif *sarif, const struct report_facts *facts)
{
    const char *name = facts->program ? facts->program : "job", *slash = strrchr(name, '/');
    char number[16], *category = NULL;

    snprintf(number, sizeof number, "-%" PRIu32, facts->number);
    if (asprintf(&category, "%s/%s-%" PRIu32 "%s/", facts->category, slash ? slash + 1 : name,
                 facts->trace->rank_count, facts->number > 1 ? number : "") < 0)
        return;
    sarif_category_set(sarif, category);
    free(category);
}

/* GitHub shows so much of a rule's help. */
enum { HELP_MAX = 1024 };

static bool remedy_is_new(const struct finding_list *list, uint32_t at)
{
    const char *help = finding_help(&list->finding[at]);

    CORE_CHECK(at < list->count);
    for (uint32_t i = 0; help && i < at; i++)
        if (list->finding[i].rule == list->finding[at].rule &&
            finding_help(&list->finding[i]) == help)
            return false;
    return help != NULL;
}

/* Adds a rule with the remedies of its findings in this report, or its own if it has none here. */
static void add_rule(struct sarif *sarif, const struct report_facts *facts, const struct rule *rule)
{
    const struct finding_list *list = facts->findings;
    char help[HELP_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct finding *finding = &list->finding[i];
        if (finding->rule != rule || finding->severity == FINDING_NOTE || !remedy_is_new(list, i))
            continue;
        size_t bytes = strlen(finding_help(finding)) + strlen("; or: ");
        if (used + bytes >= sizeof help)
            continue;
        used += (size_t)snprintf(help + used, sizeof help - used, "%s%s", used ? "; or: " : "",
                                 finding_help(finding));
    }
    sarif_rule_add(sarif, &(struct sarif_rule){.id = rule->id,
                                               .says = rule->says,
                                               .help = used ? help : rule->help,
                                               .class = rule->class,
                                               .manual = "check"});
}

enum core_status report_sarif(const struct report_facts *facts, FILE *file)
{
    struct annotation_place at;
    enum core_status status = annotation_fallback(facts->trace, &at);
    const struct sarif_place fallback = {.path = at.path, .line = at.line, .function = at.function};
    struct sarif *sarif = status == CORE_OK ? sarif_new(&fallback, facts->source_root) : NULL;

    if (!sarif)
        return status != CORE_OK ? status : CORE_NO_MEMORY;
    sarif_run_set(sarif, report_json_run(facts));
    category_set(sarif, facts);
    for (int i = 0; i < RULE_COUNT; i++)
        add_rule(sarif, facts, &rule_table[i]);
    for (uint32_t i = 0; facts->findings && i < facts->findings->count && status == CORE_OK; i++) {
        const struct finding *finding = &facts->findings->finding[i];
        if (finding_is_of_program(finding))
            status = add_result(sarif, facts, finding);
        else
            sarif_note_add(sarif, finding->rule->id, finding_says(finding));
    }
    if (status == CORE_OK)
        status = sarif_run_write(sarif, file);
    if (status == CORE_IO)
        report_unwritten(facts);
    sarif_free(sarif);
    return status;
}

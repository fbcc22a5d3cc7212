/* See record_options.h: each option but --relay becomes a variable of the job's
 * environment. */
#include "cli/record_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/trace/event.h"

static bool is_number(const char *text)
{
    char *end;

    return strtod(text, &end) >= 0 && end != text && !*end;
}

static bool is_when(const char *text)
{
    return !strncmp(text, "pcontrol:", 9) ? is_number(text + 9) : is_number(text);
}

/* The words that options accept. */
static const struct {
    const char *option, *word;
} words[] = {
    {"payload", "none"}, {"payload", "sample"},   {"payload", "digest"}, {"payload", "full"},
    {"buffers", "on"},   {"buffers", "off"},      {"inside", "auto"},    {"inside", "pml"},
    {"inside", "off"},   {"inside", "transport"}, {"relay", "on"},       {"relay", "off"},
    {"times", "all"},    {"times", "loops"},      {"relay", "auto"},
};
enum { WORD_COUNT = sizeof words / sizeof *words };

void record_option_values(const char *option)
{
    for (int i = 0; i < WORD_COUNT; i++)
        if (!strcmp(words[i].option, option))
            puts(words[i].word);
}

static bool is_word(const char *option, const char *text)
{
    for (int i = 0; i < WORD_COUNT; i++)
        if (!strcmp(words[i].option, option) && !strcmp(words[i].word, text))
            return true;
    return false;
}

static bool is_payload(const char *text)
{
    return is_word("payload", text) || (!strncmp(text, "full:", 5) && is_number(text + 5));
}

static bool is_switch(const char *text)
{
    return is_word("buffers", text);
}

static bool is_inside(const char *text)
{
    return is_word("inside", text);
}

static bool is_relay(const char *text)
{
    return is_word("relay", text);
}

static bool is_list_of_ranks(const char *text)
{
    return *text && strspn(text, "0123456789,-") == strlen(text);
}

/* Tells whether the word is a class or group of interpose/filter.c. Function names are left to
 * filter.c, which knows all. */
static bool is_class(const char *word, size_t bytes)
{
    static const char *const known[] = {
#define X(name, string) string,
        EVENT_CLASSES(X)
#undef X
            "p2p",
        "rma", "inner"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == bytes && !memcmp(known[i], word, bytes))
            return true;
    return bytes > 4 && !memcmp(word, "MPI_", 4);
}

/* Returns the first word of a list that is no class of calls, group or function; NULL: none. */
static const char *wrong_call(const char *text)
{
    for (; *text; text += strcspn(text, ","), text += *text == ',') {
        const char *word = text + (*text == '-');
        if (!is_class(word, strcspn(word, ",")))
            return word;
    }
    return NULL;
}

static bool is_calls(const char *text)
{
    return !wrong_call(text);
}

static bool is_text(const char *text)
{
    return *text != '\0';
}

enum core_status record_job_set(struct launch_options *launch, const struct options *options,
                                int index)
{
    CORE_CHECK(index >= 0 && index < RECORD_JOB_COUNT);
    switch (index) {
    case 0:
        launch->output = options->value;
        return CORE_OK;
    case 1:
        launch->watch = false;
        return CORE_OK;
    case 2:
        return options_number(options, &launch->stall_s);
    case 3:
        launch->keep_spool = true;
        return CORE_OK;
    default:
        if (record_times_read(options, &launch->times_all) != CORE_OK)
            return CORE_BAD_INPUT;
        if (launch->times_all)
            launch_variable_set(launch, "CROSSWAIT_TIMES", "all");
        return CORE_OK;
    }
}

enum core_status record_times_read(const struct options *options, bool *out_all)
{
    *out_all = strcmp(options->value, "all") == 0;
    return *out_all || strcmp(options->value, "loops") == 0
               ? CORE_OK
               : (options_wrong(options, "--times is all or loops, not '%s'", options->value),
                  CORE_BAD_INPUT);
}

enum core_status record_option_set(struct launch_options *launch, const struct options *options,
                                   int index)
{
    static const struct {
        const char *variable;
        bool (*valid)(const char *text);
        const char *wanted;
    } row[] = {
        {"CROSSWAIT_PAYLOAD", is_payload, "none, sample, digest, full or full:BYTES"},
        {"CROSSWAIT_BUFFERS", is_switch, "on or off"},
        {"CROSSWAIT_INSIDE", is_inside, "auto, pml, transport or off"},
        {"CROSSWAIT_STACK", is_number, "a number of frames"},
        {"CROSSWAIT_LAST", is_number, "a number of events"},
        {"CROSSWAIT_FROM", is_when, "a number of seconds, or pcontrol:N"},
        {"CROSSWAIT_UNTIL", is_when, "a number of seconds, or pcontrol:N"},
        {"CROSSWAIT_RANKS", is_list_of_ranks, "a list of ranks such as 0,4-7"},
        {"CROSSWAIT_CALLS", is_calls,
         "a name of calls: p2p, coll, rma, file, inner, a class in table call of a trace, or a "
         "function such as MPI_Send"},
        {"CROSSWAIT_COMMS", is_text, "a list of names of communicators"},
        {NULL, is_relay, "on, off or auto"},
    };

    _Static_assert(sizeof row / sizeof *row == RECORD_OPTION_COUNT, "a variable per option");
    CORE_CHECK(index >= 0 && index < RECORD_OPTION_COUNT);
    if (!row[index].valid(options->value)) {
        const char *value = row[index].valid == is_calls ? wrong_call(options->value) : NULL;
        int bytes = value ? (int)strcspn(value, ",") : (int)strlen(options->value);
        options_wrong(options, "'%.*s' is not %s", bytes, value ? value : options->value,
                      row[index].wanted);
        return CORE_BAD_INPUT;
    }
    if (row[index].variable)
        launch_variable_set(launch, row[index].variable, options->value);
    else if (row[index].valid == is_relay)
        launch->relay = is_switch(options->value)
                            ? strcmp(options->value, "on") ? LAUNCH_RELAY_OFF : LAUNCH_RELAY_ON
                            : LAUNCH_RELAY_AUTO;
    return CORE_OK;
}

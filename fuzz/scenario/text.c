/* Scenarios as text. See scenario.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/scenario/field.h"
#include "fuzz/scenario/schedule.h"

static const char title[] = "crosswait scenario 1\n";

bool scenario_is_text(const uint8_t *bytes, size_t count)
{
    return count >= sizeof title - 1 && !memcmp(bytes, title, sizeof title - 1);
}

size_t scenario_print(const struct scenario *s, const char *target, const char *other, char *text,
                      size_t room)
{
    size_t used = (size_t)snprintf(text, room, "%scollective %s\n", title, target);
    if (other && used < room)
        used += (size_t)snprintf(text + used, room - used, "other %s\n", other);
    for (int f = FIELD_TARGET + 1; f < FIELDS && used < room; f++) {
        int value = scenario_field_get(s, f);
        if (f == FIELD_BUFFERING)
            used += scenario_schedule_print(s, text + used, room - used);
        else if (scenario_field_row[f].written == AS_CHANGED
                     ? !value
                     : scenario_field_row[f].written != AS_IT_IS)
            continue;
        else if (scenario_field_row[f].names)
            used += (size_t)snprintf(text + used, room - used, "%s %s\n", scenario_field_row[f].key,
                                     scenario_field_row[f].names[value]);
        else
            used += (size_t)snprintf(text + used, room - used, "%s %d\n", scenario_field_row[f].key,
                                     value);
    }
    size_t last = s->explored ? 0 : s->choice_count; /* the order lists them */
    while (last > 0 && s->choices[last - 1] == 0)
        last--; /* answers that ran out are 0 */
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, "choices ");
    for (size_t i = 0; i < last && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%02x", s->choices[i]);
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, last ? "\n" : "-\n");
    return used;
}

static int parse_choices(const char *word, struct scenario *s)
{
    size_t length = strlen(word);
    if (!strcmp(word, "-"))
        return 0;
    if (length % 2 || length / 2 > SCENARIO_CHOICES_MAX ||
        strspn(word, "0123456789abcdefABCDEF") != length)
        return -1;
    for (size_t i = 0; i < length / 2; i++) {
        char pair[3] = {word[2 * i], word[2 * i + 1], 0};
        s->choices[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    s->choice_count = length / 2;
    return 0;
}

static int parse_field(enum field f, const char *word, struct scenario *s)
{
    if (scenario_field_row[f].names) {
        int named = scenario_field_named(f, word, strlen(word));
        if (named >= 0)
            scenario_field_set(s, f, named);
        return named >= 0 ? 0 : -1;
    }
    char *end;
    long value = strtol(word, &end, 10);
    if (end == word || *end || value < scenario_field_row[f].low ||
        value > scenario_field_row[f].high)
        return -1;
    scenario_field_set(s, f, (int)value);
    return 0;
}

static int parse_line(const char *line, int number, struct scenario *s, char out_target[128],
                      char out_other[128], char message[256])
{
    static char key[64], word[2 * SCENARIO_CHOICES_MAX + 8];
    char extra[8];
    int words = sscanf(line, "%63s %4103s %7s", key, word, extra);
    if (words <= 0 || key[0] == '#')
        return 0;
    if (words != 2) {
        snprintf(message, 256, "line %d: a key and one value are expected", number);
        return -1;
    }
    if (!strcmp(key, "collective")) {
        snprintf(out_target, 128, "%.127s", word);
        return 0;
    }
    if (!strcmp(key, "other")) {
        snprintf(out_other, 128, "%.127s", word);
        return 0;
    }
    if (!strcmp(key, "choices")) {
        if (parse_choices(word, s) == 0)
            return 0;
        snprintf(message, 256, "line %d: choices are pairs of hexadecimal digits, or '-'", number);
        return -1;
    }
    if (scenario_schedule_has(key)) {
        char why[200] = "";
        if ((!strcmp(key, scenario_field_row[FIELD_BUFFERING].key) &&
             parse_field(FIELD_BUFFERING, word, s) == 0) ||
            scenario_schedule_parse(s, key, word, why) == 0)
            return 0;
        snprintf(message, 256, "line %d: %.199s", number, why);
        return -1;
    }
    for (int f = FIELD_TARGET + 1; f < FIELDS; f++) {
        if (strcmp(scenario_field_row[f].key, key))
            continue;
        if (parse_field(f, word, s) == 0)
            return 0;
        size_t used =
            (size_t)snprintf(message, 256, "line %d: '%s' cannot be '%.40s': ", number, key, word);
        if (!scenario_field_row[f].names)
            snprintf(message + used, 256 - used, "%d to %d", scenario_field_row[f].low,
                     scenario_field_row[f].high);
        for (int v = scenario_field_row[f].low;
             scenario_field_row[f].names && v <= scenario_field_row[f].high && used < 200; v++)
            used += (size_t)snprintf(message + used, 256 - used, "%s%s",
                                     v > scenario_field_row[f].low ? ", " : "",
                                     scenario_field_row[f].names[v]);
        return -1;
    }
    snprintf(message, 256, "line %d: no key '%s'", number, key);
    return -1;
}

int scenario_parse(const char *text, struct scenario *out, char out_target[128],
                   char out_other[128], char message[256])
{
    static char line[2 * SCENARIO_CHOICES_MAX + 128];
    scenario_default(out);
    out_target[0] = out_other[0] = 0;
    if (strncmp(text, title, sizeof title - 1)) {
        snprintf(message, 256, "the first line is not 'crosswait scenario 1'");
        return -1;
    }
    int number = 1;
    for (const char *at = strchr(text, '\n'); at && at[1];) {
        const char *start = at + 1;
        at = strchr(start, '\n');
        size_t length = at ? (size_t)(at - start) : strlen(start);
        number++;
        if (length >= sizeof line) {
            snprintf(message, 256, "line %d is too long", number);
            return -1;
        }
        memcpy(line, start, length);
        line[length] = 0;
        if (parse_line(line, number, out, out_target, out_other, message))
            return -1;
    }
    if (out->root >= out->ranks) {
        snprintf(message, 256, "root %d is not one of %d rank%s", out->root, out->ranks,
                 out->ranks == 1 ? "" : "s");
        return -1;
    }
    if (out->first_group >= out->ranks) {
        snprintf(message, 256, "a first group of %d leaves none of %d rank%s for the other",
                 out->first_group, out->ranks, out->ranks == 1 ? "" : "s");
        return -1;
    }
    scenario_normalise(out);
    return 0;
}

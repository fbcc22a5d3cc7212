/* crosswait relay: runs on a machine other than the launcher's, started by the first rank there. It
 * goes to the background at once, and keeps nothing of the rank's: no terminal, no open file, no
 * session. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "launch/relay/relay.h"

static const struct options_spec spec[] = {{0}};
static const struct options_command command = {
    "relay",
    "crosswait relay SPOOL-FOLDER",
    "Sends the records of this machine's ranks, and the state of these ranks, to the launcher on "
    "another machine.\nThe first rank of a machine starts it. It ends when the launcher has "
    "received everything.",
    spec,
    "Environment: " RELAY_PLACE " and " RELAY_SECRET ", as the launcher sets them.\n"
    "Exit status: 0 in the background, 2 usage, 3 the launcher cannot be reached.",
    0,
    .example = "crosswait relay app.db.spool",
};

static void leave_all(void)
{
    int nothing = open("/dev/null", O_RDWR);

    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    close_range(3, ~0u, 0);
    setsid();
    if (chdir("/") < 0)
        return;
}

int cmd_relay(int argc, char **argv)
{
    const char *place = getenv(RELAY_PLACE), *secret = getenv(RELAY_SECRET);
    struct options o;
    int which;

    options_begin(&o, &command, argc, argv);
    which = options_next(&o);
    if (which != OPTIONS_END)
        return options_exit(which);
    if (o.operand_count != 1)
        return options_wrong(&o, "the folder of spools is missing");
    if (!place || !secret) {
        core_report(CORE_BAD_INPUT, "no launcher is known: %s and %s are not set", RELAY_PLACE,
                    RELAY_SECRET);
        return CLI_TROUBLE;
    }
    switch (fork()) {
    case -1:
        return CLI_TROUBLE;
    case 0:
        leave_all();
        _exit(relay_run(o.operand[0], place, secret));
    default:
        return CLI_CLEAN;
    }
}

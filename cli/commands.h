/* The commands of crosswait: each is one file, cmd_NAME.c, and one row in main.c. argv[0] is the
 * command's name; the result is the exit status (enum cli_exit; `record` returns that of the
 * recorded command). */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_fuzz(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_relay(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_dump(int argc, char **argv);

#endif

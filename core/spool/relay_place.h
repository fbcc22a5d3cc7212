/* Names that ranks on other machines and the relay there (launch/relay/relay.h) must agree on. */
#ifndef CORE_SPOOL_RELAY_PLACE_H
#define CORE_SPOOL_RELAY_PLACE_H

/* Variables of the job's environment, which the ranks pass on to the relay:
 * "MACHINE;EXECUTABLE;PORT;" and addresses with commas between them, at which the launcher on
 * MACHINE (core/machine.h) listens; and 64 hexadecimal digits. Ranks of other machines than that
 * keep their spools in a folder of their own, SPOOL.MACHINE.PORT, so that a file system which all
 * share holds nothing twice. */
#define RELAY_PLACE "CROSSWAIT_RELAY"
#define RELAY_SECRET "CROSSWAIT_RELAY_SECRET"

/* The file that a relay holds a lock on, in the folder of spools; its machine follows. */
#define RELAY_LOCK ".relay."

#endif

/* Names that ranks on remote machines and the relay there (launch/relay/relay.h) share. */
#ifndef CORE_SPOOL_RELAY_PLACE_H
#define CORE_SPOOL_RELAY_PLACE_H

/* Environment variables of the job, which the ranks pass on to the relay. RELAY_PLACE:
 * "MACHINE;EXECUTABLE;PORT;" and comma-separated addresses at which the launcher on MACHINE
 * (core/machine.h) listens. RELAY_SECRET: 64 hexadecimal digits. Ranks on other machines keep their
 * spools in a folder of their own, SPOOL.MACHINE.PORT, so that a shared file system does not hold
 * them twice. */
#define RELAY_PLACE "CROSSWAIT_RELAY"
#define RELAY_SECRET "CROSSWAIT_RELAY_SECRET"

/* Prefix of the file that a relay locks in the folder of spools; the machine's name follows. */
#define RELAY_LOCK ".relay."

#endif

/* The addresses under which other machines may reach this one. */
#ifndef CORE_ADDRESS_H
#define CORE_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum { CORE_ADDRESSES_MAX = 8, CORE_ADDRESSES_BYTES = CORE_ADDRESSES_MAX * (INET6_ADDRSTRLEN + 1) };

/* Writes the addresses of this machine's networks, separated by commas; false if there is none. */
bool core_addresses_write(char text[CORE_ADDRESSES_BYTES]);
/* Opens a socket for IPv4 and IPv6 that does not block, at a port that the system chooses. Returns
 * -1 on failure. */
int core_address_listen(uint16_t *out_port);

#endif

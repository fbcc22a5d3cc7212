/* See the header. */
#include "core/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/check.h"

bool core_addresses_write(char text[CORE_ADDRESSES_BYTES])
{
    struct ifaddrs *all = NULL;
    size_t used = 0;
    int count = 0;

    *text = '\0';
    if (getifaddrs(&all) < 0)
        return false;
    for (struct ifaddrs *one = all; one && count < CORE_ADDRESSES_MAX; one = one->ifa_next) {
        char address[INET6_ADDRSTRLEN];
        const void *at;

        if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || one->ifa_flags & IFF_LOOPBACK)
            continue;
        if (one->ifa_addr->sa_family == AF_INET)
            at = &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr;
        else if (one->ifa_addr->sa_family == AF_INET6 &&
                 !IN6_IS_ADDR_LINKLOCAL(
                     &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr))
            at = &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr;
        else
            continue;
        if (!inet_ntop(one->ifa_addr->sa_family, at, address, sizeof address) ||
            used + strlen(address) + 2 > CORE_ADDRESSES_BYTES)
            continue;
        used += (size_t)sprintf(text + used, "%s%s", count++ ? "," : "", address);
        CORE_CHECK(used < CORE_ADDRESSES_BYTES);
    }
    freeifaddrs(all);
    return count > 0;
}

int core_address_listen(uint16_t *out_port)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
    struct sockaddr_in at4 = {.sin_family = AF_INET};
    socklen_t bytes = sizeof at;
    int off = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0) { /* no IPv6 */
        if (fd >= 0)
            close(fd);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && bind(fd, (struct sockaddr *)&at4, sizeof at4) < 0) {
            close(fd);
            return -1;
        }
    }
    if (fd < 0 || listen(fd, 128) < 0 || getsockname(fd, (struct sockaddr *)&at, &bytes) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    CORE_CHECK(bytes >= sizeof at4);
    *out_port = ntohs(at.sin6_port); /* at the same offset in both families */
    return fd;
}

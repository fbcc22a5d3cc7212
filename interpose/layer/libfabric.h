/* libfabric's interface as far as the layer uses it: the beginnings of its objects and of their
 * tables of functions. Its ABI (symbol versions FABRIC_1.0 and later) only appends to them; the
 * first word of a table is its size. */
#ifndef INTERPOSE_LAYER_LIBFABRIC_H
#define INTERPOSE_LAYER_LIBFABRIC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { FABRIC_ENABLE = 6 /* a command of control */, FABRIC_CANCELLED = 125 /* an error */ };
#define FABRIC_LOOKS (1ull << 19 | 1ull << 58 | 1ull << 59) /* flags: peek, discard, claim */
#define FABRIC_REPORTS (1ull << 24) /* flag: the queue gets the completion */

/* Each object begins with this. */
struct fabric_id {
    size_t class;
    void *context;
    const struct fabric_id_table {
        size_t bytes;
        void *close, *bind;
        int (*control)(struct fabric_id *id, int command, void *argument);
    } * table;
};

struct fabric_endpoint {
    struct fabric_id id;
    const struct fabric_endpoint_table {
        size_t bytes;
        void *cancel, *getopt, *setopt;
        int (*sender)(struct fabric_endpoint *of, int index, void *how,
                      struct fabric_endpoint **out, void *context);
        int (*receiver)(struct fabric_endpoint *of, int index, void *how,
                        struct fabric_endpoint **out, void *context);
    } * table;
    const struct fabric_connection_table {
        size_t bytes;
        void *setname;
        int (*name)(struct fabric_id *id, void *address, size_t *bytes_inout);
    } * connection;
    void *untagged, *remote;
    const struct fabric_tagged_table *tagged;
};

struct fabric_message {
    const struct iovec *part;
    void **memory;
    size_t parts;
    uint64_t partner, tag, ignore;
    void *context;
    uint64_t data;
};

struct fabric_tagged_table {
    size_t bytes;
    ssize_t (*receive)(struct fabric_endpoint *ep, void *buf, size_t bytes, void *memory,
                       uint64_t from, uint64_t tag, uint64_t ignore, void *context);
    ssize_t (*receive_parts)(struct fabric_endpoint *ep, const struct iovec *part, void **memory,
                             size_t parts, uint64_t from, uint64_t tag, uint64_t ignore,
                             void *context);
    ssize_t (*receive_message)(struct fabric_endpoint *ep, const struct fabric_message *message,
                               uint64_t flags);
    ssize_t (*send)(struct fabric_endpoint *ep, const void *buf, size_t bytes, void *memory,
                    uint64_t to, uint64_t tag, void *context);
    ssize_t (*send_parts)(struct fabric_endpoint *ep, const struct iovec *part, void **memory,
                          size_t parts, uint64_t to, uint64_t tag, void *context);
    ssize_t (*send_message)(struct fabric_endpoint *ep, const struct fabric_message *message,
                            uint64_t flags);
    ssize_t (*inject)(struct fabric_endpoint *ep, const void *buf, size_t bytes, uint64_t to,
                      uint64_t tag);
    ssize_t (*send_data)(struct fabric_endpoint *ep, const void *buf, size_t bytes, void *memory,
                         uint64_t data, uint64_t to, uint64_t tag, void *context);
    ssize_t (*inject_data)(struct fabric_endpoint *ep, const void *buf, size_t bytes, uint64_t data,
                           uint64_t to, uint64_t tag);
};

struct fabric_addresses {
    struct fabric_id id;
    const struct fabric_addresses_table {
        size_t bytes;
        int (*insert)(struct fabric_addresses *to, const void *address, size_t count, uint64_t *out,
                      uint64_t flags, void *context);
    } * table;
};

/* An entry of a queue; its format tells how many bytes it has. */
struct fabric_entry {
    void *context;
    uint64_t flags;
    size_t bytes;
    void *buf;
    uint64_t data, tag;
};
struct fabric_error {
    struct fabric_entry entry;
    size_t cut;
    int error;
};
struct fabric_queue_how {
    size_t count;
    uint64_t flags;
    enum { FABRIC_ENTRY_PLAIN = 2, FABRIC_ENTRY_DATA, FABRIC_ENTRY_TAGGED } format;
};
struct fabric_queue {
    struct fabric_id id;
    const struct fabric_queue_table {
        size_t bytes;
        ssize_t (*read)(struct fabric_queue *queue, void *entry, size_t count);
        void *read_from;
        ssize_t (*read_error)(struct fabric_queue *queue, struct fabric_error *error,
                              uint64_t flags);
    } * table;
};

struct fabric_domain {
    struct fabric_id id;
    const struct fabric_domain_table {
        size_t bytes;
        int (*addresses)(struct fabric_domain *of, void *how, struct fabric_addresses **out,
                         void *context);
        int (*queue)(struct fabric_domain *of, struct fabric_queue_how *how,
                     struct fabric_queue **out, void *context);
        int (*endpoint)(struct fabric_domain *of, void *info, struct fabric_endpoint **out,
                        void *context);
        int (*scalable)(struct fabric_domain *of, void *info, struct fabric_endpoint **out,
                        void *context);
        void *counter, *poll, *senders;
        int (*receivers)(struct fabric_domain *of, void *how, struct fabric_endpoint **out,
                         void *context);
    } * table;
};

struct fabric {
    struct fabric_id id;
    const struct fabric_table {
        size_t bytes;
        int (*domain)(struct fabric *of, void *info, struct fabric_domain **out, void *context);
    } * table;
};
typedef int (*fabric_open_fn)(void *how, struct fabric **out, void *context);

#endif

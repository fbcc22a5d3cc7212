/* UCX's interface as far as the layer uses it; every 1.x keeps it. */
#ifndef INTERPOSE_LAYER_UCX_H
#define INTERPOSE_LAYER_UCX_H

#include <stddef.h>
#include <stdint.h>

enum { UCX_CALLBACK = 1 << 1, UCX_CONTEXT = 1 << 2, UCX_TYPE = 1 << 3 };
enum { UCX_OK = 0, UCX_TRUNCATED = -10, UCX_CANCELLED = -16 };

struct ucx_received {
    uint64_t tag;
    size_t bytes;
};
typedef void (*ucx_sent_fn)(void *request, int8_t status, void *context);
typedef void (*ucx_received_fn)(void *request, int8_t status, const struct ucx_received *received,
                                void *context);

/* Parameters of an operation: `fields` says which are valid. */
struct ucx_parameters {
    uint32_t fields, flags;
    void *request;
    union {
        ucx_sent_fn sent;
        ucx_received_fn received;
    } call;
    uint64_t type;
    void *context;
    void *others[4];
};
_Static_assert(sizeof(struct ucx_parameters) == 72, "as ucp_request_param_t");

/* The target of an endpoint: bit 0 of fields says that the address is valid. */
struct ucx_endpoint {
    uint64_t fields;
    const void *address;
};

typedef void *(*ucx_send_fn)(void *endpoint, const void *buf, size_t count, uint64_t tag,
                             const struct ucx_parameters *parameters);
typedef void *(*ucx_receive_fn)(void *worker, void *buf, size_t count, uint64_t tag, uint64_t mask,
                                const struct ucx_parameters *parameters);
typedef unsigned (*ucx_progress_fn)(void *worker);
typedef int8_t (*ucx_connect_fn)(void *worker, const struct ucx_endpoint *parameters, void **out);
typedef int8_t (*ucx_address_fn)(void *worker, void **out, size_t *out_bytes);

/* The low bits of a datatype are its class; for a contiguous type the other bits are its size. */
enum { UCX_CLASS_BITS = 3, UCX_CLASS_PLAIN = 0, UCX_CLASS_PARTS = 2, UCX_CLASS_GENERIC = 7 };
struct ucx_part {
    void *at;
    size_t bytes;
};
/* A generic type makes a state for a message, which returns its size and is freed afterwards. */
struct ucx_functions {
    void *(*start_pack)(void *context, const void *buf, size_t count);
    void *start_unpack;
    size_t (*packed_bytes)(void *state);
    void *pack, *unpack;
    void (*finish)(void *state);
};
typedef int8_t (*ucx_type_fn)(const struct ucx_functions *functions, void *context, uint64_t *out);

static inline int ucx_is_error(const void *request)
{
    enum { ERRORS = 100 };
    return (uintptr_t)request >= (uintptr_t)-ERRORS;
}

#endif

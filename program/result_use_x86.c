/* x86-64: an int is returned in eax. Follows the instructions from the return address on, including
 * forward jumps, until one reads or writes eax. If eax is stored in a local variable, as in code
 * without optimization, searches the code behind for an instruction that reads the variable before
 * it is stored again.
 *
 * Invariant: code that is not understood gives RESULT_USE_UNKNOWN; nothing is read beyond the given
 * bytes. */
#include "program/result_use_x86.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/check.h"

#if defined(__x86_64__)

enum { FOLLOWED_MAX = 12, SEARCHED_MAX = 1024, EAX = 0 };

struct code {
    const unsigned char *at, *end;
};
struct operand {       /* of an instruction with a ModRM byte */
    int reg, rm;       /* rm: -1: memory */
    unsigned char mod; /* without its register field */
    const unsigned char *place;
    size_t bytes; /* of the rest of the memory operand */
};

/* Reads the ModRM byte and its operand. Returns false beyond the end. */
static bool operand_read(struct code *code, unsigned rex, struct operand *out)
{
    CORE_CHECK(rex == 0 || (rex & 0xf0) == 0x40);
    if (code->at >= code->end)
        return false;
    unsigned char modrm = *code->at++, mod = modrm >> 6;
    *out = (struct operand){.reg = (modrm >> 3 & 7) | (rex & 4 ? 8 : 0),
                            .rm = mod == 3 ? (modrm & 7) | (rex & 1 ? 8 : 0) : -1,
                            .mod = modrm & 0xc7,
                            .place = code->at};
    if (mod == 3)
        return true;
    bool sib = (modrm & 7) == 4;
    size_t bytes = (size_t)sib + (mod == 1) + (mod == 2 || (mod == 0 && (modrm & 7) == 5) ? 4 : 0);
    if (sib && mod == 0 && code->at < code->end && (*code->at & 7) == 5)
        bytes += 4;
    if ((size_t)(code->end - code->at) < bytes)
        return false;
    out->bytes = bytes;
    code->at += bytes;
    return true;
}

static bool same_place(const struct operand *a, const struct operand *b)
{
    return a->rm < 0 && b->rm < 0 && a->mod == b->mod && a->bytes == b->bytes &&
           !memcmp(a->place, b->place, a->bytes);
}

/* Tells whether later code reads the variable in which eax was stored. A function ends where it
 * restores the frame pointer. */
static enum result_use result_use_x86_stored(struct code code, const struct operand *kept)
{
    CORE_CHECK(kept->rm < 0);
    if ((kept->mod & 0xc7) == 5) /* relative to the instruction, not in the function's frame */
        return RESULT_USE_UNKNOWN;
    if (code.end - code.at > SEARCHED_MAX)
        code.end = code.at + SEARCHED_MAX;
    for (; code.at + 1 < code.end; code.at++) {
        struct code next = {code.at + 1, code.end};
        struct operand operand;
        unsigned char op = *code.at;

        if ((op == 0xc9 || op == 0x5d) && code.at[1] == 0xc3) /* leave or pop rbp; ret */
            return RESULT_USE_DROPPED;
        if (!operand_read(&next, 0, &operand) || !same_place(kept, &operand))
            continue;
        switch (op) {
        case 0x89: /* stored again */
        case 0xc7:
            return RESULT_USE_DROPPED;
        case 0x83: /* computed or compared with */
        case 0x81:
        case 0x39:
        case 0x3b:
        case 0x03:
        case 0x0b:
        case 0x23:
        case 0x2b:
        case 0x33:
        case 0x63:
        case 0x85:
        case 0x8b:
            return RESULT_USE_READ;
        default:
            break;
        }
    }
    return RESULT_USE_UNKNOWN;
}

enum step { STEP_ON, STEP_READ, STEP_DROPPED, STEP_STORED, STEP_UNKNOWN };

/* Evaluates an instruction with a ModRM byte. */
static enum step step_operand(struct code *code, unsigned op, unsigned rex, struct operand *operand)
{
    if (!operand_read(code, rex, operand))
        return STEP_UNKNOWN;
    bool reg = operand->reg == EAX, rm = operand->rm == EAX;
    switch (op) {
    case 0x89: /* mov to r/m */
        return reg ? operand->rm < 0 ? STEP_STORED : STEP_READ : rm ? STEP_DROPPED : STEP_ON;
    case 0x8b: /* mov from r/m */
        return rm ? STEP_READ : reg ? STEP_DROPPED : STEP_ON;
    case 0x8d: /* lea */
        return reg ? STEP_DROPPED : STEP_ON;
    case 0x31:
    case 0x33: /* xor of a register with itself clears it */
        return reg && rm ? STEP_DROPPED : reg || rm ? STEP_READ : STEP_ON;
    case 0xc7: /* mov of a constant */
    case 0x81:
    case 0x83: /* computed or compared with a constant */
        code->at += op == 0x83 ? 1 : 4;
        return !rm ? STEP_ON : op == 0xc7 ? STEP_DROPPED : STEP_READ;
    default: /* computed or compared with */
        return reg || rm ? STEP_READ : STEP_ON;
    }
}

/* Follows a forward jump; its distance has `bytes` bytes. */
static bool result_use_x86_jump(struct code *code, size_t bytes)
{
    CORE_CHECK(bytes <= sizeof(uint32_t));
    uint32_t distance = 0;
    size_t left = (size_t)(code->end - code->at);

    if (left < bytes)
        return false;
    memcpy(&distance, code->at, bytes);
    if ((bytes == 1 && distance > INT8_MAX) || distance >= left - bytes)
        return false;
    code->at += bytes + distance;
    return true;
}

static enum step result_use_x86_step(struct code *code, struct operand *operand)
{
    CORE_CHECK(code->at < code->end);
    unsigned rex = 0, op = *code->at++;

    if ((op & 0xf0) == 0x40 && code->at < code->end) {
        rex = op;
        op = *code->at++;
    }
    if (op >= 0x50 && op <= 0x5f) /* push and pop */
        return (op & 7) != EAX || rex & 1 ? STEP_ON : op < 0x58 ? STEP_READ : STEP_DROPPED;
    if (op >= 0xb8 && op <= 0xbf) { /* mov of a constant */
        code->at += rex & 8 ? 8 : 4;
        return op == 0xb8 && !(rex & 1) ? STEP_DROPPED : STEP_ON;
    }
    switch (op) {
    case 0x01: /* add, or, and, sub, cmp, test, movslq, and the above */
    case 0x03:
    case 0x09:
    case 0x0b:
    case 0x21:
    case 0x23:
    case 0x29:
    case 0x2b:
    case 0x31:
    case 0x33:
    case 0x39:
    case 0x3b:
    case 0x63:
    case 0x81:
    case 0x83:
    case 0x85:
    case 0x89:
    case 0x8b:
    case 0x8d:
    case 0xc7:
        return step_operand(code, op, rex, operand);
    case 0x05: /* the same for eax and a constant, and sign extension of eax */
    case 0x0d:
    case 0x25:
    case 0x2d:
    case 0x3d:
    case 0x98:
    case 0xa9:
        return STEP_READ;
    case 0x90: /* nop */
        return STEP_ON;
    case 0xe8: /* call: the result is lost */
        return STEP_DROPPED;
    case 0xe9:
    case 0xeb:
        return result_use_x86_jump(code, op == 0xeb ? 1 : 4) ? STEP_ON : STEP_UNKNOWN;
    default:
        return STEP_UNKNOWN;
    }
}

enum result_use result_use_find(const unsigned char *code, size_t bytes)
{
    struct code rest = {code, code + bytes};

    CORE_CHECK(code);
    for (int i = 0; i < FOLLOWED_MAX && rest.at < rest.end; i++) {
        struct operand operand;

        switch (result_use_x86_step(&rest, &operand)) {
        case STEP_ON:
            break;
        case STEP_READ:
            return RESULT_USE_READ;
        case STEP_DROPPED:
            return RESULT_USE_DROPPED;
        case STEP_STORED:
            return result_use_x86_stored(rest, &operand);
        case STEP_UNKNOWN:
            return RESULT_USE_UNKNOWN;
        }
    }
    return RESULT_USE_UNKNOWN;
}

#else

enum result_use result_use_find(const unsigned char *code, size_t bytes)
{
    (void)code, (void)bytes;
    return RESULT_USE_UNKNOWN;
}

#endif

/* See bounds.h. */
#include "interpose/misuse/bounds.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unwind.h>

#include "interpose/library/library.h"
#include "interpose/misuse/fortran_array.h"
#include "interpose/misuse/heap.h"
#include "interpose/misuse/payload.h"

enum {
    LOOKS_MAX = 4000,       /* per process */
    LOOKS_OF_SITE_MAX = 24, /* per call site */
    SITES_KEPT = 1024,
    FRAMES_MAX = 200, /* between the call and the frame that holds a buffer */
    FRAMES_KEPT = 3,  /* from the call outwards, in which pointers are sought */
    FRAME_WORDS_MAX = 4096,
    OBJECTS_MAX = 32,    /* that words of a frame point to */
    OBJECT_WORDS = 64,   /* the first ones of an object */
    OBJECTS_AT_ONCE = 8, /* 4 KB of a stack that may be small */
    FAR_OF_SITE_MAX = 6, /* per call site: also in callers' frames, objects and static memory */
    FAR_MAX = 1000,      /* per process */
    STATIC_PART = 4 << 10,
    STATIC_BYTES_MAX = 32 << 20, /* per process */
    SLOTS_EACH = 6,      /* lengths up to which an array that calls fill is examined at each call */
    ASKED_MAX = 1000,    /* parts of a buffer that are checked */
    NUMBERS_AT_ONCE = 4, /* words of a frame of which a number may be half */
    NUMBERS_MAX = 1000,  /* per process */
    PAGE = 4096
};

static const int64_t NUMBER_END = (int64_t)1 << 46; /* larger words are addresses */

struct bounds bounds;
static unsigned looks, far_looks, looks_of_site[SITES_KEPT];
static uint64_t static_bytes;

/* --- frames ----------------------------------------------------------------------------------- */

struct frame {
    uintptr_t pc, sp, cfa, fp;
};
struct frames {
    uintptr_t first; /* the application's stack pointer at the call */
    uintptr_t at;    /* address to find; 0: the application's frames from the call outwards */
    struct frame *frame;
    unsigned count, max, seen;
    bool open; /* frame[count] lacks its cfa */
};

/* Returns the frame pointer; only x86-64 needs it to find variables (program/variable.c). */
static uintptr_t frame_pointer(struct _Unwind_Context *context)
{
#if defined(__x86_64__)
    enum { RBP = 6 }; /* DWARF's number; preserved across calls, so it is known in each frame */
    return _Unwind_GetGR(context, RBP);
#else
    (void)context;
    return 0;
#endif
}

/* Visits one frame. A frame's cfa is the start of the next outer frame's own part. */
static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *argument)
{
    struct frames *f = argument;
    uintptr_t sp = _Unwind_GetCFA(context), pc = _Unwind_GetIP(context);
    if (sp < f->first)
        return _URC_NO_REASON; /* a frame of the recorder */
    if (f->open) {
        f->frame[f->count].cfa = sp;
        f->open = false;
        f->count += !f->at || f->at < sp;
        if (f->count == f->max)
            return _URC_END_OF_STACK;
    }
    if (++f->seen == FRAMES_MAX)
        return _URC_END_OF_STACK;
    if (recorder_in_binding((const void *)pc))
        return _URC_NO_REASON;
    f->frame[f->count] = (struct frame){pc, sp, 0, frame_pointer(context)};
    f->open = !f->at || f->at >= sp;
    return _URC_NO_REASON;
}

/* Finds the frame that holds the address, or for address 0 that of the call and those that led to
 * it. Returns their number, at most `max`. Requires a stack from the system (memory_stack): the
 * unwinder may run into garbage at the end of other stacks. */
static unsigned frames_find(void **cfa, uintptr_t at, struct frame *out, unsigned max)
{
    struct frames f = {.first = (uintptr_t)cfa, .at = at, .frame = out, .max = max};
    _Unwind_Backtrace(one_frame, &f);
    return f.count;
}

/* --- pointers to a buffer --------------------------------------------------------------------- */

/* next: the word behind the one with the buffer's address. */
static void slot_add(struct spool_frame *out, int64_t at, int64_t inside, uintptr_t buffer,
                     uintptr_t next)
{
    bool ahead = next >= buffer && next - buffer <= INT32_MAX;
    if (out->slot_count < SPOOL_FRAME_SLOTS && at == (int32_t)at)
        out->slot[out->slot_count++] = (struct spool_slot){
            (int32_t)at, (int32_t)inside, ahead ? (int32_t)(next - buffer) : SPOOL_SLOT_LAST};
}

/* Looks for the buffer's address in the objects to which words of the frame point. Reads through
 * the kernel: an object may be gone, and a watchpoint may lie in it. */
static void slots_of_objects(struct spool_frame *out, const int64_t *place, const uintptr_t *object,
                             uint32_t count, uintptr_t at)
{
    uintptr_t word[OBJECTS_AT_ONCE][OBJECT_WORDS];
    for (uint32_t first = 0, some; first < count; first += some) {
        some = count - first < OBJECTS_AT_ONCE ? count - first : OBJECTS_AT_ONCE;
        memory_copy_each(word, object + first, some, sizeof *word);
        for (uint32_t i = 0; i < some; i++)
            for (int64_t k = 0; k < OBJECT_WORDS; k++)
                if (word[i][k] == at)
                    slot_add(out, place[first + i], k * (int64_t)sizeof **word, at,
                             k + 1 < OBJECT_WORDS ? word[i][k + 1] : 0);
    }
}

/* Finds the words of the frame that point to the buffer, or, if there are none, objects that words
 * of the frame point to (as `this`, and references) with such words. */
static void slots_find(const struct frame *frame, uintptr_t at, bool objects,
                       struct spool_frame *out)
{
    uintptr_t end = frame->cfa - sizeof(uintptr_t), object[OBJECTS_MAX];
    int64_t place[OBJECTS_MAX];
    uint32_t count = 0;
    if (frame->cfa <= frame->sp || frame->sp % sizeof(uintptr_t) ||
        (frame->cfa - frame->sp) / sizeof(uintptr_t) > FRAME_WORDS_MAX ||
        !memory_readable((const void *)frame->sp, frame->cfa - frame->sp))
        return;
    for (uintptr_t word = frame->sp; word < end; word += sizeof word) {
        uintptr_t value = *(const uintptr_t *)word;
        int64_t here = (int64_t)(word - frame->cfa);
        bool in_frame = value >= frame->sp && value < frame->cfa;
        if (value == at)
            slot_add(out, here, SPOOL_SLOT_ITSELF, at,
                     word + sizeof word < end ? ((const uintptr_t *)word)[1] : 0);
        if (!objects || count == OBJECTS_MAX || value == at || in_frame || value < PAGE ||
            value >> 47 || value % sizeof value)
            continue;
        object[count] = value;
        place[count++] = here;
    }
    if (count && !out->slot_count)
        slots_of_objects(out, place, object, count, at);
}

/* Finds the words of the program's static memory that point to the buffer, until STATIC_BYTES_MAX
 * bytes were read. */
static void slots_find_static(struct lane *lane, uintptr_t at, struct spool_frame *out)
{
    uintptr_t end, word = memory_static(&end), part[STATIC_PART / sizeof(uintptr_t)];
    if (!word || end - word > STATIC_BYTES_MAX ||
        __atomic_add_fetch(&static_bytes, end - word, __ATOMIC_RELAXED) > STATIC_BYTES_MAX)
        return;
    out->module = recorder_module_of(lane, word, &out->cfa);
    for (word = (word + 7) & ~(uintptr_t)7; out->module && word + sizeof word <= end;) {
        uint64_t bytes = end - word < STATIC_PART ? end - word : STATIC_PART;
        if (!memory_copy(part, (const void *)word, bytes))
            return;
        for (uint64_t i = 0; i < bytes / sizeof *part; i++)
            if (part[i] == at)
                slot_add(out, (int64_t)(word + i * sizeof *part - out->cfa), SPOOL_SLOT_ITSELF, at,
                         (i + 1) * sizeof *part < bytes ? part[i + 1] : 0);
        word += bytes;
    }
}

/* Finds the pointers to a buffer in the frames of the call; far: also in objects and in static
 * memory. Returns the number of frames with pointers. */
static uint32_t pointers_find(struct lane *lane, const struct frame *frame, unsigned count,
                              uintptr_t at, bool far, struct spool_frame *out)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < count; i++) {
        out[n] = (struct spool_frame){.sp = frame[i].sp, .cfa = frame[i].cfa, .fp = frame[i].fp};
        slots_find(&frame[i], at, far, &out[n]);
        if (out[n].slot_count)
            out[n++].site = recorder_site_of(lane, (const void *)frame[i].pc);
    }
    out[n] = (struct spool_frame){.site = 0};
    if (far)
        slots_find_static(lane, at, &out[n]);
    return n + (out[n].slot_count > 0);
}

/* --- places ----------------------------------------------------------------------------------- */

/* Returns the end of the mapped memory from start on. */
static uintptr_t mapped_end(uintptr_t start, uintptr_t end)
{
    if (memory_mapped((const void *)start, end - start))
        return end;
    uintptr_t good = (start | (PAGE - 1)) + 1, bad = end; /* whole pages from start on are mapped */
    if (!memory_readable((const void *)start, 1) || good >= end)
        return memory_readable((const void *)start, 1) ? good : start;
    while (bad - good > PAGE) {
        uintptr_t middle = (good + (bad - good) / 2) & ~(uintptr_t)(PAGE - 1);
        if (middle <= good)
            break;
        if (memory_mapped((const void *)start, middle - start))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Returns the number of frames found. */
static unsigned place_find(struct lane *lane, void **cfa, struct spool_memory *m,
                           struct frame *frame, unsigned most)
{
    uintptr_t at = (uintptr_t)m->at, stack_end = 0;
    struct heap_block block;
    bool walks = memory_stack((uintptr_t)cfa, &stack_end),
         on_stack = walks && at >= (uintptr_t)cfa && at < stack_end, framed = false;
    unsigned frames = walks ? frames_find(cfa, on_stack ? at : 0, frame, on_stack ? 1 : most) : 0;
    framed = frames > 0;
    m->head.a = SPOOL_PLACE_UNKNOWN;
    if (framed) {
        m->sp = frame->sp;
        m->cfa = frame->cfa;
        m->fp = frame->fp;
        m->site = recorder_site_of(lane, (const void *)frame->pc);
    }
    if (on_stack) {
        m->head.a = framed ? SPOOL_PLACE_STACK : SPOOL_PLACE_UNKNOWN;
        m->block_start = frame->sp;
        m->block_end = framed ? frame->cfa - sizeof(uintptr_t) : 0;
    } else if (usage_region_find(at, &m->block_start, &m->block_end)) {
        m->head.a = SPOOL_PLACE_HEAP;
    } else if (heap_block_find(at, (uintptr_t)m->end, &block)) {
        m->head.a = block.freed ? SPOOL_PLACE_FREED : SPOOL_PLACE_HEAP;
        m->block_start = block.start;
        m->block_end = block.end;
    } else if ((m->module = recorder_module_of(lane, at, &m->bias))) {
        m->head.a = SPOOL_PLACE_STATIC;
    }
    return frames;
}

static void bounds_keep(struct lane *lane, struct spool_memory *m, const struct spool_frame *frame,
                        const char *argument)
{
    m->name_bytes = (uint32_t)strlen(argument);
    size_t frames = m->frame_count * sizeof *frame;
    uint32_t words = (uint32_t)((sizeof *m + frames + m->name_bytes + 7) / 8);
    char *record = spool_reserve(&lane->writer, words);
    if (!record)
        return;
    m->head.kind = SPOOL_MEMORY;
    m->head.words = (uint16_t)words;
    memcpy(record, m, sizeof *m);
    memcpy(record + sizeof *m, frame, frames);
    memcpy(record + sizeof *m + frames, argument, m->name_bytes);
}

/* Tells whether the displacements that the program gave a datatype lead from the buffer, which is
 * memory, to none. Reports it: with addresses as displacements the buffer has to be MPI_BOTTOM. A
 * displacement larger than any address is none of the program: something overwrote the recorder's
 * memory. */
static bool leads_astray(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer,
                         const struct datatype_span *span)
{
    const int64_t address_end = INT64_C(1) << 47;

    if (!buffer->type || !span || !span->placed || !span->low || span->low >= address_end ||
        span->low <= -address_end ||
        memory_readable((const void *)((uintptr_t)buffer->at + (uintptr_t)span->low), 1) ||
        !memory_readable(buffer->at, 1))
        return false;
    bool address = span->low >= PAGE && memory_readable((const void *)(uintptr_t)span->low, 1);
    usage_say(lane, seq, address ? MISUSE_DISPLACED_TWICE : MISUSE_DISPLACED_ASTRAY,
              buffer->argument, 0, .value = {span->low});
    return true;
}

static void look_at(struct lane *lane, const struct spool_event *e, void **cfa,
                    const struct usage_buffer *buffer, uint64_t key, unsigned flags)
{
    unsigned *of_site = &looks_of_site[e->site % SITES_KEPT];
    struct spool_frame pointers[SPOOL_FRAMES_MAX];
    struct frame frame[FRAMES_KEPT] = {{0}};
    if (!buffer->at || buffer->beside || !buffer->of || looks >= LOOKS_MAX ||
        *of_site >= LOOKS_OF_SITE_MAX)
        return;
    __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(of_site, 1, __ATOMIC_RELAXED);
    bounds.known[key >> (64 - BOUNDS_KNOWN_BITS)] = key;
    struct spool_memory m = {.seq = e->seq,
                             .at = (uintptr_t)buffer->at,
                             .start = buffer->start,
                             .end = buffer->end,
                             .count = buffer->count,
                             .type = buffer->of};
    const struct datatype_span *span = datatypes_span(buffer->of);
    if (leads_astray(lane, e->seq, buffer, span))
        return;
    m.mapped_end =
        buffer->type && span && span->whole ? mapped_end(buffer->start, buffer->end) : buffer->end;
    if (m.mapped_end == m.start)
        return; /* device memory, or none at all: the call itself will show */
    bool far = *of_site <= FAR_OF_SITE_MAX && far_looks < FAR_MAX;
    if (far)
        __atomic_add_fetch(&far_looks, 1, __ATOMIC_RELAXED);
    unsigned frames = place_find(lane, cfa, &m, frame, far ? FRAMES_KEPT : 1);
    m.head.b = (uint16_t)(flags | (buffer->access == USAGE_WRITE ? SPOOL_MEMORY_RECEIVED : 0) |
                          (buffer->type ? 0 : SPOOL_MEMORY_SPAN) |
                          (!span || span->placed ? SPOOL_MEMORY_PLACED : 0));
    if (m.head.a != SPOOL_PLACE_STACK && m.head.a != SPOOL_PLACE_STATIC)
        m.frame_count = pointers_find(lane, frame, frames, (uintptr_t)buffer->at, far, pointers);
    bounds_keep(lane, &m, pointers, buffer->argument);
}

/* Examines a buffer. At MPI_BOTTOM each block of the datatype may be a variable of its own. */
static void bounds_look_up(struct lane *lane, const struct spool_event *e, void **cfa,
                           const struct usage_buffer *buffer, uint64_t key, unsigned flags)
{
    const struct datatype_span *absolute = buffer->at ? NULL : datatypes_span(buffer->of);

    if (buffer->at)
        look_at(lane, e, cfa, buffer, key, flags);
    for (uint32_t i = 0; absolute && buffer->count == 1 && i < absolute->blocks; i++) {
        const struct datatype_block *b = &absolute->block[i];
        const struct datatype_span *basic = datatypes_span(b->type);
        struct usage_buffer block = *buffer;
        if (!basic)
            continue;
        block.at = (const void *)(uintptr_t)b->at;
        block.type = block.of = b->type;
        block.count = b->count;
        block.start = (uintptr_t)(b->at + basic->low);
        block.end = (uintptr_t)(b->at + (b->count - 1) * basic->extent + basic->high);
        look_at(lane, e, cfa, &block, key, flags);
    }
}

static void *(*region_is_poisoned)(void *, size_t);

static bool bounds_ask(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer,
                       uintptr_t start, uintptr_t end)
{
    uintptr_t bad = (uintptr_t)region_is_poisoned((void *)start, end - start);
    if (bad)
        usage_say(
            lane, seq,
            buffer->access == USAGE_READ ? MISUSE_SEND_POISONED : MISUSE_RECEIVE_POISONED,
            buffer->argument, 0,
            .value = {(int64_t)(buffer->end - buffer->start), (int64_t)(bad - buffer->start)});
    return !bad;
}

static void ask_sanitizer(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer)
{
    const struct datatype_span *s = datatypes_span(buffer->of);
    if (!s || !buffer->type) {
        return;
    } else if (s->whole) {
        bounds_ask(lane, seq, buffer, buffer->start, buffer->end);
        return;
    }
    int64_t left = ASKED_MAX;
    for (int64_t i = 0; s->part && i < buffer->count; i++)
        for (uint32_t k = 0; k < s->parts; k++) {
            uintptr_t at = (uintptr_t)buffer->at + (uintptr_t)(i * s->extent);
            if (!left-- || !bounds_ask(lane, seq, buffer, at + (uintptr_t)s->part[k][0],
                                       at + (uintptr_t)s->part[k][1]))
                return;
        }
}

/* Tells whether the operation compares elements: then it matters whether these have a sign. */
static bool op_compares(const void *op)
{
    const char *name =
        op && usage_accepted(OBJECT_OP, op) ? library_op_name((MPI_Op)(uintptr_t)op) : NULL;
    return name && (!strcmp(name, "MPI_MAX") || !strcmp(name, "MPI_MIN"));
}

/* Tells whether an element of 8 bytes has its highest bit set. */
static bool is_high(const struct usage_buffer *buffer)
{
    const struct datatype_span *span = datatypes_span(buffer->of);
    const uint64_t *word = buffer->at;
    if (!span || !span->whole || span->extent != sizeof *word || (uintptr_t)word % sizeof *word ||
        buffer->access != USAGE_READ || !memory_readable(word, buffer->end - buffer->start))
        return false;
    for (int64_t i = 0; i < buffer->count && i < ASKED_MAX; i++)
        if (word[i] >> 63)
            return true;
    return false;
}

static void bounds_look_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                             const struct usage_buffer *buffer, const void *op, uint64_t key)
{
    if (!memory_stack_is_short((uintptr_t)cfa))
        bounds_look_up(lane, e, cfa, buffer, key,
                       !op_compares(op)  ? 0
                       : is_high(buffer) ? SPOOL_MEMORY_COMPARED | SPOOL_MEMORY_HIGH
                                         : SPOOL_MEMORY_COMPARED);
}

void bounds_look_keys(struct lane *lane, const struct spool_event *e, void **cfa,
                      const struct usage_buffers *all, unsigned first)
{
    for (unsigned i = first; i < all->count; i++) {
        const struct usage_buffer *b = &all->buffer[i];
        uint64_t key = bounds_key(e->site, b);
        if (UNLIKELY(bounds.sanitized))
            ask_sanitizer(lane, e->seq, b);
        if (UNLIKELY(bounds.known[key >> (64 - BOUNDS_KNOWN_BITS)] != key))
            bounds_look_slow(lane, e, cfa, b, all->op, key);
        *bounds_last(e->site, i) =
            (struct bounds_last){b->start, b->end, b->argument, b->of, e->site};
    }
}

/* Replaces a Fortran interface's copy of an array of requests by the program's own. */
static void own_array(struct usage_buffer *array, void **cfa)
{
    int64_t count = array->count / (int64_t)sizeof(MPI_Request);
    const void *own = count < INT32_MAX ? fortran_array_find(cfa, array->at, (int)count) : NULL;

    if (!own)
        return;
    array->at = own;
    array->start = (uintptr_t)own;
    array->count = count * (int64_t)sizeof(int32_t);
    array->end = array->start + (uintptr_t)array->count;
}

void bounds_array_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                       struct usage_buffer *array, uint64_t key)
{
    array->type = array->of = recorder_type(lane, recorder_handle.type_byte);
    if (memory_stack_is_short((uintptr_t)cfa))
        return;
    if (looks < LOOKS_MAX && recorder_in_binding(cfa[-1]) &&
        !strcmp(array->argument, "array_of_requests"))
        own_array(array, cfa);
    bounds_look_up(lane, e, cfa, array, key, SPOOL_MEMORY_ARRAY);
}

/* Examines the places in [slots->start, slots->end) as an array. */
static void slots_look(struct lane *lane, const struct spool_event *e, void **cfa,
                       const struct bounds_slots *slots, uint32_t bytes)
{
    struct usage_buffer array = {.argument = slots->argument,
                                 .start = slots->start,
                                 .end = slots->end,
                                 .at = (const void *)slots->start,
                                 .count = bytes,
                                 .access = USAGE_WRITE};
    uint64_t key = bounds_key(e->site, &array);
    array.type = array.of = recorder_type(lane, recorder_handle.type_byte);
    if (bounds.known[key >> (64 - BOUNDS_KNOWN_BITS)] != key &&
        !memory_stack_is_short((uintptr_t)cfa))
        bounds_look_up(lane, e, cfa, &array, key, SPOOL_MEMORY_ARRAY | SPOOL_MEMORY_SLOTS);
}

/* An array may end anywhere: it is examined while it is short, and whenever its length is a power
 * of two; later it may be freed. */
void bounds_slot_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                      const char *argument, uintptr_t at, uint32_t bytes)
{
    struct bounds_slots *slots = &bounds.slots[e->site % BOUNDS_LAST];
    if (slots->site != e->site || slots->argument != argument || slots->cfa != cfa ||
        slots->end != at) {
        *slots = (struct bounds_slots){at, at + bytes, argument, cfa, e->site};
        return;
    }
    slots->end = at + bytes;
    uint64_t count = (slots->end - slots->start) / bytes;
    if (count <= SLOTS_EACH || !(count & (count - 1)))
        slots_look(lane, e, cfa, slots, bytes);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Keeps the words of the calling frame of which the number is the lower half: one may be the
 * variable that the program gave to the call. The trace finds out. (Not under ThreadSanitizer, for
 * which the unwinder's locks order threads: it would miss races.) */
void bounds_number_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                        const char *argument, unsigned number, int32_t value)
{
    static unsigned looks_of[SITES_KEPT], numbers;
    uintptr_t stack_end = 0;
    struct frame frame = {0};
    bounds.number[e->site % BOUNDS_LAST] = (struct bounds_number){e->site, value};
    if (shadow.threads || looks_of[e->site % SITES_KEPT] >= LOOKS_OF_SITE_MAX ||
        numbers >= NUMBERS_MAX || !memory_stack((uintptr_t)cfa, &stack_end) ||
        !frames_find(cfa, 0, &frame, 1) || frame.cfa <= frame.sp || frame.sp % sizeof(int64_t) ||
        (frame.cfa - frame.sp) / sizeof(int64_t) > FRAME_WORDS_MAX ||
        !memory_readable((const void *)frame.sp, frame.cfa - frame.sp))
        return;
    __atomic_add_fetch(&looks_of[e->site % SITES_KEPT], 1, __ATOMIC_RELAXED);
    unsigned found = 0;
    for (uintptr_t at = frame.sp; at + 2 * sizeof(int64_t) <= frame.cfa; at += sizeof(int64_t)) {
        int64_t word = *(const int64_t *)at;
        if ((int32_t)word != value || word == value || word < 0 || word >= NUMBER_END ||
            found++ >= NUMBERS_AT_ONCE)
            continue;
        struct spool_memory m = {.seq = e->seq,
                                 .at = at,
                                 .start = at,
                                 .end = at + sizeof word,
                                 .mapped_end = at + sizeof word,
                                 .count = word,
                                 .type = recorder_type(lane, recorder_handle.type_byte),
                                 .sp = frame.sp,
                                 .cfa = frame.cfa,
                                 .fp = frame.fp,
                                 .site = recorder_site_of(lane, (const void *)frame.pc)};
        m.head.a = SPOOL_PLACE_STACK;
        m.head.b = (uint16_t)(SPOOL_MEMORY_CUT | number << SPOOL_MEMORY_NUMBER);
        __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
        bounds_keep(lane, &m, NULL, argument);
    }
}

/* --- AddressSanitizer ------------------------------------------------------------------------- */

void bounds_start(void)
{
    *(void **)&region_is_poisoned = dlsym(RTLD_DEFAULT, "__asan_region_is_poisoned");
    bounds.sanitized = region_is_poisoned != NULL;
    shadow_start();
}

/* Finds the places of calls from Python: file, line and function of the frame that called the
 * binding. The interpreter's own functions are looked up in the process; nothing is linked.
 *
 * A binding releases the interpreter's lock around MPI calls, and waiting for it here could hold up
 * the job; so frames are read from memory. They belong to this thread, which is in the call: no
 * other thread changes or frees them meanwhile, nor their code objects.
 *
 *  1. A layout is tested before it is used: while this thread happens to hold the lock (imports and
 *     small calls keep it), the values read from two frames are compared with those of the
 *     interpreter's public functions. If they differ, nothing is read.
 *  2. An object is read as code or as a string only if it has that type: frames between Python's
 *     functions and C's run something else (None, in 3.13). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program/memory.h"
#include "program/python.h"

static struct api {
    int (*holds)(void); /* PyGILState_Check */
    void *(*thread)(void);
    void *(*frame)(void);
    int (*line)(void *, int); /* reads the code object, which does not change */
    void *(*attribute)(void *, const char *);
    long (*number)(void *);
    const char *(*text)(void *);
    void (*retain)(void *), (*release)(void *);
    const char *(*version)(void);
    const void *none; /* the object None */
} api;

/* Offsets by minor version of Python 3. */
static const struct layout {
    int minor;
    int16_t of_thread, of_cframe; /* the thread's frame, or a struct with the frame at of_cframe;
                                     -1: no such struct */
    int16_t code, back, instruction;
    int8_t unit; /* bytes per unit of `instruction`; 0: `instruction` is an address */
} layouts[] = {
    {8, 24, -1, 32, 24, 104, 1}, {9, 24, -1, 32, 24, 104, 1}, {10, 24, -1, 32, 24, 96, 2},
    {11, 56, 8, 32, 48, 56, 0},  {12, 56, 0, 0, 8, 56, 0},    {13, 72, -1, 0, 8, 56, 0},
    {14, 72, -1, 0, 8, 56, 0},
};
_Static_assert(sizeof(void *) == 8, "the layouts are those of 64 bits");
_Static_assert(sizeof(void *) == sizeof(api.frame), "functions are looked up as addresses");
_Static_assert(sizeof(long) == sizeof(void *), "a number of Python's is an offset in code");
static const struct layout *layout;
static int64_t code_start, name_at, file_at, text_at; /* offsets in code objects, in strings */
static const void *code_type, *text_type;
static enum { UNKNOWN, USABLE, UNUSABLE } state;

static void *word_at(const void *object, int64_t offset)
{
    void *word;
    memcpy(&word, (const char *)object + offset, sizeof word);
    return word;
}

static const void *type_of(const void *object)
{
    return word_at(object, sizeof(void *)); /* behind the reference count, in every version */
}

static bool find_api(void)
{
    const struct {
        const char *name;
        void **function;
    } names[] = {
        {"PyGILState_Check", (void **)&api.holds},
        {"PyGILState_GetThisThreadState", (void **)&api.thread},
        {"PyEval_GetFrame", (void **)&api.frame},
        {"_Py_NoneStruct", (void **)(uintptr_t)&api.none},
        {"PyCode_Addr2Line", (void **)&api.line},
        {"PyObject_GetAttrString", (void **)&api.attribute},
        {"PyLong_AsLong", (void **)&api.number},
        {"PyUnicode_AsUTF8", (void **)&api.text},
        {"Py_IncRef", (void **)&api.retain},
        {"Py_DecRef", (void **)&api.release},
        {"Py_GetVersion", (void **)&api.version},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(*names[i].function = dlsym(RTLD_DEFAULT, names[i].name)))
            return false;
    const char *version = api.version();
    int minor = strncmp(version, "3.", 2) ? 0 : atoi(version + 2);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor)
            layout = &layouts[i];
    return layout != NULL;
}

/* Returns the frame's code object. In 3.14 the lowest bits of the word name the frame's owner. */
static void *code_of(const void *frame)
{
    return (void *)((uintptr_t)word_at(frame, layout->code) & ~(uintptr_t)7);
}

static void *python_current(void *thread)
{
    void *at = word_at(thread, layout->of_thread);
    return at && layout->of_cframe >= 0 ? word_at(at, layout->of_cframe) : at;
}

static int64_t offset_of(const void *frame, const void *code)
{
    if (layout->unit) {
        int instruction;
        memcpy(&instruction, (const char *)frame + layout->instruction, sizeof instruction);
        return (int64_t)instruction * layout->unit;
    }
    return (int64_t)((uintptr_t)word_at(frame, layout->instruction) - (uintptr_t)code) - code_start;
}

/* --- testing the layout (invariant 1), with the interpreter's lock ---------------------------- */

static long number_of(void *object, const char *attribute)
{
    void *value = api.attribute(object, attribute);
    long number = value ? api.number(value) : -1;
    if (value)
        api.release(value);
    return number;
}

/* Returns the offset of the attribute in the code object; 0: not found. */
static int64_t find_attribute(void *code, const char *attribute, void **out_value)
{
    enum { WORDS_MAX = 40 };
    void *value = api.attribute(code, attribute);
    int64_t found = 0;

    for (int i = 2; value && !found && i < WORDS_MAX; i++)
        if (memory_readable((const char *)code + i * 8, 8) && word_at(code, i * 8) == value)
            found = i * 8;
    if (value)
        api.release(value); /* the code object holds a reference as well */
    *out_value = value;
    return found;
}

/* Returns the frame at or below `at` that runs the code. */
static void *frame_of(void *at, const void *code)
{
    for (int i = 0; at && i < 8; i++) {
        if (!memory_readable(at, 112))
            return NULL;
        if (code_of(at) == code)
            return at;
        at = word_at(at, layout->back);
    }
    return NULL;
}

static bool same_line(void *frame, const void *lies, void *code)
{
    return api.line(code, (int)offset_of(lies, code)) == number_of(frame, "f_lineno") &&
           offset_of(lies, code) == number_of(frame, "f_lasti");
}

static bool try_frames(void *thread, void *frame, void *code, void *back, void *back_code)
{
    void *file, *name;
    void *lies = memory_readable(thread, 96) ? frame_of(python_current(thread), code) : NULL,
         *lies_back = lies ? frame_of(word_at(lies, layout->back), back_code) : NULL;

    if (!lies_back)
        return false;
    code_start = layout->unit
                     ? 0
                     : (int64_t)((uintptr_t)word_at(lies, layout->instruction) - (uintptr_t)code) -
                           number_of(frame, "f_lasti");
    file_at = find_attribute(code, "co_filename", &file);
    name_at = find_attribute(code, "co_name", &name);
    const char *text = file ? api.text(file) : NULL;
    text_at = text ? text - (const char *)file : 0;
    code_type = type_of(code);
    text_type = file ? type_of(file) : NULL;
    return file_at && name_at && (text_at == 40 || text_at == 48) && same_line(frame, lies, code) &&
           same_line(back, lies_back, back_code);
}

static void try_layout(void)
{
    void *frame = api.frame(), *back = frame ? api.attribute(frame, "f_back") : NULL;

    if (!back)
        return;                            /* tries again once there are two frames */
    if (type_of(back) != type_of(frame)) { /* None */
        api.release(back);
        return;
    }
    void *code = api.attribute(frame, "f_code"), *back_code = api.attribute(back, "f_code"),
         *thread = api.thread();
    if (code != back_code)
        state = thread && try_frames(thread, frame, code, back, back_code) ? USABLE : UNUSABLE;
    api.release(code);
    api.release(back_code);
    api.release(back);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Returns an ASCII string's characters, which are in the object itself; NULL for other strings. */
static const char *text_of(const void *object)
{
    enum { STATE_AT = 32, COMPACT = 1 << 5, ASCII = 1 << 6 };
    uint32_t flags;
    memcpy(&flags, (const char *)object + STATE_AT, sizeof flags);
    return (flags & COMPACT) && (flags & ASCII) ? (const char *)object + text_at : NULL;
}

/* Tells whether the file belongs to the application, not to the interpreter or the binding. */
static bool is_application(const char *file)
{
    return strncmp(file, "<frozen ", 8) != 0 && strncmp(file, "mpi4py/", 7) != 0 &&
           !strstr(file, "/mpi4py/");
}

static bool is_a(const void *object, const void *type)
{
    return object && type_of(object) == type;
}

unsigned python_places(struct python_place *place, unsigned most)
{
    unsigned count = 0;

    if (state == UNKNOWN && !layout && !find_api())
        state = UNUSABLE;
    if (state == UNKNOWN && api.holds())
        try_layout();
    void *thread = state == USABLE ? api.thread() : NULL;
    for (void *frame = thread ? python_current(thread) : NULL; frame && count < most;
         frame = word_at(frame, layout->back)) {
        void *code = code_of(frame);
        const void *file = is_a(code, code_type) ? word_at(code, file_at) : NULL, /* invariant 2 */
            *name = is_a(file, text_type) ? word_at(code, name_at) : NULL;
        if (code && code == api.none)
            continue; /* between Python's functions and C's: in __del__, the frame below dropped the
                         object */
        if (!is_a(name, text_type))
            break;
        const char *path = text_of(file), *function = text_of(name);
        if (path && function && is_application(path))
            place[count++] = (struct python_place){path, function, code, offset_of(frame, code)};
    }
    return count;
}

int python_line(const struct python_place *place)
{
    return api.line(place->code, (int)place->offset);
}

/* --- exceptions ------------------------------------------------------------------------------- */

/* The interpreter calls its audit hooks before it prints an uncaught exception (not for SystemExit,
 * nor in other threads). It then holds its lock, so its public functions can be called. No code of
 * the program runs: its classes' __str__ and __repr__ are not called. */

typedef int (*audit_fn)(const char *event, void *arguments, void *data);
static struct exceptions {
    python_exception_fn tell;
    int (*add)(audit_fn, void *); /* PySys_AddAuditHook */
    void *(*item)(void *, intptr_t);
    intptr_t (*items)(void *);
    void *(*string)(void *);
    void (*take)(void **, void **, void **); /* take the current error, and restore it */
    void (*put)(void *, void *, void *);
    void (*clear)(void);
    int (*initialized)(void), (*finalizing)(void);
} exceptions;

static bool find_exceptions(void)
{
    const struct {
        const char *name;
        void **function;
    } names[] = {
        {"PySys_AddAuditHook", (void **)&exceptions.add},
        {"PyTuple_GetItem", (void **)&exceptions.item},
        {"PyTuple_Size", (void **)&exceptions.items},
        {"PyObject_Str", (void **)&exceptions.string},
        {"PyErr_Fetch", (void **)&exceptions.take},
        {"PyErr_Restore", (void **)&exceptions.put},
        {"PyErr_Clear", (void **)&exceptions.clear},
        {"Py_IsInitialized", (void **)&exceptions.initialized},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(*names[i].function = dlsym(RTLD_DEFAULT, names[i].name)))
            return false;
    *(void **)&exceptions.finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    if (!exceptions.finalizing)
        *(void **)&exceptions.finalizing = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    return layout || find_api();
}

static void *python_follow(void *object, const char *const *attribute, unsigned count)
{
    for (unsigned i = 0; object && i < count; i++) {
        void *next = api.attribute(object, attribute[i]);
        if (i)
            api.release(object);
        object = next;
    }
    return object;
}

/* Copies the attribute if it is a string; else an empty text. */
static void word_of(void *object, const char *const *attribute, unsigned count, char *out,
                    size_t bytes)
{
    void *word = python_follow(object, attribute, count);
    const char *text = word ? api.text(word) : NULL;

    snprintf(out, bytes, "%s", text ? text : "");
    if (word)
        api.release(word);
    exceptions.clear();
}

static bool is_plain(void *object)
{
    static const char *const plain[] = {"str", "int", "float", "bool", "NoneType", "bytes"};
    static const char *const name[] = {"__class__", "__qualname__"}, *const module[] = {
                                                                         "__class__", "__module__"};
    char text[64];

    word_of(object, module, 2, text, sizeof text);
    if (strcmp(text, "builtins") != 0)
        return false;
    word_of(object, name, 2, text, sizeof text);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(text, plain[i]))
            return true;
    return false;
}

/* Tells whether the interpreter's own code makes the exception's text, from strings and numbers. */
static bool is_printed_plainly(void *type, void *value)
{
    static const char *const owner[] = {"__str__", "__objclass__", "__module__"};
    char text[64];
    void *arguments = api.attribute(value, "args");
    intptr_t count = arguments ? exceptions.items(arguments) : -1;
    bool plain = count >= 0;

    for (intptr_t i = 0; plain && i < count; i++) {
        void *item = exceptions.item(arguments, i); /* borrowed */
        plain = item && is_plain(item);
    }
    if (arguments)
        api.release(arguments);
    exceptions.clear();
    word_of(type, owner, 3, text, sizeof text);
    return plain && !strcmp(text, "builtins");
}

static void text_of_exception(void *type, void *value, char *out, size_t bytes)
{
    static const char *const name[] = {"__name__"};

    word_of(type, name, 1, out, bytes);
    void *string = is_printed_plainly(type, value) ? exceptions.string(value) : NULL;
    const char *said = string ? api.text(string) : NULL;
    size_t used = strlen(out);

    if (said && *said)
        snprintf(out + used, bytes - used, ": %.*s", (int)strcspn(said, "\n"), said);
    if (string)
        api.release(string);
    exceptions.clear();
}

/* Returns the code of an mpi4py.MPI.Exception, which is its first argument; 0: another
 * exception. */
static int mpi_error_of(void *type, void *value)
{
    static const char *const module[] = {"__module__"};
    char text[64];
    void *arguments = api.attribute(value, "args");
    void *code =
        arguments && exceptions.items(arguments) > 0 ? exceptions.item(arguments, 0) : NULL;

    word_of(type, module, 1, text, sizeof text);
    int error = code && !strcmp(text, "mpi4py.MPI") && is_plain(code) ? (int)api.number(code) : 0;
    if (arguments)
        api.release(arguments);
    exceptions.clear();
    return error;
}

static bool is_traceback(void *object)
{
    static const char *const name[] = {"__class__", "__name__"};
    char text[64];

    word_of(object, name, 2, text, sizeof text);
    return !strcmp(text, "traceback");
}

struct passage { /* one entry of a traceback; valid as long as the traceback */
    struct python_place place;
    void *file, *function;
};

static struct passage passage_of(void *traceback)
{
    static const char *const code[] = {"tb_frame", "f_code"};
    struct passage p = {.place.code = python_follow(traceback, code, 2)};

    if (!p.place.code)
        return p;
    p.file = api.attribute(p.place.code, "co_filename");
    p.function = api.attribute(p.place.code, "co_name");
    p.place.file = p.file ? api.text(p.file) : NULL;
    p.place.function = p.function ? api.text(p.function) : NULL;
    p.place.offset = number_of(traceback, "tb_lasti");
    return p;
}

static void passage_done(struct passage *p)
{
    void *const held[] = {p->file, p->function, p->place.code};

    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i])
            api.release(held[i]);
}

/* Reports the last entries of the traceback, which are the innermost. */
static void tell_exception(void *type, void *value, void *traceback)
{
    enum { PLACES_MAX = 32 };
    struct passage passage[PLACES_MAX];
    struct python_place place[PLACES_MAX];
    unsigned count = 0, places = 0;
    char text[256];

    text_of_exception(type, value, text, sizeof text);
    api.retain(traceback);
    for (void *at = traceback; at;) {
        struct passage p = passage_of(at);
        if (!p.place.file || !p.place.function || !is_application(p.place.file))
            passage_done(&p);
        else {
            if (count >= PLACES_MAX)
                passage_done(&passage[count % PLACES_MAX]);
            passage[count++ % PLACES_MAX] = p;
        }
        exceptions.clear();
        void *next = api.attribute(at, "tb_next");
        api.release(at);
        at = next;
        if (at && !is_traceback(at)) {
            api.release(at);
            at = NULL;
        }
    }
    unsigned kept = count < PLACES_MAX ? count : PLACES_MAX;
    for (; places < kept; places++)
        place[places] = passage[(count - 1 - places) % PLACES_MAX].place;
    exceptions.tell(text, mpi_error_of(type, value), place, places);
    for (unsigned i = 0; i < kept; i++)
        passage_done(&passage[i]);
    exceptions.clear();
}

static int on_audit(const char *event, void *arguments, void *data)
{
    (void)data;
    if (strcmp(event, "sys.excepthook") != 0 || syscall(SYS_gettid) != getpid() ||
        exceptions.items(arguments) != 4)
        return 0;
    void *error[3];
    exceptions.take(&error[0], &error[1], &error[2]);
    tell_exception(exceptions.item(arguments, 1), exceptions.item(arguments, 2),
                   exceptions.item(arguments, 3));
    exceptions.put(error[0], error[1], error[2]);
    return 0;
}

void python_watch(python_exception_fn fn)
{
    if (exceptions.tell || !find_exceptions() || !exceptions.initialized() || !api.holds() ||
        !api.thread())
        return;
    exceptions.tell = fn;
    if (exceptions.add(on_audit, NULL) != 0) /* a hook of the program may refuse */
        exceptions.clear();
}

bool python_ending(void)
{
    return exceptions.tell &&
           (!exceptions.initialized() || (exceptions.finalizing && exceptions.finalizing()));
}

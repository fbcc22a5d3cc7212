/* Finds the bytes of a file that a view selects; reads them, and writes them now or late. */
#include "world/exchange/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LATE_BYTES_MAX = 16 << 20 };

int world_file_error(int number)
{
    switch (number) {
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case EACCES:
    case EPERM:
        return MPI_ERR_ACCESS;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    case ENOSPC:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    case EISDIR:
    case ENAMETOOLONG:
    case ENOTDIR:
        return MPI_ERR_BAD_FILE;
    default:
        return MPI_ERR_IO;
    }
}

/* --- where data lies -------------------------------------------------------------------------- */

struct walk { /* iterates over the pieces of the view from some point on */
    MPI_Datatype type;
    off_t base; /* of the current tile */
    size_t run, inside;
};

static struct walk walk_from(MPI_File file, MPI_Offset stream)
{
    MPI_Datatype type = file->filetype;
    struct walk walk = {.type = type, .base = file->disp};
    size_t left = (size_t)stream;
    CORE_CHECK(stream >= 0); /* file.h invariant 1: data in the view */
    if (type->size == 0)
        return walk;
    walk.base += (off_t)(left / type->size) * type_extent(type);
    for (left %= type->size; left >= type->run[walk.run].count * type->run[walk.run].size;)
        left -= type->run[walk.run].count * type->run[walk.run].size, walk.run++;
    walk.inside = left;
    return walk;
}

/* Returns the next piece, of at most `bytes`. */
static size_t walk_next(struct walk *walk, size_t bytes, off_t *out_place)
{
    const struct world_run *run = &walk->type->run[walk->run];
    CORE_CHECK(walk->run < walk->type->run_count && walk->inside < run->count * run->size);
    size_t piece = run->count * run->size - walk->inside;
    CORE_CHECK(bytes > 0 && piece > 0); /* each step makes progress */
    *out_place = walk->base + run->disp + (off_t)walk->inside;
    if (piece > bytes) {
        walk->inside += bytes;
        return bytes;
    }
    walk->inside = 0;
    if (++walk->run == walk->type->run_count) {
        walk->run = 0;
        walk->base += type_extent(walk->type);
    }
    return piece;
}

static void piece_add(struct world_pieces *pieces, struct world_piece piece)
{
    struct world_piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;
    if (last && last->high == piece.low)
        last->high = piece.high;
    else
        pieces->piece[pieces->count++] = piece;
}

struct world_pieces *world_file_pieces(MPI_File file, MPI_Offset stream, size_t bytes,
                                       uintptr_t base, struct world_piece *out_whole)
{
    struct walk walk = walk_from(file, stream), count = walk;
    size_t room = 0, left = bytes;
    off_t place;
    bool sorted = true;
    *out_whole = (struct world_piece){0};
    for (; left > 0 && count.type->size; room++)
        left -= walk_next(&count, left, &place);
    struct world_pieces *made =
        world_alloc(sizeof *made + (room ? room : 1) * sizeof(struct world_piece));
    made->count = 0;
    for (size_t i = 0; i < room; i++) {
        size_t piece = walk_next(&walk, bytes, &place);
        const uint8_t *low = (const uint8_t *)(base + (uintptr_t)place), *high = low + piece;
        sorted &= i == 0 || low >= out_whole->high;
        if (i == 0 || low < out_whole->low)
            out_whole->low = low;
        if (high > out_whole->high)
            out_whole->high = high;
        if (sorted)
            piece_add(made, (struct world_piece){low, high});
        bytes -= piece;
    }
    return sorted ? made : NULL;
}

bool world_file_reaches(MPI_File file, MPI_Offset offset)
{
    MPI_Offset bytes;
    return offset >= 0 && !__builtin_mul_overflow(offset, (MPI_Offset)file->etype->size, &bytes) &&
           bytes <= (MPI_Offset)1 << 62;
}

off_t world_file_place(MPI_File file, MPI_Offset stream)
{
    struct walk walk = walk_from(file, stream);
    return walk.base + (walk.type->size ? walk.type->run[walk.run].disp : 0) + (off_t)walk.inside;
}

off_t world_file_size(MPI_File file)
{
    struct stat facts;
    off_t size = fstat(file->fd, &facts) == 0 ? facts.st_size : 0;
    for (const struct world_delayed_write *l = file->late; l; l = l->next)
        if (l->place + (off_t)l->bytes > size)
            size = l->place + (off_t)l->bytes;
    return size;
}

MPI_Offset world_file_end(MPI_File file)
{
    off_t size = world_file_size(file) - file->disp;
    MPI_Datatype type = file->filetype;
    if (size <= 0 || type->size == 0)
        return 0;
    CORE_CHECK(type_extent(type) > 0); /* MPI_File_set_view refuses other types */
    off_t tiles = size / type_extent(type), rest = size % type_extent(type);
    size_t stream = (size_t)tiles * type->size;
    for (size_t r = 0; r < type->run_count; r++) {
        off_t inside = rest - type->run[r].disp,
              all = (off_t)(type->run[r].count * type->run[r].size);
        stream += (size_t)(inside <= 0 ? 0 : inside < all ? inside : all);
    }
    return (MPI_Offset)((stream + file->etype->size - 1) / file->etype->size);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads the file as it will be once the data of this rank has reached it. */
static ssize_t read_piece(MPI_File file, uint8_t *data, size_t bytes, off_t place)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = pread(file->fd, data + got, bytes - got, place + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    if (!file->late)
        return (ssize_t)got;
    for (const struct world_delayed_write *l = file->late; l; l = l->next)
        if (l->turn)
            world_file_stage(l->turn);
    off_t end = world_file_size(file);
    size_t there = end <= place ? 0 : end - place < (off_t)bytes ? (size_t)(end - place) : bytes;
    CORE_CHECK(got <= bytes && there <= bytes);
    memset(data + got, 0, bytes - got);
    for (const struct world_delayed_write *l = file->late; l; l = l->next) {
        off_t from = l->place > place ? l->place : place;
        off_t to = l->place + (off_t)l->bytes < place + (off_t)bytes ? l->place + (off_t)l->bytes
                                                                     : place + (off_t)bytes;
        if (from < to)
            memcpy(data + (from - place), l->data + (from - l->place), (size_t)(to - from));
    }
    return (ssize_t)there;
}

int world_file_read(MPI_File file, MPI_Offset stream, uint8_t *packed, size_t bytes,
                    size_t *out_bytes)
{
    struct walk walk = walk_from(file, stream);
    size_t done = 0;
    while (done < bytes && walk.type->size) {
        off_t place;
        size_t piece = walk_next(&walk, bytes - done, &place);
        ssize_t got = read_piece(file, packed + done, piece, place);
        if (got < 0)
            return world_file_error(errno);
        CORE_CHECK((size_t)got <= piece);
        done += (size_t)got;
        if ((size_t)got < piece)
            break;
    }
    *out_bytes = done;
    return MPI_SUCCESS;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_piece(MPI_File file, const uint8_t *data, size_t bytes, off_t place)
{
    while (bytes > 0) {
        ssize_t n = pwrite(file->fd, data, bytes, place);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return world_file_error(errno);
        data += n;
        place += n;
        bytes -= (size_t)n;
    }
    return MPI_SUCCESS;
}

int world_file_flush(MPI_File file)
{
    int code = MPI_SUCCESS;
    size_t bytes = 0;
    if (UNLIKELY(WORLD->explore != NULL))
        return world_file_finish_all(file);
    if (file->late)
        world_fiber_yield(); /* so that others' current accesses come first */
    for (struct world_delayed_write *l = file->late; l && !code; l = l->next) {
        code = write_piece(file, l->data, l->bytes, l->place);
        bytes += l->bytes;
    }
    CORE_CHECK(code || bytes == file->late_bytes);
    file->late = NULL;
    file->late_end = &file->late;
    file->late_bytes = 0;
    return code;
}

static bool passes_at_once(MPI_File file)
{
    return file->atomic || file->comm.size == 1 ||
           (WORLD->chosen && world_choose(2, REPLAY_REASON_OTHER) == 1);
}

static void late_add(MPI_File file, off_t place, uint8_t *data, size_t bytes,
                     struct world_file_turn *turn)
{
    struct world_delayed_write *made = world_alloc(sizeof *made);
    *made = (struct world_delayed_write){NULL, place, bytes, data, turn};
    CORE_CHECK(!*file->late_end); /* file.h invariant 2: after the earlier ones */
    *file->late_end = made;
    file->late_end = &made->next;
    file->late_bytes += bytes;
}

void world_file_put_off(MPI_File file, MPI_Offset stream, uint8_t *data, size_t bytes,
                        struct world_file_turn *turn)
{
    struct walk walk = walk_from(file, stream);
    CORE_CHECK(WORLD->explore && turn);
    while (bytes > 0 && walk.type->size) {
        off_t place;
        size_t piece = walk_next(&walk, bytes, &place);
        late_add(file, place, data, piece, turn);
        data += piece;
        bytes -= piece;
    }
}

int world_file_pass(MPI_File file, const struct world_file_turn *turn)
{
    struct world_delayed_write **link = &file->late;
    int code = MPI_SUCCESS;
    while (*link) {
        const struct world_delayed_write *l = *link;
        if (l->turn != turn) {
            link = &(*link)->next;
            continue;
        }
        int failed = write_piece(file, l->data, l->bytes, l->place);
        code = code ? code : failed;
        file->late_bytes -= l->bytes;
        *link = l->next;
    }
    file->late_end = link;
    CORE_CHECK(file->late || !file->late_bytes);
    return code;
}

int world_file_write(MPI_File file, MPI_Offset stream, const uint8_t *packed, size_t bytes)
{
    struct walk walk = walk_from(file, stream);
    bool now = passes_at_once(file);
    int code = MPI_SUCCESS;
    if (now || file->late_bytes + bytes > LATE_BYTES_MAX)
        code = world_file_flush(file); /* a rank's own writes keep their order */
    CORE_CHECK(!now || !file->late);
    while (bytes > 0 && !code && walk.type->size) {
        off_t place;
        size_t piece = walk_next(&walk, bytes, &place);
        if (now) {
            code = write_piece(file, packed, piece, place);
        } else {
            late_add(file, place, memcpy(world_alloc(piece), packed, piece), piece, NULL);
        }
        packed += piece;
        bytes -= piece;
    }
    return code;
}

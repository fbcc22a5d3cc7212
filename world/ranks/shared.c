/* Memory that the program shares with other processes by itself. What its ranks load and store
 * there nobody sees, and neither is it as at first when the next world begins: that it has some is
 * told. */
#include "world/ranks/ranks.h"

#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool shares; /* before the world began, too */

static void shared_note(void)
{
    shares = true;
    rank_shared_tell();
}

void rank_shared_tell(void)
{
    if (!shares || rank_own < 0)
        return;
    CORE_CHECK(rank_region && rank_own < (int)rank_region->rank_count);
    rank_region->rank[rank_own].shares = true;
}

void *rank_map(void *at, size_t bytes, int flags, int file, off_t from)
{
    CORE_CHECK(bytes > 0 && flags & MAP_SHARED);
    return (void *)syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, flags, file, from);
}

/* The program's, and of what it loads. */
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from)
{
    const int kind = flags & MAP_TYPE;
    if (protection & PROT_WRITE && (kind == MAP_SHARED || kind == MAP_SHARED_VALIDATE))
        shared_note();
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, from);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t from)
    __attribute__((alias("mmap")));

void *shmat(int id, const void *at, int flags)
{
    if (!(flags & SHM_RDONLY))
        shared_note();
    return (void *)syscall(SYS_shmat, id, at, flags);
}

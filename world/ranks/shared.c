/* Memory that the program itself shares with other processes. The world sees neither its ranks'
 * loads and stores there, nor restores that memory for the next world; so it reports that such
 * memory exists. */
#include "world/ranks/ranks.h"

#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool shares; /* even before the world began */

static void shared_note(void)
{
    shares = true;
    rank_shared_tell();
}

/* Segments of System V that this process made without a key, as libraries do to try shmat. Another
 * rank can attach them only if it gets their id. */
enum { OWN_MAX = 64 };
static int own_segment[OWN_MAX];
static int own_count, own_early, own_attached; /* the last two: before the ranks were forked */

static bool is_own(int id)
{
    for (int i = rank_own < 0 ? 0 : own_early; i < own_count; i++)
        if (own_segment[i] == id)
            return true;
    return false;
}

void rank_shared_tell(void)
{
    shares |= own_attached > 0; /* all ranks have it now */
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

/* Replaces mmap for the program and the libraries that it loads. */
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from)
{
    const int kind = flags & MAP_TYPE;
    if (protection & PROT_WRITE && (kind == MAP_SHARED || kind == MAP_SHARED_VALIDATE))
        shared_note();
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, from);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t from)
    __attribute__((alias("mmap")));

static const key_t no_key = 0;

int shmget(key_t key, size_t bytes, int flags)
{
    const int id = (int)syscall(SYS_shmget, key, bytes, flags);
    CORE_CHECK(own_count <= OWN_MAX);
    if (id >= 0 && key == no_key && own_count < OWN_MAX)
        own_segment[own_count++] = id;
    own_early = rank_own < 0 ? own_count : own_early; /* all ranks have its id */
    return id;
}

void *shmat(int id, const void *at, int flags)
{
    void *const got = (void *)syscall(SYS_shmat, id, at, flags);
    const bool replaces = flags & SHM_REMAP;
    if (!(flags & SHM_RDONLY) && !is_own(id))
        shared_note();
    else if (rank_own < 0 && got != (void *)-1 && !replaces)
        own_attached++;
    return got;
}

int shmdt(const void *at)
{
    const int returned = (int)syscall(SYS_shmdt, at);
    if (rank_own < 0 && returned == 0 && own_attached > 0)
        own_attached--;
    return returned;
}

/* Memory of another process counts as shared. */
ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long to_count,
                         const struct iovec *from, unsigned long from_count, unsigned long flags)
{
    if (rank_is_theirs(__builtin_return_address(0)))
        shared_note();
    CORE_CHECK(to_count <= INT32_MAX);
    return syscall(SYS_process_vm_readv, process, to, to_count, from, from_count, flags);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *from, unsigned long from_count,
                          const struct iovec *to, unsigned long to_count, unsigned long flags)
{
    if (rank_is_theirs(__builtin_return_address(0)))
        shared_note();
    CORE_CHECK(to_count <= INT32_MAX);
    return syscall(SYS_process_vm_writev, process, from, from_count, to, to_count, flags);
}

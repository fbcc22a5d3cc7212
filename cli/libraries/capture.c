/* See capture.h. A thread reads both pipes until it is stopped. It blocks all signals and allocates
 * nothing, as this process forks meanwhile. */
#include "cli/libraries/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(fd, text, bytes);
        if (done < 0 && errno != EINTR)
            return false;
        text += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Copies available output. Returns false if there is none now. */
static bool stream_copy(struct capture *capture, int i)
{
    char text[65536];
    ssize_t bytes = read(capture->from[i], text, sizeof text);

    if (bytes <= 0)
        return false;
    capture->failed |= !write_all(fileno(capture->kept[i]), text, (size_t)bytes);
    if (capture->pass)
        write_all(capture->saved[i], text, (size_t)bytes); /* may fail: nobody may read it */
    return true;
}

static void *capture_run(void *argument)
{
    struct capture *capture = argument;
    struct pollfd fds[3] = {{.fd = capture->from[0], .events = POLLIN},
                            {.fd = capture->from[1], .events = POLLIN},
                            {.fd = capture->stop[0], .events = POLLIN}};

    while (!fds[2].revents) {
        if (poll(fds, 3, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (fds[i].revents)
                stream_copy(capture, i);
    }
    for (int i = 0; i < 2; i++)
        while (stream_copy(capture, i))
            continue;
    return NULL;
}

static void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void streams_close(struct capture *capture)
{
    for (int i = 0; i < 2; i++) {
        fd_close(&capture->saved[i]);
        fd_close(&capture->from[i]);
        fd_close(&capture->stop[i]);
        if (capture->kept[i])
            fclose(capture->kept[i]);
        capture->kept[i] = NULL;
    }
}

static bool thread_start(struct capture *capture)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&capture->thread, NULL, capture_run, capture) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool streams_open(struct capture *capture, int into[2])
{
    bool open = pipe2(capture->stop, O_CLOEXEC) == 0;

    for (int i = 0; i < 2 && open; i++) {
        int ends[2];
        open = pipe2(ends, O_CLOEXEC) == 0;
        if (!open)
            break;
        capture->from[i] = ends[0];
        into[i] = ends[1];
        capture->kept[i] = tmpfile();
        capture->saved[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
        open =
            capture->kept[i] && capture->saved[i] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
    }
    return open;
}

enum core_status capture_begin(bool pass, struct capture *out_capture)
{
    int into[2] = {-1, -1};

    *out_capture =
        (struct capture){.saved = {-1, -1}, .from = {-1, -1}, .stop = {-1, -1}, .pass = pass};
    fflush(NULL);
    bool begun = streams_open(out_capture, into) && thread_start(out_capture);
    for (int i = 0; i < 2; i++) {
        if (begun)
            dup2(into[i], i + 1);
        fd_close(&into[i]);
    }
    if (!begun)
        streams_close(out_capture);
    return begun ? CORE_OK
                 : core_report(CORE_IO, "cannot read what the job writes: %s", strerror(errno));
}

static enum core_status text_read(struct capture *capture, int i)
{
    off_t bytes = lseek(fileno(capture->kept[i]), 0, SEEK_END);

    capture->text[i] = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
    if (!capture->text[i])
        return core_report(CORE_NO_MEMORY, "out of memory for what the job writes");
    ssize_t done = pread(fileno(capture->kept[i]), capture->text[i], (size_t)bytes, 0);
    capture->bytes[i] = done > 0 ? (size_t)done : 0;
    capture->text[i][capture->bytes[i]] = '\0';
    return CORE_OK;
}

enum core_status capture_end(struct capture *capture)
{
    enum core_status status = CORE_OK;

    fflush(NULL);
    for (int i = 0; i < 2; i++)
        dup2(capture->saved[i], i + 1);
    (void)!write(capture->stop[1], "", 1);
    pthread_join(capture->thread, NULL);
    for (int i = 0; i < 2 && status == CORE_OK; i++)
        status = text_read(capture, i);
    if (status == CORE_OK && capture->failed)
        status = core_report(CORE_IO, "cannot keep what the job writes in a temporary file");
    streams_close(capture);
    return status;
}

void capture_done(struct capture *capture)
{
    free(capture->text[0]);
    free(capture->text[1]);
    capture->text[0] = capture->text[1] = NULL;
}

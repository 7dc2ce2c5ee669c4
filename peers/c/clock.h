// clock.h gives the libraries of a process a virtual clock. Its functions replace those of the C library. An
// event loop polls in every wake-up, which is a system call. Nothing is ever ready for reading or writing
// here, so the replacements return at once. With REAL_POLL the system call is made.
#ifndef CLOCK_H
#define CLOCK_H

#include "timerbench.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/time.h>

static struct timespec virtual_time = {1000, 0};

// set_clock sets the clock to nanoseconds since the structure was made.
static inline void set_clock(int64_t ns) {
	virtual_time.tv_sec = 1000 + ns / 1000000000;
	virtual_time.tv_nsec = ns % 1000000000;
}

#ifdef __cplusplus
extern "C" {
#endif

int clock_gettime(clockid_t id, struct timespec *t) {
	(void)id;
	*t = virtual_time;
	return 0;
}

#ifdef __cplusplus
int gettimeofday(struct timeval *__restrict t, void *__restrict zone) noexcept {
#else
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
#endif
	(void)zone;
	t->tv_sec = virtual_time.tv_sec;
	t->tv_usec = virtual_time.tv_nsec / 1000;
	return 0;
}

#ifndef REAL_POLL
int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
	(void)fd, (void)events, (void)most, (void)timeout;
	return 0;
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
	(void)fd, (void)events, (void)most, (void)timeout, (void)mask;
	return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout) {
	(void)fds, (void)count, (void)timeout;
	return 0;
}
#endif

#ifdef __cplusplus
}
#endif

#endif

/* The clock of one machine of a lab: the time of this host plus an offset, which programs read and set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none, *offset = &none; /* nanoseconds */
static int may_set;
static struct timex state = {.tick = 10000};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void open_clock(void) {
    int file = open("/run/machine-clock", O_RDWR | O_CLOEXEC);
    may_set = file >= 0;
    if (!may_set) file = open("/run/machine-clock", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *page = mmap(0, 8, may_set ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) offset = page;
    close(file);
}

static int64_t host_time(void) {
    static int (*real)(clockid_t, struct timespec *);
    struct timespec now;
    if (!real) real = REAL(clock_gettime);
    real(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int64_t machine_time(void) { return host_time() + *offset; }

static int set_time(int64_t wanted) {
    if (!may_set) return errno = EPERM, -1;
    *offset = wanted - host_time();
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = REAL(clock_gettime);
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) return real(id, now);
    int64_t time = machine_time();
    now->tv_sec = time / 1000000000, now->tv_nsec = time % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int64_t time = machine_time();
    (void)zone;
    now->tv_sec = time / 1000000000, now->tv_usec = time % 1000000000 / 1000;
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = machine_time() / 1000000000;
    if (now) *now = seconds;
    return seconds;
}

int clock_settime(clockid_t id, const struct timespec *wanted) {
    if (id != CLOCK_REALTIME) return errno = EINVAL, -1;
    return set_time(wanted->tv_sec * 1000000000LL + wanted->tv_nsec);
}

int settimeofday(const struct timeval *wanted, const struct timezone *zone) {
    (void)zone;
    return wanted ? set_time(wanted->tv_sec * 1000000000LL + wanted->tv_usec * 1000LL) : 0;
}

int adjtimex(struct timex *buffer) {
    if (buffer->modes & ADJ_FREQUENCY) state.freq = buffer->freq;
    if (buffer->modes & ADJ_TICK) state.tick = buffer->tick;
    if (buffer->modes & ADJ_STATUS) state.status = buffer->status;
    if (buffer->modes & ADJ_SETOFFSET && may_set) {
        int64_t unit = buffer->modes & ADJ_NANO ? 1 : 1000;
        *offset += buffer->time.tv_sec * 1000000000LL + buffer->time.tv_usec * unit;
    }
    int modes = buffer->modes;
    *buffer = state, buffer->modes = modes;
    gettimeofday(&buffer->time, 0);
    return TIME_OK;
}

int ntp_adjtime(struct timex *buffer) { return adjtimex(buffer); }
int clock_adjtime(clockid_t id, struct timex *buffer) { (void)id; return adjtimex(buffer); }

/* chronyd keeps the right to set the clock of this host, which a machine of a lab does not have and does not need. */
int cap_set_proc(void *capabilities) { (void)capabilities; return 0; }

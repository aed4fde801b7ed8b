/* Counts, records and fails the calls by which a program changes files; preloaded into it.
 *
 *   FAULTS_UNDER  only files whose path begins so are counted
 *   FAULTS_LOG    every counted call goes here, one line each: CALL, PATH, OTHER PATH or nothing, what
 *                 became of it (ok, failed, !kill, !torn, !ENOSPC, !EIO, !skipped), by tabs;
 *                 a write to standard output or error is recorded as "say", and never fails
 *   FAULTS_AT     the number of the call, from 1, that is not to succeed; 0 for none
 *   FAULTS_DO     kill: the process dies before the call. torn: half of a write gets through first.
 *                 ENOSPC, EIO: the call fails
 *   FAULTS_EVER   1: all later calls fail too
 *   FAULTS_NOSYNC 1: fsync and fdatasync say that they are done, and do nothing
 *
 * Calls of all threads are made one at a time, so that the record has them in the order in which they
 * were made. What the C library writes by itself (stdio) is not seen, nor is memory that is mapped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *under, *what;
static long at, counted;
static int log_file = -1, ever, no_sync;

static void start(void) {
  const char *text = getenv("FAULTS_LOG");
  under = getenv("FAULTS_UNDER");
  what = getenv("FAULTS_DO");
  if (!what) what = "kill";
  if (text) log_file = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if ((text = getenv("FAULTS_AT"))) at = atol(text);
  ever = (text = getenv("FAULTS_EVER")) && *text == '1';
  no_sync = (text = getenv("FAULTS_NOSYNC")) && *text == '1';
}

static void record(const char *call, const char *path, const char *other, const char *result) {
  char line[2 * PATH_MAX + 64];
  if (log_file < 0) return;
  int count = snprintf(line, sizeof line, "%s\t%s\t%s\t%s\n", call, path, other, result);
  if (count > 0) syscall(SYS_write, log_file, line, (size_t)count);
}

/* The path of a descriptor, or of a name in a folder. */
static void locate(char *path, int folder, const char *name) {
  char link[64];
  ssize_t count = 0;
  path[0] = 0;
  if (name && (*name == '/' || folder == AT_FDCWD)) {
    if (*name != '/' && getcwd(path, PATH_MAX)) strcat(path, "/");
    strncat(path, name, PATH_MAX - strlen(path) - 1);
    return;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  count = readlink(link, path, PATH_MAX - 1);
  path[count < 0 ? 0 : count] = 0;
  if (name) {
    strncat(path, "/", PATH_MAX - strlen(path) - 1);
    strncat(path, name, PATH_MAX - strlen(path) - 1);
  }
}

static int is_counted(const char *path) {
  return under && strncmp(path, under, strlen(under)) == 0;
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/* Whether this call, one of those that count, is to fail; kills where that is asked for. */
static int fails(const char *call, const char *path, const char *other) {
  counted++;
  if (at == 0 || (ever ? counted < at : counted != at)) return 0;
  if (strcmp(what, "kill") == 0) {
    record(call, path, other, "!kill");
    die();
  }
  if (strcmp(what, "torn") == 0) return 0;
  char result[32];
  snprintf(result, sizeof result, "!%s", what);
  record(call, path, other, result);
  errno = strcmp(what, "EIO") == 0 ? EIO : ENOSPC;
  return 1;
}

static long done(const char *call, const char *path, const char *other, long result) {
  int code = errno;
  record(call, path, other, result < 0 ? "failed" : "ok");
  errno = code;
  return result;
}

enum { PLAIN, AT_PLACE };

static ssize_t put(
    const char *call, int kind, int file, const void *bytes, size_t count, off_t place) {
  char path[2 * PATH_MAX];
  pthread_once(&once, start);
  pthread_mutex_lock(&lock);
  locate(path, file, NULL);
  ssize_t result;
  int seen = is_counted(path);
  if (seen && fails(call, path, "")) {
    result = -1;
  } else {
    int torn = seen && counted == at && strcmp(what, "torn") == 0;
    if (torn) count /= 2;
    result = kind == PLAIN ? syscall(SYS_write, file, bytes, count)
                           : syscall(SYS_pwrite64, file, bytes, count, place);
    if (torn) {
      record(call, path, "", "!torn");
      die();
    }
    if (seen) done(call, path, "", result);
    else if (file == 1 || file == 2) done("say", path, "", result);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t write(int file, const void *bytes, size_t count) {
  return put("write", PLAIN, file, bytes, count, 0);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  return put("pwrite", AT_PLACE, file, bytes, count, place);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  return put("pwrite", AT_PLACE, file, bytes, count, place);
}

/* Every other call: its number and arguments, made where it is not to fail. */
static long make(
    const char *call, const char *path, const char *other, int is_sync,
    long number, long a, long b, long c, long d, long e) {
  long result = 0;
  pthread_once(&once, start);
  pthread_mutex_lock(&lock);
  if (!is_counted(path)) result = syscall(number, a, b, c, d, e);
  else if (fails(call, path, other)) result = -1;
  else if (is_sync && no_sync) record(call, path, other, "!skipped");
  else if (strcmp(what, "torn") == 0 && counted == at) {
    record(call, path, other, "!torn");
    die();
  } else result = done(call, path, other, syscall(number, a, b, c, d, e));
  pthread_mutex_unlock(&lock);
  return result;
}

static long on_file(const char *call, int is_sync, long number, int file, long b, long c, long d) {
  char path[2 * PATH_MAX];
  int code = errno;
  locate(path, file, NULL);
  errno = code;
  return make(call, path, "", is_sync, number, file, b, c, d, 0);
}

int fsync(int file) { return (int)on_file("fsync", 1, SYS_fsync, file, 0, 0, 0); }
int fdatasync(int file) { return (int)on_file("fdatasync", 1, SYS_fdatasync, file, 0, 0, 0); }
int ftruncate(int file, off_t size) {
  return (int)on_file("ftruncate", 0, SYS_ftruncate, file, size, 0, 0);
}
int ftruncate64(int file, off64_t size) {
  return (int)on_file("ftruncate", 0, SYS_ftruncate, file, size, 0, 0);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  return on_file("writev", 0, SYS_writev, file, (long)parts, count, 0);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t place) {
  return on_file("pwritev", 0, SYS_pwritev, file, (long)parts, count, place);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t place) {
  return on_file("pwritev", 0, SYS_pwritev, file, (long)parts, count, place);
}

static int remove_name(int folder, const char *name, int flags) {
  char path[2 * PATH_MAX];
  locate(path, folder, name);
  return (int)make("unlink", path, "", 0, SYS_unlinkat, folder, (long)name, flags, 0, 0);
}
int unlink(const char *name) { return remove_name(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return remove_name(folder, name, flags); }

static int give_name(
    int folder, const char *name, int new_folder, const char *new_name, unsigned flags) {
  char path[2 * PATH_MAX], other[2 * PATH_MAX];
  locate(path, folder, name);
  locate(other, new_folder, new_name);
  return (int)make("rename", path, other, 0, SYS_renameat2, folder, (long)name, new_folder,
                   (long)new_name, flags);
}
int rename(const char *name, const char *new_name) {
  return give_name(AT_FDCWD, name, AT_FDCWD, new_name, 0);
}
int renameat(int folder, const char *name, int new_folder, const char *new_name) {
  return give_name(folder, name, new_folder, new_name, 0);
}
int renameat2(
    int folder, const char *name, int new_folder, const char *new_name, unsigned flags) {
  return give_name(folder, name, new_folder, new_name, flags);
}

/* Preloaded into a gate: calls on the files that a list names fail, as on a disk that fails while it runs.
   The list, in FAILING_DISK_LIST, has lines of `write|sync PART-OF-A-PATH ERRNO`. Read anew for each call.
   What failed is added, a path in a line, to a file beside it, `.hits`, where that is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int failure_of(const char *what, const char *path) {
  const char *list = getenv("FAILING_DISK_LIST");
  FILE *file = list == NULL ? NULL : fopen(list, "re");
  if (file == NULL) return 0;
  char kind[16], part[512];
  int code, found = 0;
  while (fscanf(file, "%15s %511s %d", kind, part, &code) == 3)
    if (strcmp(kind, what) == 0 && strstr(path, part) != NULL) found = code;
  fclose(file);
  return found;
}

static void note(const char *path) {
  char beside[512];
  const char *list = getenv("FAILING_DISK_LIST");
  if (list == NULL) return;
  snprintf(beside, sizeof beside, "%s.hits", list);
  FILE *hits = access(beside, W_OK) == 0 ? fopen(beside, "ae") : NULL;
  if (hits == NULL) return;
  fprintf(hits, "%s\n", path);
  fclose(hits);
}

static int fails(const char *what, int fd) {
  char link[64], path[4096];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') { errno = saved; return 0; }
  path[length] = 0;
  int code = failure_of(what, path);
  if (code != 0) note(path);
  errno = code == 0 ? saved : code;
  return code != 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) { return fails("write", fd) ? -1 : REAL(write)(fd, bytes, count); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return fails("write", fd) ? -1 : REAL(writev)(fd, parts, count); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return fails("write", fd) ? -1 : REAL(pwrite)(fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) { return fails("write", fd) ? -1 : REAL(pwrite64)(fd, bytes, count, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return fails("write", fd) ? -1 : REAL(pwritev)(fd, parts, count, at); }
int fsync(int fd) { return fails("sync", fd) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails("sync", fd) ? -1 : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return fails("write", fd) ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails("write", fd) ? -1 : REAL(ftruncate64)(fd, size); }

/*
 * metnos-make-box makes a box by those of bubblewrap's words that the gate uses, and refuses every other one (docs/decisions/0013). While
 * bubblewrap makes a box, a link at a place where something is to be mounted can lead it out of the box, as it sees the whole machine
 * meanwhile. Here such a place is looked up in the new root alone, by the kernel, and mounted on by its descriptor. It needs Linux 5.12.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the kernel's headers, which older C libraries don't have, and newer ones have twice. */
enum { OPEN_TREE = 428, MOVE_MOUNT = 429, CLOSE_RANGE = 436, OPENAT2 = 437, MOUNT_SETATTR = 442 };
enum { CLONED = 1, RECURSIVE = 0x8000, FROM_FD_TO_FD = 0x44, NO_MAGIC_LINKS = 0x02, IN_ROOT = 0x10 };
enum { READ_ONLY = 1, NO_SUID = 2, NO_DEV = 4 };
struct attributes { uint64_t set, clear, propagation, userns; };
struct how { uint64_t flags, mode, resolve; };

static int info_fd = -1, status_fd = -1, sync_fd = -1, args_fd = -1, filter_fd = -1; /* what the words name */
static int proc_fd, old_root, new_root;
static const char *terminal; /* where the output is one */

/* The code of a run that didn't start, as the launcher's. */
static _Noreturn void fail(int error, const char *format, ...) {
  char text[PATH_MAX + 256]; /* a longer text is cut */
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  dprintf(2, "metnos-make-box: %s%s%s\n", text, error ? ": " : "", error ? strerror(error) : "");
  _exit(126);
}
#define must(done, ...) do { if ((done) < 0) fail(errno, __VA_ARGS__); } while (0)

/* ---- Words: all of a source are read and checked before anything is made of them. */

enum { MAX_WORDS = 9000 };

enum word {
  UNSHARE_ALL, UNSHARE_USER, DISABLE_USERNS, DIE_WITH_PARENT, CAP_DROP, NEW_SESSION, CHDIR, PERMS, SIZE,
  SYNC_FD, INFO_FD, STATUS_FD, FILTER_FD, ARGS_FD, /* in this order in `fds` */
  SETENV, HOSTNAME, REMOUNT_RO, TMPFS, DIRECTORY, PROC, DEV, SYMLINK, BIND, RO_BIND, DEV_BIND, WORDS
};
static const struct { const char *name; int values; } WORD[WORDS] = {
  [UNSHARE_ALL] = { "--unshare-all", 0 },         [UNSHARE_USER] = { "--unshare-user", 0 }, [DISABLE_USERNS] = { "--disable-userns", 0 },
  [DIE_WITH_PARENT] = { "--die-with-parent", 0 }, [CAP_DROP] = { "--cap-drop", 1 },         [NEW_SESSION] = { "--new-session", 0 },
  [CHDIR] = { "--chdir", 1 },                     [PERMS] = { "--perms", 1 },               [SIZE] = { "--size", 1 },
  [SYNC_FD] = { "--sync-fd", 1 },                 [INFO_FD] = { "--info-fd", 1 },           [STATUS_FD] = { "--json-status-fd", 1 },
  [FILTER_FD] = { "--seccomp", 1 },               [ARGS_FD] = { "--args", 1 },              [SETENV] = { "--setenv", 2 },
  [HOSTNAME] = { "--hostname", 1 },               [REMOUNT_RO] = { "--remount-ro", 1 },     [TMPFS] = { "--tmpfs", 1 },
  [DIRECTORY] = { "--dir", 1 },                   [PROC] = { "--proc", 1 },                 [DEV] = { "--dev", 1 },
  [SYMLINK] = { "--symlink", 2 },                 [BIND] = { "--bind", 2 },                 [RO_BIND] = { "--ro-bind", 2 },
  [DEV_BIND] = { "--dev-bind", 2 },
};
/* What they say is done for every box: without one of them another box is meant. The root comes first: all else is put there. */
static const int NEEDED = 1 << UNSHARE_ALL | 1 << UNSHARE_USER | 1 << DISABLE_USERNS | 1 << DIE_WITH_PARENT | 1 << CAP_DROP | 1 << TMPFS;

struct step { enum word word; mode_t mode; unsigned long long size; char *first, *last; };
static struct step steps[MAX_WORDS]; /* never more of them than words */
static int steps_read, steps_made, words_left = MAX_WORDS, given;
static char *cwd = "/";

static unsigned long long number(const char *text, int base, unsigned long long max) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, base);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > max) fail(0, "This is no number that can be used: %s", text);
  return value;
}

static void check_step(const struct step *step, bool is_from_file) {
  int *const fds[] = { &sync_fd, &info_fd, &status_fd, &filter_fd, &args_fd };
  enum word word = step->word;
  bool is_fd = word >= SYNC_FD && word <= ARGS_FD, is_made = word > ARGS_FD;
  /* Those of the file are made behind all of the command line's. */
  if (is_from_file ? is_fd : is_made && args_fd >= 0) fail(0, "%s can't be used here", WORD[word].name);
  if (is_fd) {
    int fd = (int)number(step->first, 10, INT_MAX), *kept = fds[word - SYNC_FD];
    if (*kept >= 0 || fd < 3 || fcntl(fd, F_GETFD) < 0) fail(0, "This descriptor can't be used: %s", step->first);
    *kept = fd;
  }
  if (word == CAP_DROP && strcmp(step->first, "ALL") != 0) fail(0, "Only all capabilities can be dropped");
  if (word == CHDIR) cwd = step->first;
  if ((word == PROC && strcmp(step->last, "/proc") != 0) || (word == DEV && strcmp(step->last, "/dev") != 0)) fail(0, "%s belongs elsewhere", WORD[word].name);
  if ((word >= REMOUNT_RO && *step->last != '/') || (word >= BIND && *step->first != '/')) fail(0, "%s needs absolute paths", WORD[word].name);
  if (word >= REMOUNT_RO) {
    bool is_root = strcmp(step->last, "/") == 0, has_root = given & 1 << TMPFS;
    if (word == TMPFS ? is_root == has_root : !has_root || (is_root && word != REMOUNT_RO))
      fail(0, "%s %s can't be used here: --tmpfs / comes first, and once", WORD[word].name, step->last);
  }
  given |= 1 << word;
}

/* @returns how many words there are before the command's */
static int read_words(int count, char **words, bool is_from_file) {
  long mode = -1;
  unsigned long long size = 0;
  int at = 0;
  for (; at < count && strcmp(words[at], "--") != 0 && (*words[at] == '-' || is_from_file); at++) {
    enum word word = 0;
    while (word < WORDS && strcmp(words[at], WORD[word].name) != 0) word++;
    if (word == WORDS) fail(0, "Unknown option %s", words[at]);
    int values = WORD[word].values;
    if (values >= count - at) fail(0, "%s takes %d arguments", words[at], values);
    struct step step = { word, mode < 0 ? 0755 : (mode_t)mode, size, words[at + (values > 0)], words[at + values] };
    at += values;
    if (word == PERMS) mode = (long)number(step.first, 8, 07777);
    else if (word == SIZE) size = number(step.first, 10, SIZE_MAX >> 1);
    else {
      if (mode >= 0 && word != DIRECTORY && word != TMPFS) fail(0, "--perms must be followed by an option that creates a file");
      if (size != 0 && word != TMPFS) fail(0, "--size must be followed by --tmpfs");
      check_step(&step, is_from_file);
      if (word > ARGS_FD) steps[steps_read++] = step;
      mode = -1, size = 0;
    }
  }
  if (mode >= 0 || size != 0) fail(0, "Nothing follows --perms or --size");
  if (is_from_file && at < count) fail(0, "The command can't be among these words");
  return at < count && strcmp(words[at], "--") == 0 ? at + 1 : at;
}

/* A descriptor's whole content, ended by a byte more. */
static char *read_all(int fd, size_t *length, const char *what) {
  size_t room = 1 << 16;
  char *text = malloc(room);
  ssize_t more = 1;
  for (*length = 0; more > 0; *length += (size_t)more) {
    if (text != NULL && *length + 1 >= room) text = realloc(text, room *= 2);
    if (text == NULL) fail(ENOMEM, "Can't read %s", what);
    do more = read(fd, text + *length, room - *length - 1);
    while (more < 0 && errno == EINTR);
    must(more, "Can't read %s", what);
  }
  close(fd);
  text[*length] = '\0';
  return text;
}

/* They come once the gate knows them: what the command line says is made meanwhile. */
static void read_file_words(void) {
  static char *words[MAX_WORDS];
  size_t length;
  int count = 0;
  char *text = read_all(args_fd, &length, "--args data");
  if (length > 0 && text[length - 1] != '\0') fail(0, "The last word of --args has no end");
  for (char *word = text; word < text + length; word += strlen(word) + 1) {
    if (--words_left < 0) fail(0, "Exceeded maximum number of arguments %d", MAX_WORDS);
    words[count++] = word;
  }
  read_words(count, words, true);
}

/* ---- Namespaces: of all kinds, made at once by `main`; here they get what belongs in them. */

static void write_to(const char *name, const char *text) {
  int fd = openat(proc_fd, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) fail(errno, "setting up %s", name);
  close(fd);
}

static void write_map(const char *name, unsigned inner, unsigned outer) {
  char map[64];
  snprintf(map, sizeof map, "%u %u 1\n", inner, outer);
  write_to(name, map);
}

/* The kernel gives it its address. */
static void begin_loopback(void) {
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0) fail(errno, "loopback: Failed to begin");
  close(fd);
}

/* ---- Mounts */

/* More tries than renamed folders need, after each of which the kernel may ask for another one. */
enum { MAX_LOOKS = 1000 };

/* A place that is there, below a root that no link and no `..` leads out of. */
static int look_up(int root, const char *path, uint64_t flags) {
  struct how how = { O_PATH | O_CLOEXEC | flags, 0, IN_ROOT | NO_MAGIC_LINKS };
  int fd, looks = 0;
  do fd = (int)syscall(OPENAT2, root, path, &how, sizeof how);
  while (fd < 0 && errno == EAGAIN && looks++ < MAX_LOOKS);
  return fd;
}

static int folder(char *path, mode_t mode);

/* The folder that a place lies in, made where it isn't there, and the place's name in it. */
static int parent_of(char *path, char **name) {
  char *slash = strrchr(path, '/');
  *name = slash + 1;
  *slash = '\0';
  int fd = slash == path ? look_up(new_root, "/", 0) : folder(path, 0755);
  *slash = '/';
  must(fd, "Can't open the folder of %s", path);
  return fd;
}

/* A folder or a file in the new root. Where nothing is, it is made; nothing that is there is changed, and no link at its name is followed. */
static int place(char *path, bool is_folder, mode_t mode) {
  uint64_t flags = is_folder ? O_DIRECTORY : 0;
  int fd = look_up(new_root, path, flags);
  if (fd < 0 && errno == ENOENT) {
    char *name;
    int parent = parent_of(path, &name);
    fd = is_folder ? mkdirat(parent, name, mode) : openat(parent, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST) fail(errno, "Can't make %s", path); /* another box may have made it meanwhile */
    if (fd > 0) close(fd);
    close(parent);
    fd = look_up(new_root, path, flags);
  }
  must(fd, "Can't make or open %s", path);
  return fd;
}

static int folder(char *path, mode_t mode) { return place(path, true, mode); }

static void set_attributes(int fd, unsigned flags, uint64_t attributes, const char *path) {
  struct attributes set = { attributes, 0, 0, 0 };
  must(syscall(MOUNT_SETATTR, fd, "", AT_EMPTY_PATH | flags, &set, sizeof set), "Can't set the attributes of %s", path);
}

/* All that is mounted at and below a place gets its attributes while nobody can reach it. The gate names what links lead to: what is a link
 * by now was exchanged for it. */
static void bind_tree(int root, const char *source, char *at, uint64_t attributes) {
  struct stat stat;
  int from = look_up(root, source, O_NOFOLLOW);
  if (from < 0 || fstat(from, &stat) != 0) fail(errno, "Can't find source path %s", source);
  if (S_ISLNK(stat.st_mode)) fail(0, "%s was exchanged for a link while the box was made: nothing was run, try again", source);
  int tree = (int)syscall(OPEN_TREE, from, "", AT_EMPTY_PATH | CLONED | RECURSIVE | O_CLOEXEC);
  must(tree, "Can't bind mount %s on %s", source, at);
  set_attributes(tree, RECURSIVE, attributes, source);
  int to = S_ISDIR(stat.st_mode) ? folder(at, 0755) : place(at, false, 0444);
  must(syscall(MOVE_MOUNT, tree, "", to, "", FROM_FD_TO_FD), "Can't bind mount %s on %s", source, at);
  close(from), close(tree), close(to);
}

/* By the working directory: the one way to mount on a descriptor in one call. */
static void mount_on(int fd, const char *type, unsigned long flags, const char *options) {
  if (fchdir(fd) != 0 || mount(type, ".", type, flags, options) != 0) fail(errno, "Can't mount %s", type);
  close(fd);
}

static void new_tmpfs(char *path, mode_t mode, unsigned long long size) {
  char options[64];
  int length = snprintf(options, sizeof options, "mode=%#o", mode);
  if (size != 0) snprintf(options + length, sizeof options - (size_t)length, ",size=%llu", size);
  bool is_root = strcmp(path, "/") == 0;
  /* No source lies in /proc: the new root hides nothing there that is looked for in the old one. */
  int at = is_root ? look_up(old_root, "/proc", O_DIRECTORY) : folder(path, 0755);
  must(at, "Can't open /proc");
  mount_on(at, "tmpfs", MS_NOSUID | MS_NODEV, options);
  if (is_root) must(new_root = look_up(old_root, "/proc", O_DIRECTORY), "Can't open the new root");
}

/* By its files root would change the whole machine's kernel, and everybody the memory of the box's first process. */
static void new_proc(char *path) { mount_on(folder(path, 0755), "proc", MS_RDONLY | MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL); }

static void new_link(const char *target, char *path) {
  char *name;
  int parent = parent_of(path, &name);
  must(symlinkat(target, parent, name), "Can't make symlink at %s", path);
  close(parent);
}

/* Read-only: devices are written all the same, and root can't change what the whole machine has them for. */
static void new_dev(char *path) {
  char nodes[][16] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" };
  char shm[] = "/dev/shm", pts[] = "/dev/pts", console[] = "/dev/console";
  char links[][2][16] = {
    { "/proc/self/fd/0", "/dev/stdin" }, { "/proc/self/fd/1", "/dev/stdout" }, { "/proc/self/fd/2", "/dev/stderr" },
    { "/proc/self/fd", "/dev/fd" },      { "/proc/kcore", "/dev/core" },       { "pts/ptmx", "/dev/ptmx" },
  };
  new_tmpfs(path, 0755, 0);
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) bind_tree(old_root, nodes[i], nodes[i], READ_ONLY | NO_SUID);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) new_link(links[i][0], links[i][1]);
  close(folder(shm, 0755));
  mount_on(folder(pts, 0755), "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
  /* The new ones know nothing of the terminal that the command gets. */
  if (terminal != NULL) bind_tree(old_root, terminal, console, READ_ONLY | NO_SUID);
}

static void close_for_writing(const char *path) {
  int at = look_up(new_root, path, 0);
  must(at, "Can't remount readonly on %s", path);
  set_attributes(at, 0, READ_ONLY | NO_SUID | NO_DEV, path);
  close(at);
}

static void make_steps(void) {
  for (; steps_made < steps_read; steps_made++) {
    struct step step = steps[steps_made];
    switch (step.word) {
      case SETENV: must(setenv(step.first, step.last, 1), "Can't set %s", step.first); break;
      case HOSTNAME: must(sethostname(step.first, strlen(step.first)), "Can't set hostname to %s", step.first); break;
      case REMOUNT_RO: close_for_writing(step.last); break;
      case TMPFS: new_tmpfs(step.last, step.mode, step.size); break;
      case DIRECTORY: close(folder(step.last, step.mode)); break;
      case PROC: new_proc(step.last); break;
      case DEV: new_dev(step.last); break;
      case SYMLINK: new_link(step.first, step.last); break;
      case BIND: bind_tree(old_root, step.first, step.last, NO_SUID | NO_DEV); break;
      case RO_BIND: bind_tree(old_root, step.first, step.last, READ_ONLY | NO_SUID | NO_DEV); break;
      case DEV_BIND: bind_tree(old_root, step.first, step.last, READ_ONLY | NO_SUID); break;
      default: fail(0, "%s makes nothing", WORD[step.word].name);
    }
  }
}

/* ---- Leaving the old root, and every right */

static void leave_old_root(void) {
  /* The old root is put above the new one, and taken away from there: no folder is needed for it. */
  if (fchdir(new_root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
    fail(errno, "Can't leave the old root");
  close(new_root), close(old_root);
}

static void drop_rights(void) {
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct none[2] = { 0 };
  must(syscall(SYS_capset, &header, none), "capset failed");
  /* Dropping them took these away: what the command may see of its box, and that this ends with what made it. */
  must(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "can't set dumpable");
  must(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl");
}

/* The last namespace of users that can be made here is the command's: it has no right in the one that the mounts belong to. */
static void close_box(uid_t uid, gid_t gid) {
  write_to("sys/user/max_user_namespaces", "1");
  must(unshare(CLONE_NEWUSER), "unshare user ns");
  for (int cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++) continue;
  if (prctl(PR_CAPBSET_READ, 0, 0, 0, 0) != 0) fail(0, "Can't drop capabilities from bounds");
  write_map("self/uid_map", uid, 0);
  write_map("self/gid_map", gid, 0);
  if (unshare(CLONE_NEWUSER) == 0) fail(0, "creation of new user namespaces was not disabled as requested");
  close(proc_fd);
  drop_rights();
}

/* ---- The box's first process. `monitor` leads to the process outside: it hears there that all words are read, answers once it has said so,
 * and gets the command's exit code. Its end is the end of the box, at whatever moment it comes. */

static void tell(int monitor, unsigned char byte) { if (send(monitor, &byte, 1, MSG_NOSIGNAL) != 1) _exit(1); }

static bool hear(int monitor, unsigned char *byte) {
  ssize_t got;
  do got = read(monitor, byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

/* What ended the process outside before this one was to follow it doesn't reach it as a signal. */
static void end_if_alone(int monitor) {
  struct pollfd end = { monitor, POLLRDHUP, 0 };
  if (poll(&end, 1, 0) != 0) _exit(1);
}

static void close_all_but(int one, int other) {
  unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);
  if ((int)low < 3) low = high;
  if (low > 3) must(syscall(CLOSE_RANGE, 3, low - 1, 0), "close_range");
  if (high > low + 1) must(syscall(CLOSE_RANGE, low + 1, high - 1, 0), "close_range");
  must(syscall(CLOSE_RANGE, high + 1, ~0U, 0), "close_range");
}

/* The machine's, which the caller gave, could be changed by root; the box's own can't. */
static void use_own_null(void) {
  struct stat given;
  for (int fd = 0; fd < 3; fd++) {
    if (fstat(fd, &given) != 0 || !S_ISCHR(given.st_mode) || given.st_rdev != makedev(1, 3)) continue;
    int null = open("/dev/null", (fcntl(fd, F_GETFL) & O_ACCMODE) | O_CLOEXEC);
    if (null < 0 || dup2(null, fd) < 0) fail(errno, "Can't open /dev/null");
    close(null);
  }
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static void load_filter(void) {
  size_t length;
  struct sock_filter *filter = (struct sock_filter *)(void *)read_all(filter_fd, &length, "seccomp data");
  if (length % sizeof *filter != 0 || length / sizeof *filter > BPF_MAXINSNS) fail(0, "Invalid seccomp data, must be multiple of 8");
  struct sock_fprog all = { (unsigned short)(length / sizeof *filter), filter };
  must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all), "prctl(PR_SET_SECCOMP)");
}

/* Waits for every process that loses its parent in the box. */
static int wait_for_all(pid_t command, int monitor) {
  int code = 1, status;
  for (;;) {
    pid_t ended = wait(&status);
    if (ended == command) tell(monitor, (unsigned char)(code = exit_code(status)));
    if (ended < 0 && errno != EINTR) return code;
  }
}

static int first_process(uid_t uid, gid_t gid, char **command, int monitor) {
  must(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl");
  end_if_alone(monitor);
  if (info_fd >= 0) close(info_fd);
  if (status_fd >= 0) close(status_fd);
  mode_t umask_before = umask(0);
  /* As root of the box until it is closed: nobody else can mount a file system for terminals. */
  write_map("self/uid_map", 0, uid);
  write_to("self/setgroups", "deny\n");
  write_map("self/gid_map", 0, gid);
  begin_loopback();
  /* What is mounted outside later doesn't appear here, and nothing of this outside. */
  must(mount(NULL, "/", NULL, MS_SILENT | MS_PRIVATE | MS_REC, NULL), "Failed to make / private");
  must(old_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "Can't open /");
  make_steps();
  if (args_fd >= 0) read_file_words();
  if ((given & NEEDED) != NEEDED) fail(0, "A word is missing that every box has");
  tell(monitor, 0);
  make_steps();
  leave_old_root();
  close_box(uid, gid);
  umask(umask_before);
  must(chdir(cwd), "Can't chdir to %s", cwd);
  must(setenv("PWD", cwd, 1), "Can't set PWD");
  if (given & 1 << NEW_SESSION) must(setsid(), "setsid");
  unsigned char answer;
  if (!hear(monitor, &answer)) _exit(1);
  end_if_alone(monitor);
  use_own_null();
  if (filter_fd >= 0) load_filter();
  /* By its files in /proc the command could change this program, which makes the next boxes. The command's own become its again. */
  must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "can't set not dumpable");
  /* ---- The command: it has nothing open but what its caller gave it and didn't name here. */
  pid_t pid = vfork();
  must(pid, "Can't fork for pid 1");
  if (pid == 0) {
    if (sync_fd >= 0) close(sync_fd);
    execvp(command[0], command);
    fail(errno, "execvp %s", command[0]);
  }
  close_all_but(monitor, sync_fd);
  return wait_for_all(pid, monitor);
}

/* ---- The process outside */

static void say(int fd, pid_t pid) { if (fd >= 0) must(dprintf(fd, "{ \"child-pid\": %d }\n", pid), "Write to info_fd"); }

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return puts("metnos-make-box 1.0") < 0;
  /* What is opened here must not become what a command takes for its output. */
  for (int fd = 0; fd < 3; fd++) if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) _exit(1);
  must(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl");
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS) failed");
  uid_t uid = getuid();
  gid_t gid = getgid();
  if (uid != geteuid() || gid != getegid()) fail(0, "This program may not be set-user-ID");
  if ((words_left -= argc - 1) < 0) fail(0, "Exceeded maximum number of arguments %d", MAX_WORDS);
  int before = read_words(argc - 1, argv + 1, false);
  if (before >= argc - 1) fail(0, "No command was given");
  terminal = isatty(1) ? ttyname(1) : NULL;
  must(proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), "Can't open /proc");
  int ends[2];
  must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  signal(SIGCHLD, SIG_DFL);
  unsigned long namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  pid_t pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
  must(pid, "Creating new namespace failed");
  if (pid == 0) {
    close(ends[0]);
    return first_process(uid, gid, argv + 1 + before, ends[1]);
  }
  close(ends[1]);
  drop_rights();
  unsigned char byte;
  if (hear(ends[0], &byte)) {
    /* Not before the last word was read: whoever sends them takes what comes before for an answer to something else. */
    say(info_fd, pid);
    say(status_fd, pid);
    send(ends[0], "", 1, MSG_NOSIGNAL);
    close_all_but(ends[0], status_fd);
    if (hear(ends[0], &byte)) return byte;
  }
  int status;
  return waitpid(pid, &status, 0) == pid ? exit_code(status) : 1;
}

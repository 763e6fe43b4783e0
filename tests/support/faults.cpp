// Loaded into the program before the system's library (LD_PRELOAD), this makes calls of the system fail that
// in life only fail on a full disk or in a full memory. Environment variables say which:
//   LILYAN_FAULT_FOLDER  only calls on files below this folder are counted
//   LILYAN_FAULT_WRITE   the number of the first call that changes a file and fails, from 1
//   LILYAN_FAULT_MODE    once: no other call fails. full: neither this nor a later one has any room, and a write
//                        that would make its file longer fits only by half. short: this call fits by half, the
//                        next fails, and later ones do not.
//   LILYAN_FAULT_ALLOC   the number of the allocation that fails, counted from the start of main()
//   LILYAN_FAULT_COUNT   a file for the two numbers of calls that were seen
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT
void* __libc_calloc(size_t count, size_t size);        // NOLINT
void* __libc_realloc(void* old, size_t size);          // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {

enum class Mode { once, full, half };
enum class Verdict { done, fails, half };

long fault_write = 0;
long fault_alloc = 0;
Mode mode = Mode::once;
char folder[4096] = "";
char count_file[4096] = "";
std::atomic<bool> counting = false;
std::atomic<long> writes = 0;
std::atomic<long> allocations = 0;

long number(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : 0;
}

void copy_text(const char* name, char* to) {
  const char* text = std::getenv(name);
  if (text) std::snprintf(to, 4096, "%s", text);
}

bool below_folder(const char* path) {
  const size_t length = std::strlen(folder);
  return length > 0 && std::strncmp(path, folder, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

bool counts(const char* path) {
  if (!counting || !path) return false;
  if (path[0] == '/') return below_folder(path);
  char here[4096];
  char full[8192];
  if (!getcwd(here, sizeof(here))) return false;
  std::snprintf(full, sizeof(full), "%s/%s", here, path);
  return below_folder(full);
}

bool counts(int file) {
  if (!counting) return false;
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return below_folder(path);
}

Verdict next_write() {
  const long n = ++writes;
  if (fault_write <= 0 || n < fault_write) return Verdict::done;
  if (n == fault_write) return mode == Mode::once ? Verdict::fails : Verdict::half;
  return mode == Mode::full || (mode == Mode::half && n == fault_write + 1) ? Verdict::fails
                                                                            : Verdict::done;
}

// Of a call that cannot be done by half.
bool fails(bool counted) {
  if (!counted || next_write() == Verdict::done) return false;
  errno = ENOSPC;
  return true;
}

bool allocation_fails() {
  if (!counting) return false;
  if (++allocations != fault_alloc) return false;
  errno = ENOMEM;
  return true;
}

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// How much of a write fits; less than 0: it fails.
ssize_t fitting(int file, size_t size, off_t at) {
  if (!counts(file)) return static_cast<ssize_t>(size);
  const Verdict verdict = next_write();
  if (verdict == Verdict::done) return static_cast<ssize_t>(size);
  struct stat status {};
  const bool longer =
      fstat(file, &status) == 0 && at + static_cast<off_t>(size) > status.st_size && size > 1;
  if (verdict == Verdict::half && longer) return static_cast<ssize_t>(size / 2);
  errno = ENOSPC;
  return -1;
}

off_t position(int file) {
  if ((fcntl(file, F_GETFL) & O_APPEND) != 0) {
    struct stat status {};
    return fstat(file, &status) == 0 ? status.st_size : 0;
  }
  return lseek(file, 0, SEEK_CUR);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  fault_write = number("LILYAN_FAULT_WRITE");
  fault_alloc = number("LILYAN_FAULT_ALLOC");
  copy_text("LILYAN_FAULT_FOLDER", folder);
  copy_text("LILYAN_FAULT_COUNT", count_file);
  const char* kind = std::getenv("LILYAN_FAULT_MODE");
  if (kind && std::strcmp(kind, "full") == 0) mode = Mode::full;
  if (kind && std::strcmp(kind, "short") == 0) mode = Mode::half;
  counting = true;
  return real_main(argc, argv, environment);
}

[[gnu::destructor]] void write_counts() {
  counting = false;
  if (count_file[0] == '\0') return;
  const int file = ::open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  char text[64];
  const int length =
      std::snprintf(text, sizeof(text), "%ld %ld\n", writes.load(), allocations.load());
  if (file >= 0 && ::write(file, text, static_cast<size_t>(length)) == length) ::close(file);
}

}  // namespace

extern "C" {

int __libc_start_main(Main program, int argc, char** argv, void (*init)(),
                      void (*fini)(),  // NOLINT
                      void (*rtld_fini)(), void* stack_end) {
  real_main = program;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return real<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini,
                                          stack_end);
}

ssize_t write(int file, const void* data, size_t size) {
  static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
  const ssize_t fits = counting ? fitting(file, size, position(file)) : static_cast<ssize_t>(size);
  return fits < 0 ? -1 : next(file, data, static_cast<size_t>(fits));
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  const ssize_t fits = fitting(file, size, at);
  return fits < 0 ? -1 : next(file, data, static_cast<size_t>(fits), at);
}
ssize_t pwrite64(int file, const void* data, size_t size, off_t at) {
  return pwrite(file, data, size, at);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static const auto next = real<ssize_t (*)(int, const iovec*, int)>("writev");
  if (!counting || !counts(file)) return next(file, parts, count);
  ssize_t written = 0;
  for (int k = 0; k < count; ++k) {
    if (parts[k].iov_len == 0) continue;
    const ssize_t part = write(file, parts[k].iov_base, parts[k].iov_len);
    if (part < 0) return written > 0 ? written : -1;
    written += part;
    if (static_cast<size_t>(part) < parts[k].iov_len) break;
  }
  return written;
}

int fsync(int file) {
  static const auto next = real<int (*)(int)>("fsync");
  return fails(counts(file)) ? -1 : next(file);
}

int ftruncate(int file, off_t size) {
  static const auto next = real<int (*)(int, off_t)>("ftruncate");
  return fails(counts(file)) ? -1 : next(file, size);
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

int truncate(const char* path, off_t size) {
  static const auto next = real<int (*)(const char*, off_t)>("truncate");
  return fails(counts(path)) ? -1 : next(path, size);
}
int truncate64(const char* path, off_t size) { return truncate(path, size); }

int rename(const char* from, const char* to) {
  static const auto next = real<int (*)(const char*, const char*)>("rename");
  return fails(counts(to)) ? -1 : next(from, to);
}

int mkdir(const char* path, mode_t rights) {
  static const auto next = real<int (*)(const char*, mode_t)>("mkdir");
  return fails(counts(path)) ? -1 : next(path, rights);
}

int open(const char* path, int flags, ...) {
  static const auto next = real<int (*)(const char*, int, mode_t)>("open");
  mode_t rights = 0;
  if ((flags & O_CREAT) != 0) {
    va_list more;
    va_start(more, flags);
    rights = va_arg(more, mode_t);
    va_end(more);
  }
  return fails((flags & O_CREAT) != 0 && counts(path)) ? -1 : next(path, flags, rights);
}
int open64(const char* path, int flags, ...) {
  mode_t rights = 0;
  if ((flags & O_CREAT) != 0) {
    va_list more;
    va_start(more, flags);
    rights = va_arg(more, mode_t);
    va_end(more);
  }
  return open(path, flags, rights);
}

FILE* fopen(const char* path, const char* how) {
  static const auto next = real<FILE* (*)(const char*, const char*)>("fopen");
  return fails(how[0] != 'r' && counts(path)) ? nullptr : next(path, how);
}
FILE* fopen64(const char* path, const char* how) { return fopen(path, how); }

void* malloc(size_t size) { return allocation_fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return allocation_fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return allocation_fails() ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails() ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void** to, size_t alignment, size_t size) {
  if (allocation_fails()) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to ? 0 : ENOMEM;
}

}  // extern "C"

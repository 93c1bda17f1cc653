// Runs a program and lets one of its calls to the file system go wrong: the kernel is asked to stop
// it (seccomp, ptrace) at every call that touches a file below the current folder, and the N-th of
// them fails, or the process is killed there, or the power goes off. The program itself is the one
// that users have; nothing in it knows of this.
//
//   fault_tracer count LOG -- PROGRAM ARGUMENTS     writes a line for each call to LOG
//   fault_tracer fail N CODE -- ...                 call N returns the error CODE (ENOSPC, EIO,
//   ...) fault_tracer kill N -- ...                      SIGKILL before call N fault_tracer power N
//   MODE -- ...                the same, and what was not synced is lost
//
// Modes of `power`, by what had reached the disk. data: names, but no bytes that were not synced.
// names: bytes, but no renaming, creating or removing since the folder was synced. torn: names, and
// of unsynced bytes the first half, zeros after it. The exit status is that of the program, or 137.
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

struct Call {
  long number;
  const char* name;
  int path;  ///< which argument is a path; -1: the first is a descriptor
};

constexpr Call kCalls[] = {
    {SYS_open, "open", 0},        {SYS_openat, "open", 1},
    {SYS_read, "read", -1},       {SYS_pread64, "read", -1},
    {SYS_write, "write", -1},     {SYS_pwrite64, "write", -1},
    {SYS_writev, "write", -1},    {SYS_fsync, "fsync", -1},
    {SYS_fdatasync, "fsync", -1}, {SYS_ftruncate, "truncate", -1},
    {SYS_rename, "rename", 0},    {SYS_renameat, "rename", 1},
    {SYS_renameat2, "rename", 1}, {SYS_mkdir, "mkdir", 0},
    {SYS_mkdirat, "mkdir", 1},    {SYS_unlink, "unlink", 0},
    {SYS_unlinkat, "unlink", 1},  {SYS_flock, "lock", -1},
    {SYS_mmap, "map", 4},  // whose descriptor is its fifth argument
};

struct Request {
  std::string what, mode;
  long at = 0;
  int code = 0;
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(125);
}

/// Stops the calling process at the calls above, once it is traced.
void install_filter() {
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Call& call : kCalls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    die("seccomp");
}

std::string text_at(pid_t process, unsigned long address) {
  char buffer[4096] = {};
  for (std::size_t at = 0; at + 1 < sizeof buffer; at += 256) {
    const iovec here{buffer + at, 255};
    const iovec there{reinterpret_cast<void*>(address + at), 255};
    const ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0 || std::memchr(buffer + at, 0, static_cast<std::size_t>(got)) != nullptr) break;
    --at;  // pieces of 255 bytes follow each other
  }
  return buffer;
}

std::string link_text(const std::string& path) {
  std::error_code ignored;
  return fs::read_symlink(path, ignored).string();
}

/// What of the files below a folder would survive a loss of power.
class Disk {
 public:
  Disk(fs::path folder, fs::path side) : folder_(std::move(folder)), side_(std::move(side)) {
    fs::create_directories(side_);
    for_each_file([&](const fs::path& path) { remember(path); });
    for_each_folder([&](const fs::path& path) { names_[path] = listing(path); });
    for (auto& [inode, kept] : synced_) kept = true;
  }

  /// Before every call: files that are new since the last one.
  void look() {
    for_each_file([&](const fs::path& path) { remember(path); });
    for_each_folder([&](const fs::path& path) {
      if (!names_.contains(path)) names_[path] = {};
    });
  }
  void wrote(const fs::path& path) { dirty_.insert(inode_of(path)); }
  /// Of a file or a folder.
  void sync(const fs::path& path) {
    if (fs::is_directory(path)) {
      names_[path] = listing(path);
      return;
    }
    const ino_t inode = inode_of(path);
    dirty_.erase(inode);
    synced_[inode] = true;
    fs::copy_file(path, content(inode), fs::copy_options::overwrite_existing);
  }

  void lose(const std::string& mode) const {
    if (mode == "names") {
      for (const auto& [folder, names] : names_) {
        if (!fs::is_directory(folder)) continue;
        for (const auto& [name, inode] : listing(folder)) fs::remove(folder / name);
        for (const auto& [name, inode] : names) fs::create_hard_link(link(inode), folder / name);
      }
      return;
    }
    for_each_file([&](const fs::path& path) {
      const ino_t inode = inode_of(path);
      if (!dirty_.contains(inode)) return;
      const auto found = synced_.find(inode);
      const bool was_synced = found != synced_.end() && found->second;
      const auto size = fs::file_size(path);
      const auto kept = was_synced ? fs::file_size(content(inode)) : 0;
      if (mode == "torn" && size > kept) {
        fs::resize_file(path, kept + (size - kept) / 2);
        fs::resize_file(path, size);  // a hole reads as zeros
      } else if (was_synced) {
        fs::copy_file(content(inode), path, fs::copy_options::overwrite_existing);
      } else {
        fs::resize_file(path, 0);
      }
    });
  }

 private:
  using Names = std::map<std::string, ino_t>;

  static ino_t inode_of(const fs::path& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) == 0 ? info.st_ino : 0;
  }
  fs::path link(ino_t inode) const { return side_ / ("inode-" + std::to_string(inode)); }
  fs::path content(ino_t inode) const { return side_ / ("synced-" + std::to_string(inode)); }
  template <class F>
  void for_each_file(const F& f) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) f(entry.path());
  }
  template <class F>
  void for_each_folder(const F& f) const {
    f(folder_);
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_directory()) f(entry.path());
  }
  static Names listing(const fs::path& folder) {
    Names out;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file()) out[entry.path().filename()] = inode_of(entry.path());
    return out;
  }
  /// Its bytes stay reachable, whatever happens to its name.
  void remember(const fs::path& path) {
    const ino_t inode = inode_of(path);
    if (!synced_.try_emplace(inode, false).second) return;
    fs::create_hard_link(path, link(inode));
    if (names_.empty()) fs::copy_file(path, content(inode));  // it was there at the start
  }

  fs::path folder_, side_;
  std::map<ino_t, bool> synced_;
  std::set<ino_t> dirty_;
  std::map<fs::path, Names> names_;
};

class Tracer {
 public:
  Tracer(Request request, pid_t first)
      : request_(std::move(request)), first_(first), folder_(fs::current_path().string()) {
    if (request_.what == "count") log_.open(request_.mode);
    if (request_.what == "power") {
      side_ = fmt_side();
      disk_ = std::make_unique<Disk>(folder_, side_);
    }
  }
  ~Tracer() {
    std::error_code ignored;
    if (!side_.empty()) fs::remove_all(side_, ignored);
  }

  int run() {
    int status = 0;
    if (waitpid(first_, &status, 0) != first_ || !WIFSTOPPED(status)) die("the program");
    constexpr long kOptions = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    ptrace(PTRACE_SETOPTIONS, first_, 0, kOptions);
    ptrace(PTRACE_CONT, first_, 0, 0);
    for (;;) {
      const pid_t process = waitpid(-1, &status, __WALL);
      if (process < 0) die("waitpid");
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        if (process != first_) continue;
        if (crashed_ && disk_) disk_->lose(request_.mode);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      const int event = status >> 16, signal = WSTOPSIG(status);
      if (event == PTRACE_EVENT_SECCOMP) at_call(process);
      const bool own = event != 0 || signal == SIGSTOP || signal == SIGTRAP;
      ptrace(PTRACE_CONT, process, 0, own ? 0 : signal);
    }
  }

 private:
  std::string fmt_side() const { return folder_ + ".side-" + std::to_string(getpid()); }
  bool is_ours(const std::string& path) const {
    return path == folder_ || path.starts_with(folder_ + "/");
  }

  /// The file that the call is about; empty for others.
  std::string path_of(pid_t process, const Call& call, const user_regs_struct& r) const {
    const unsigned long arguments[] = {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9};
    const std::string own = "/proc/" + std::to_string(process);
    const bool by_number = call.path < 0 || call.number == SYS_mmap;
    if (by_number) {
      const auto number = static_cast<int>(arguments[call.path < 0 ? 0 : call.path]);
      return number < 0 ? "" : link_text(own + "/fd/" + std::to_string(number));
    }
    const std::string given = text_at(process, arguments[call.path]);
    if (given.starts_with("/")) return fs::path(given).lexically_normal();
    std::string base = link_text(own + "/cwd");
    if (call.path == 1 && static_cast<int>(arguments[0]) >= 0)
      base = link_text(own + "/fd/" + std::to_string(static_cast<int>(arguments[0])));
    return (fs::path(base) / given).lexically_normal();
  }

  void at_call(pid_t process) {
    user_regs_struct registers{};
    ptrace(PTRACE_GETREGS, process, 0, &registers);
    const Call* call = nullptr;
    for (const Call& known : kCalls)
      if (known.number == static_cast<long>(registers.orig_rax)) call = &known;
    if (call == nullptr) return;
    const std::string path = path_of(process, *call, registers);
    if (!is_ours(path)) return;
    ++count_;
    if (log_.is_open()) log_ << count_ << ' ' << call->name << ' ' << path << std::endl;
    if (disk_) disk_->look();
    if (count_ == request_.at) {
      if (request_.what == "fail") {
        registers.orig_rax = static_cast<unsigned long>(-1);
        registers.rax = static_cast<unsigned long>(-request_.code);
        ptrace(PTRACE_SETREGS, process, 0, &registers);
        std::fprintf(stderr, "[fault] %s %s\n", call->name, path.c_str());
        return;
      }
      crashed_ = true;
      kill(first_, SIGKILL);
      return;
    }
    if (!disk_ || crashed_) return;
    const std::string name = call->name;
    if (name == "write" || name == "truncate") disk_->wrote(path);
    if (name == "fsync") disk_->sync(path);
  }

  Request request_;
  pid_t first_;
  std::string folder_, side_;
  std::ofstream log_;
  std::unique_ptr<Disk> disk_;
  long count_ = 0;
  bool crashed_ = false;
};

int code_of(const std::string& name) {
  const std::map<std::string, int> known = {
      {"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EACCES", EACCES}, {"EMFILE", EMFILE},
      {"EROFS", EROFS},   {"EINTR", EINTR}, {"ENOMEM", ENOMEM}, {"EDQUOT", EDQUOT}};
  const auto found = known.find(name);
  return found == known.end() ? EIO : found->second;
}

}  // namespace

int main(int argc, char** argv) {
  int program = 1;
  while (program < argc && std::strcmp(argv[program], "--") != 0) ++program;
  if (argc < 4 || program + 1 >= argc) {
    std::fprintf(stderr, "usage: fault_tracer count LOG|fail N CODE|kill N|power N MODE -- ...\n");
    return 2;
  }
  Request request{argv[1], argc > 3 ? argv[3] : "", std::atol(argv[2]), 0};
  if (request.what == "count") request.mode = argv[2];
  if (request.what == "fail") request.code = code_of(request.mode);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    install_filter();
    execvp(argv[program + 1], argv + program + 1);
    die(argv[program + 1]);
  }
  return Tracer(request, child).run();
}

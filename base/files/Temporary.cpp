// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler may interrupt anything and cannot take a lock. Therefore the
// list that it reads only grows, and a path in it belongs to the thread that
// takes it out with one atomic exchange, as in LLVM's RemoveFileOnSignal.

#include "base/files/Temporary.h"

#include "base/Error.h"
#include "base/files/FilesRead.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace transfold {

struct Temporary::Slot {
  std::atomic<char *> path = nullptr; // null: unused
  std::atomic<bool> isFolder = false;
  std::atomic<pid_t> owner = 0; // a forked process inherits the list
  /// Used by a Temporary.
  std::atomic<bool> used = false;
  Slot *next = nullptr;
};

namespace {

/// Signals that come from outside or from a limit, and end a process by
/// default. Those that report a defect, such as SIGSEGV, are left alone.
constexpr int endingSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                                 SIGTERM, SIGXCPU, SIGXFSZ};

/// The list of all slots, the newest first; none is ever removed from it.
std::atomic<Temporary::Slot *> slots = nullptr;
/// Number of threads that hold signals, and depth of HoldSignals on this
/// thread.
std::atomic<int> held = 0;
thread_local int heldHere = 0;
/// The signal that ends the process; 0 until one arrives.
std::atomic<int> ending = 0;
/// Set by the one thread that removes the temporaries.
std::atomic<bool> isEnding = false;

/// Removes the current contents of a folder, and the folder itself if no file
/// is added meanwhile.
void removeOnce(const char *path) {
  // Walking through a folder allocates memory, which a handler must not do; a
  // new process may.
  pid_t child = ::_Fork(); // the variant of fork that a signal handler may call
  if (child == 0) {
    ::setpgid(0, 0); // signals to our process group do not end it
    if (int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0)
      ::dup2(nowhere, STDERR_FILENO);
    ::execl("/bin/rm", "rm", "-rf", "--", path, nullptr);
    ::_exit(1);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// Removes a folder with its contents, into which another process, such as an
/// orphaned linker, may still be writing. New files may appear after rm has
/// listed the folder.
void removeFolder(const char *path) {
  constexpr int mostTimes = 20;
  for (int time = 0; time < mostTimes && ::access(path, F_OK) == 0; ++time)
    removeOnce(path);
}

/// Uses only functions that a signal handler may call.
void removeAll() {
  for (Temporary::Slot *slot = slots; slot; slot = slot->next) {
    if (slot->owner != ::getpid())
      continue;
    if (char *path = slot->path.exchange(nullptr))
      slot->isFolder ? removeFolder(path) : void(::unlink(path));
  }
}

/// Removes all temporaries, once, and then ends the process as if there were no
/// handler.
void end() {
  if (isEnding.exchange(true))
    return; // another thread is doing it
  int signal = ending;
  removeAll();
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  // The status of the process then says which signal ended it, as its parent
  // expects.
  ::kill(::getpid(), signal);
}

/// Lets another thread, or the signal that is already sent, end the process.
[[noreturn]] void waitForTheEnd() {
  for (;;)
    ::pause();
}

/// The handler of all ending signals. It keeps errno for the code it
/// interrupts.
void handle(int signal) {
  int problem = errno;
  ending = signal;
  // Otherwise the last thread that holds signals ends the process.
  if (held == 0)
    end();
  errno = problem;
}

/// Takes an unused slot, or adds one at the front of the list. Slots of removed
/// temporaries are used again, so that the list is as long as there ever were
/// temporaries at the same time.
Temporary::Slot *freeSlot() {
  for (Temporary::Slot *slot = slots; slot; slot = slot->next)
    if (!slot->used.exchange(true))
      return slot;
  auto *added = new Temporary::Slot; // never freed
  added->used = true;
  added->next = slots;
  while (!slots.compare_exchange_weak(added->next, added)) {
  }
  return added;
}

} // namespace

void removeTemporariesOnSignals() {
  for (int signal : endingSignals) {
    struct sigaction before = {}, ours = {};
    ::sigaction(signal, nullptr, &before);
    // The signal is ignored, as by nohup, or the program has its own handler.
    if (before.sa_handler != SIG_DFL)
      continue;
    ours.sa_handler = handle;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

void removeTemporariesInHandler() {
  if (isEnding.exchange(true))
    waitForTheEnd();
  removeAll();
}

HoldSignals::HoldSignals() {
  if (heldHere++ > 0)
    return;
  ++held;
  if (!ending)
    return;
  // A signal is being handled, perhaps on another thread: nothing new may
  // begin.
  if (--held == 0)
    end();
  waitForTheEnd();
}

HoldSignals::~HoldSignals() {
  if (--heldHere > 0 || --held > 0 || !ending)
    return;
  end();
  waitForTheEnd();
}

Temporary::Temporary(const std::string &path, Kind kind)
    : name(path), kind(kind), slot(freeSlot()) {
  // The path comes last: a handler ignores the slot until then.
  slot->isFolder = kind == Kind::Folder;
  slot->owner = ::getpid();
  slot->path = ::strdup(path.c_str());
  noteWritten(path);
}

Temporary::~Temporary() {
  if (!slot)
    return;
  // If a signal has begun to end the process, this waits for the end.
  HoldSignals hold;
  std::error_code ignored;
  if (kind == Kind::Folder)
    std::filesystem::remove_all(name, ignored);
  else
    ::unlink(name.c_str());
  keep();
}

void Temporary::keep() {
  if (!slot)
    return;
  // Null if a signal handler has taken it.
  std::free(slot->path.exchange(nullptr));
  slot->used = false;
  slot = nullptr;
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::filesystem::path all = std::filesystem::temp_directory_path(error);
  if (error)
    fail("cannot create a temporary folder: {}; set TMPDIR to a folder that "
         "can be written",
         error.message());
  make((all / "transfold-XXXXXX").string(),
       "set TMPDIR to a folder that can be written");
}

TemporaryFolder::TemporaryFolder(const std::string &path) {
  make(path + ".part-XXXXXX", "choose a folder that can be written");
}

void TemporaryFolder::make(std::string name, const char *remedy) {
  HoldSignals hold;
  if (!::mkdtemp(name.data()))
    fail("cannot create the temporary folder {}: {}; {}", name,
         std::strerror(errno), remedy);
  folder.emplace(name, Temporary::Kind::Folder);
}

std::string TemporaryFolder::file(const std::string &file) const {
  return path() + "/" + file;
}

} // namespace transfold

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/files/output/OutputFile.h"

#include "base/files/output/FolderLock.h"
#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <future>
#include <iterator>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace transfold;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

void write(const std::string &path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The names in a folder, in order.
std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}
using Names = std::vector<std::string>;

TEST(OutputFile, IsThereCompletelyOrNotAtAll) {
  TemporaryDirectory directory;
  std::string path = directory.write("file", "old");
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_EQ(read(path), "old");
  }
  EXPECT_EQ(namesIn(directory.path()), (Names{"file"}));
  write(path, "new");
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(namesIn(directory.path()), (Names{"file"}));
  EXPECT_EQ(messageOf([&] { write(directory.path(), ""); }),
            directory.path() + ": cannot write the file: Is a directory");
  std::string nowhere = directory.path("none/file");
  EXPECT_EQ(messageOf([&] { write(nowhere, ""); }),
            nowhere + ": cannot write the file: No such file or directory");
}

TEST(OutputFile, FollowsLinks) {
  TemporaryDirectory directory;
  directory.write("folder/target", "old");
  fs::create_symlink("folder/target", directory.path("link"));
  fs::create_symlink(directory.path("link"), directory.path("chain"));
  write(directory.path("chain"), "new");
  EXPECT_EQ(read(directory.path("folder/target")), "new");
  EXPECT_TRUE(fs::is_symlink(directory.path("link")));
  EXPECT_TRUE(fs::is_symlink(directory.path("chain")));
  EXPECT_EQ(namesIn(directory.path("folder")), (Names{"target"}));
  EXPECT_EQ(followLinks(directory.path("chain")),
            directory.path("folder/target"));

  // A link to a file that does not exist yet.
  fs::create_symlink("folder/later", directory.path("early"));
  write(directory.path("early"), "made");
  EXPECT_TRUE(fs::is_symlink(directory.path("early")));
  EXPECT_EQ(read(directory.path("folder/later")), "made");

  fs::create_symlink("circle", directory.path("circle"));
  EXPECT_EQ(messageOf([&] { write(directory.path("circle"), ""); }),
            directory.path("circle") + ": too many symbolic links");
}

// Linux refuses such links if fs.protected_symlinks is 1; but it does not check
// links that are read, as here, and some machines have it off.
TEST(OutputFile, FollowsNoLinkOfAnotherUserInASharedFolder) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  TemporaryDirectory directory;
  const std::string victim = directory.write("victim", "precious");
  const std::string shared = directory.path("shared");
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms::all | fs::perms::sticky_bit);
  auto link = [&](const std::string &name, const std::string &target) {
    fs::create_symlink(target, shared + "/" + name);
    EXPECT_EQ(::lchown((shared + "/" + name).c_str(), 65534, 65534), 0);
    return shared + "/" + name;
  };
  const std::string reason =
      ": is a link of another user in a folder that all users may write to; "
      "remove it, or write somewhere else";
  for (const std::string &trap :
       {link("trap", victim), link("to-nothing", directory.path("new")),
        link("to-device", "/dev/null")})
    EXPECT_EQ(messageOf([&] { write(trap, "new"); }), trap + reason);
  EXPECT_EQ(read(victim), "precious");
  EXPECT_FALSE(fs::exists(directory.path("new")));
  const std::string pipe = shared + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  ASSERT_EQ(::chown(pipe.c_str(), 65534, 65534), 0);
  EXPECT_NE(messageOf([&] { write(pipe, "new"); }), "no error");

  // The user's own links are followed, and any link in a folder that is not
  // shared.
  fs::create_symlink(victim, shared + "/own");
  write(shared + "/own", "new");
  EXPECT_EQ(read(victim), "new");
  fs::permissions(shared, fs::perms::owner_all);
  EXPECT_EQ(messageOf([&] { write(shared + "/to-nothing", "made"); }),
            "no error");
}

TEST(OutputFile, WritesIntoPipes) {
  TemporaryDirectory directory;
  std::string pipe = directory.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return read(pipe); });
  write(pipe, "through");
  EXPECT_EQ(reader.get(), "through");
  EXPECT_EQ(fs::status(pipe).type(), fs::file_type::fifo);
  EXPECT_FALSE(isPlainFileOrNothing(pipe));
  EXPECT_EQ(namesIn(directory.path()), (Names{"pipe"}));
}

// With root rights, the folder of a device is writable, so a new file could
// replace the device.
TEST(OutputFile, WritesIntoDevices) {
  TemporaryDirectory directory;
  std::string device = directory.path("null");
  if (::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
    GTEST_SKIP() << "devices cannot be made here";
  int opened = ::open(device.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0)
    GTEST_SKIP() << "devices cannot be used here";
  ::close(opened);
  write(device, "nothing");
  fs::create_symlink("null", directory.path("link"));
  write(directory.path("link"), "nothing");
  EXPECT_EQ(fs::status(device).type(), fs::file_type::character);
  EXPECT_EQ(namesIn(directory.path()), (Names{"link", "null"}));
}

// As with /dev/stdout, which the shell may have opened for several programs.
TEST(OutputFile, WritesIntoWhatIsOpen) {
  TemporaryDirectory directory;
  std::string path = directory.write("file", "old and long");
  struct stat before, after;
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  int opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  fs::create_symlink("/proc/self/fd/" + std::to_string(opened),
                     directory.path("link"));
  write(directory.path("link"), "new");
  ::close(opened);
  EXPECT_EQ(read(path), "new");
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

/// The exit status of a process that runs `action`.
template <typename Action> int statusOf(Action action) {
  pid_t child = ::fork();
  if (child == 0) {
    // lit's tests ignore the signals of a terminal, and child processes inherit
    // that.
    for (int signal : {SIGHUP, SIGINT, SIGTERM})
      std::signal(signal, SIG_DFL);
    removeTemporariesOnSignals();
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Temporary, GoesWhenASignalEndsTheProcess) {
  for (int signal : {SIGHUP, SIGINT, SIGTERM}) {
    TemporaryDirectory directory;
    int status = statusOf([&] {
      OutputFile kept(directory.path("kept"));
      kept.commit();
      OutputFile file(directory.path("file"));
      file.write("half");
      ::setenv("TMPDIR", directory.path().c_str(), 1);
      TemporaryFolder folder;
      std::ofstream(folder.file("inside")) << "half";
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(namesIn(directory.path()), (Names{"kept"}));
  }
}

// A forked process, for example to build a kernel, has its own signals.
TEST(Temporary, BelongsToItsProcess) {
  TemporaryDirectory directory;
  int status = statusOf([&] {
    OutputFile file(directory.path("file"));
    pid_t child = ::fork();
    if (child == 0) {
      ::raise(SIGTERM);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    file.commit();
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(namesIn(directory.path()), (Names{"file"}));
}

TEST(Temporary, SignalsWaitForWhatBelongsTogether) {
  TemporaryDirectory directory;
  int status = statusOf([&] {
    OutputFile first(directory.path("first")), second(directory.path("second")),
        third(directory.path("third"));
    HoldSignals hold;
    first.commit();
    ::raise(SIGTERM);
    second.commit();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(namesIn(directory.path()), (Names{"first", "second"}));
}

TEST(Temporary, IgnoredSignalsStayIgnored) {
  TemporaryDirectory directory;
  int status = statusOf([&] {
    std::signal(SIGHUP, SIG_IGN); // as nohup does before the program starts
    removeTemporariesOnSignals();
    OutputFile file(directory.path("file"));
    ::raise(SIGHUP);
    file.commit();
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(namesIn(directory.path()), (Names{"file"}));
}

TEST(FolderLock, WaitsForAWhile) {
  TemporaryDirectory directory;
  const FolderLock held(directory.path("a"));
  const std::string message = messageOf(
      [&] { FolderLock(directory.path("b"), std::chrono::milliseconds(50)); });
  EXPECT_TRUE(message.starts_with(
      directory.path("b") + ": another process holds the lock of the folder " +
      directory.path()))
      << message;
}

TEST(FolderLock, IsHeldByOne) {
  TemporaryDirectory directory;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::optional<FolderLock> lock(directory.path("a"));
  pid_t child = ::fork();
  if (child == 0) {
    FolderLock other(directory.path("b"));
    ::_exit(::write(ends[1], "b", 1) == 1 ? 0 : 1);
  }
  char letter = 0;
  ::usleep(20'000); // time in which a missing lock would show
  EXPECT_EQ(::write(ends[1], "a", 1), 1);
  lock.reset();
  EXPECT_EQ(::read(ends[0], &letter, 1), 1);
  EXPECT_EQ(letter, 'a');
  EXPECT_EQ(::read(ends[0], &letter, 1), 1);
  EXPECT_EQ(letter, 'b');
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

} // namespace

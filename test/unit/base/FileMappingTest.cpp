// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that change while they are mapped.

#include "base/files/input/FileMapping.h"

#include "base/files/output/OutputFile.h"
#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace transfold;
using transfold::test::TemporaryDirectory;

namespace {

/// Runs `action` in a process with its standard error in `messages`; returns
/// its exit status.
template <typename Action>
int statusOf(const std::string &messages, Action action) {
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(messages.c_str(), O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
    removeTemporariesOnSignals();
    tellOfShortenedFiles("program");
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int sumOf(std::span<const uint8_t> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0);
}

TEST(FileMapping, AFileThatBecomesShorterEndsTheProcessWithAMessage) {
  TemporaryDirectory directory;
  const std::string path =
      directory.write("a\n.weights", std::string(1 << 16, 'a'));
  int status = statusOf(directory.path("messages"), [&] {
    FileMapping other(directory.write("other", "b"));
    FileMapping file(path);
    OutputFile half(directory.path("half"));
    half.write("half");
    std::filesystem::resize_file(path, 0);
    ::_exit(sumOf(file.bytes()) ? 2 : 3);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  std::string said = read(directory.path("messages"));
  EXPECT_TRUE(said.starts_with("program: error: ")) << said;
  EXPECT_NE(said.find("a?.weights: has become shorter while it was read"),
            std::string::npos)
      << said;
  size_t files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(directory.path()))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 3) << "the messages and two inputs";
}

/// A bus error in a mapping that is not ours has an unknown meaning.
TEST(FileMapping, OtherErrorsOfTheBusStaySignals) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a", "a");
  int status = statusOf(directory.path("messages"), [&] {
    int file = ::open(path.c_str(), O_RDONLY);
    auto *mapped = static_cast<volatile char *>(
        ::mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, file, 0));
    std::filesystem::resize_file(path, 0);
    [[maybe_unused]] char letter = *mapped;
  });
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(read(directory.path("messages")).find("program: error"),
            std::string::npos);
}

TEST(FileMapping, TellsWhichFileWasWritten) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a", "abc");
  EXPECT_EQ(changedFile(), std::nullopt);
  FileMapping file(path, FileMapping::Watch::Yes);
  FileMapping moved = std::move(file);
  EXPECT_FALSE(moved.isChanged());
  std::filesystem::rename(directory.write("b", "xyz"), path);
  EXPECT_FALSE(moved.isChanged()) << "another file has the name";
  EXPECT_EQ(changedFile(), std::nullopt);
  FileMapping renamed(path, FileMapping::Watch::Yes);
  std::filesystem::resize_file(path, 2);
  EXPECT_TRUE(renamed.isChanged());
  EXPECT_EQ(renamed.bytesThere(), 2);
  EXPECT_EQ(changedFile(), path);
  moved = FileMapping();
  renamed = FileMapping();
  EXPECT_EQ(changedFile(), std::nullopt);
}

} // namespace

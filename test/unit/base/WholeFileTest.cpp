// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read as a whole may be pipes.

#include "base/files/input/WholeFile.h"

#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace transfold;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

/// The contents read from a pipe into which `text` is written.
std::string throughPipe(const std::string &text, size_t most = SIZE_MAX) {
  TemporaryDirectory directory;
  std::string path = directory.path("pipe");
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
  std::string result;
  std::string problem = messageOf([&] {
    FileMapping file = wholeFile(path, most);
    result = file.text();
  });
  writer.join();
  return problem == "no error" ? result
                               : problem.substr(directory.path().size());
}

TEST(WholeFile, Pipes) {
  EXPECT_EQ(throughPipe("a text"), "a text");
  EXPECT_EQ(throughPipe(""), "");
  // More than the initial allocation, and than a pipe's buffer.
  std::string large(3'000'000, 'x');
  large += "end";
  EXPECT_EQ(throughPipe(large), large);
}

TEST(WholeFile, Files) {
  TemporaryDirectory directory;
  std::string path = directory.write("file", "12345");
  EXPECT_EQ(wholeFile(path, 5).text(), "12345");
  EXPECT_EQ(messageOf([&] { (void)wholeFile(path, 4); }),
            path + ": has more than 4 bytes, which is the most that is read");
  EXPECT_EQ(wholeFile("/dev/null", 5).text(), "");
  EXPECT_EQ(messageOf([&] { (void)wholeFile(directory.path(), 5); }),
            directory.path() + ": is not a regular file");
}

TEST(WholeFile, PipesThatDoNotEnd) {
  EXPECT_EQ(messageOf([] { (void)wholeFile("/dev/zero", 1000); }),
            "/dev/zero: has more than 1000 bytes, which is the most that is "
            "read");
}

} // namespace

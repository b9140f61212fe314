// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/files/GuardedFiles.h"

#include "base/files/input/FileMapping.h"
#include "base/files/output/OutputFile.h"
#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace fs = std::filesystem;
using namespace transfold;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

void write(const std::string &path) {
  OutputFile file(path);
  file.write("new");
  file.commit();
}

std::string checked(const std::vector<std::string> &paths) {
  return messageOf([&] { checkOutputs(paths); });
}

TEST(GuardedFiles, InputsAreNotReplacedByWhateverName) {
  TemporaryDirectory directory;
  const std::string input = directory.write("input", "precious");
  fs::create_hard_link(input, directory.path("hard"));
  fs::create_symlink("input", directory.path("link"));
  fs::create_symlink(directory.path("link"), directory.path("chain"));
  const FileMapping file(input);
  const std::string kept = directory.path("./input");
  for (const std::string &name :
       {input, kept, directory.path("hard"), directory.path("link"),
        directory.path("chain")}) {
    const std::string message = messageOf([&] { write(name); });
    EXPECT_TRUE(message.starts_with(name + ": is ")) << message;
    EXPECT_NE(message.find("would be overwritten"), std::string::npos)
        << message;
    EXPECT_EQ(checked({name}), message);
  }
  EXPECT_EQ(fs::file_size(input), 8U);
  // A path that only looks similar is another file.
  fs::create_symlink("later", directory.path("free"));
  EXPECT_NO_THROW(write(directory.path("free")));
  EXPECT_NO_THROW(write(directory.path("input2")));
}

TEST(GuardedFiles, InputsThatWillBeReadAreGuardedToo) {
  TemporaryDirectory directory;
  const std::string input = directory.write("input", "precious");
  EXPECT_EQ(checked({input}), "no error");
  guardInput(input);
  guardInput(directory.path("none"));
  EXPECT_NE(checked({input}), "no error");
  EXPECT_EQ(checked({directory.path("none"), ""}), "no error");
}

TEST(GuardedFiles, WhatIsReadToBeWrittenAgainIsFree) {
  TemporaryDirectory directory;
  const std::string both = directory.write("both", "old");
  {
    const FileMapping file(both, FileMapping::As::Replaceable);
  }
  EXPECT_NO_THROW(write(both));
  // A file that this process wrote is not an input of the user.
  {
    const FileMapping file(both);
  }
  EXPECT_NO_THROW(write(both));
}

TEST(GuardedFiles, AFileThatIsGoneLeavesItsNumberToOthers) {
  TemporaryDirectory directory;
  for (int k = 0; k < 32; ++k) {
    const std::string input = directory.write("input", "gone");
    {
      const FileMapping file(input);
    }
    fs::remove(input);
    directory.write("other", "old");
    EXPECT_NO_THROW(write(directory.path("other")));
    fs::remove(directory.path("other"));
  }
}

TEST(GuardedFiles, OutputsHaveNamesOfTheirOwn) {
  TemporaryDirectory directory;
  const std::string name = directory.path("out"),
                    same = directory.path("./out");
  {
    OutputFile first(name);
    EXPECT_EQ(messageOf([&] { OutputFile second(name); }),
              name + ": two outputs have this name; give one of them another");
    EXPECT_EQ(messageOf([&] { OutputFile second(same); }),
              same + ": is the same file as " + name +
                  ", another output; give one of them another name");
  }
  // Two outputs at the same path are as bad, but an output may be written
  // again.
  write(name);
  EXPECT_NO_THROW(write(name));
  EXPECT_NE(messageOf([&] { write(same); }), "no error");
  fs::create_symlink("out", directory.path("link"));
  EXPECT_NE(messageOf([&] { write(directory.path("link")); }), "no error");

  EXPECT_NE(checked({directory.path("a"), directory.path("./a")}), "no error");
  fs::create_symlink("a", directory.path("to-a"));
  EXPECT_NE(checked({directory.path("a"), directory.path("to-a")}), "no error");
  EXPECT_EQ(checked({directory.path("a"), directory.path("b"), "", ""}),
            "no error");
  EXPECT_EQ(checked({"/dev/null", "/dev/null"}), "no error");
  // Folders that do not exist yet differ by their names.
  EXPECT_EQ(checked({directory.path("new/a"), directory.path("other/a")}),
            "no error");
  EXPECT_NE(checked({directory.path("new/a"), directory.path("new/./a")}),
            "no error");
}

TEST(GuardedFiles, TheProgramItselfAndStandardInputStay) {
  TemporaryDirectory directory;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  EXPECT_EQ(checked({self}),
            self + ": is the program that is running, and would be "
                   "overwritten; give the output another name");
  const std::string input = directory.write("input", "precious");
  ASSERT_NE(std::freopen(input.c_str(), "r", stdin), nullptr);
  EXPECT_EQ(checked({input}),
            input + ": is the file of standard input, and would be "
                    "overwritten; give the output another name");
  ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);
}

} // namespace

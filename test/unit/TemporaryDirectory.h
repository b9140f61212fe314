// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directory for the files of one test; removed with the test.

#pragma once

#include "base/NonCopyable.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace transfold::test {

class TemporaryDirectory : NonCopyable {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "transfold-test-XXXXXX")
            .string();
    if (!::mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a temporary directory");
    directory = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  const std::string &path() const { return directory; }
  std::string path(const std::string &name) const {
    return directory + "/" + name;
  }

  /// Writes a file, and creates missing directories of its path; returns the
  /// path.
  std::string write(const std::string &name, std::string_view bytes) const {
    std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

private:
  std::string directory;
};

/// The message of the exception that `action` throws, or "no error".
template <typename Action> std::string messageOf(Action action) {
  try {
    action();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "no error";
}

/// The message of the exception that `open` throws for the path of a file with
/// these bytes, without the path, with which it must begin.
template <typename Open>
std::string messageAbout(const std::string &name, std::string_view bytes,
                         Open open) {
  TemporaryDirectory directory;
  std::string path = directory.write(name, bytes);
  std::string message = messageOf([&] { open(path); });
  if (message.starts_with(path + ": "))
    return message.substr(path.size() + 2);
  return "(no path) " + message;
}

} // namespace transfold::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/link/Link.h"

#include "runtime/WeightsFormat.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace transfold::link;

namespace {

/// A folder of our own that goes when we go.
class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> made;
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("transfold", made))
      throw LinkError(
          fmt::format("no temporary folder can be made: {}; set TMPDIR to "
                      "a folder that can be written",
                      error.message()));
    path = made.str().str();
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  std::string path;
};

void writeFile(const std::string &path, const std::string &bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    throw LinkError(
        fmt::format("{}: cannot be written: {}", path, error.message()));
}

/// The compiler that drives the linker.
std::string findDriver() {
  for (const char *name : {"clang++-22", "clang++", "g++", "c++"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  throw LinkError(
      "no C++ compiler was found to link with; install g++ or clang-22");
}

} // namespace

void transfold::link::linkExecutable(const std::vector<Object> &objects,
                                     const Libraries &libraries,
                                     const std::string &output) {
  TemporaryFolder folder;
  std::string linked = folder.file("linked");
  std::vector<std::string> arguments = {findDriver(), "-o", linked};
  for (const Object &object : objects) {
    arguments.push_back(folder.file(object.name + ".o"));
    writeFile(arguments.back(), object.bytes);
  }
  // Whole: a weak definition among the objects (Halide's, for a device) must
  // not keep the runtime's own out. What is not used goes again.
  for (const std::string &argument :
       {std::string("-Wl,--whole-archive"), libraries.runtime,
        std::string("-Wl,--no-whole-archive")})
    arguments.push_back(argument);
  arguments.insert(arguments.end(), libraries.others.begin(),
                   libraries.others.end());
  for (const char *flag : {"-static-libstdc++", "-static-libgcc", "-pthread",
                           "-ldl", "-Wl,--gc-sections", "-s"})
    arguments.push_back(flag);
  if (std::string sanitizers = TRANSFOLD_SANITIZE; !sanitizers.empty())
    arguments.push_back("-fsanitize=" + sanitizers);
  if (llvm::StringRef(arguments[0]).ends_with("clang++-22") &&
      llvm::sys::findProgramByName("ld.lld-22"))
    arguments.push_back("-fuse-ld=lld");

  std::vector<llvm::StringRef> references(arguments.begin(), arguments.end());
  std::string log = folder.file("log"), message;
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(arguments[0], references, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code != 0) {
    auto words = llvm::MemoryBuffer::getFile(log);
    throw LinkError(fmt::format("{}: linking failed: {}\n{}", output,
                                message.empty() ? "see below" : message,
                                words ? (*words)->getBuffer().str() : ""));
  }
  // A linker writes through a mapping, where a full disk is a bus error; a copy
  // says what is wrong. It has another name until it is whole.
  std::string unfinished =
      fmt::format("{}.{}.partial", output, llvm::sys::Process::getProcessId());
  std::error_code error = llvm::sys::fs::copy_file(linked, unfinished);
  if (auto permissions = llvm::sys::fs::getPermissions(linked);
      !error && permissions)
    error = llvm::sys::fs::setPermissions(unfinished, *permissions);
  if (!error)
    error = llvm::sys::fs::rename(unfinished, output);
  if (error) {
    llvm::sys::fs::remove(unfinished);
    throw LinkError(
        fmt::format("{}: cannot be written: {}", output, error.message()));
  }
}

void transfold::link::embedWeights(const std::string &weights,
                                   const std::string &output) {
  std::string unfinished =
      fmt::format("{}.{}.partial", output, llvm::sys::Process::getProcessId());
  std::error_code error;
  auto fail = [&](const char *what) {
    std::filesystem::remove(unfinished, error);
    throw LinkError(fmt::format("{}: {}", output, what));
  };
  std::filesystem::copy_file(output, unfinished,
                             std::filesystem::copy_options::overwrite_existing,
                             error);
  if (error)
    fail("the weights cannot be put into the executable: no copy can be made");
  std::ifstream from(weights, std::ios::binary);
  std::fstream to(unfinished, std::ios::binary | std::ios::in | std::ios::out);
  to.seekp(0, std::ios::end);
  uint64_t end = to.tellp();
  // Mapped memory starts at whole pages.
  transfold_weights_trailer trailer = {};
  trailer.offset = (end + 4095) / 4096 * 4096;
  trailer.size = std::filesystem::file_size(weights, error);
  std::memcpy(trailer.magic, TRANSFOLD_TRAILER_MAGIC, sizeof trailer.magic);
  to << std::string(trailer.offset - end, '\0') << from.rdbuf();
  to.write(reinterpret_cast<const char *>(&trailer), sizeof trailer);
  to.close();
  if (!from || !to)
    fail("the weights could not be put into the executable whole; is the disk "
         "full?");
  std::filesystem::rename(unfinished, output, error);
  if (error)
    fail("cannot be replaced");
}

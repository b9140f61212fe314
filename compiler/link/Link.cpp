// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/link/Link.h"

#include "runtime/files/OutputFile.h"
#include "runtime/files/Temporary.h"

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

using namespace transfold;
using namespace transfold::link;

namespace {

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

/// The first of `names` that is installed; empty where none is.
std::string findProgram(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return "";
}

/// The compiler that drives the linker, and for which machine.
std::vector<std::string> driver(const std::string &triple) {
  std::string found = findProgram({"clang++-22", "clang++"});
  if (!triple.empty()) {
    if (found.empty() || findProgram({"ld.lld-22", "ld.lld"}).empty())
      throw LinkError("no linker was found for " + triple +
                      "; install clang-22 and lld-22");
    return {found, "--target=" + triple, "-fuse-ld=lld"};
  }
  if (found.empty())
    found = findProgram({"g++", "c++"});
  if (found.empty())
    throw LinkError(
        "no C++ compiler was found to link with; install g++ or clang-22");
  return {found};
}

/// The linker's command, with `linked` as its output.
std::vector<std::string> command(const std::vector<std::string> &objects,
                                 const Libraries &libraries,
                                 const std::string &linked) {
  std::vector<std::string> arguments = driver(libraries.triple);
  arguments.insert(arguments.end(), {"-o", linked});
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  arguments.push_back(libraries.main);
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
  // Not through a mapping, where a full disk is a bus error.
  if (llvm::StringRef(arguments[0]).ends_with("clang++-22") &&
      llvm::sys::findProgramByName("ld.lld-22"))
    for (const char *flag : {"-fuse-ld=lld", "-Wl,--no-mmap-output-file"})
      arguments.push_back(flag);
  return arguments;
}

} // namespace

void transfold::link::linkExecutable(const std::vector<Object> &objects,
                                     const Libraries &libraries,
                                     runtime::OutputFile &output) {
  runtime::TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const Object &object : objects) {
    paths.push_back(folder.file(object.name + ".o"));
    writeFile(paths.back(), object.bytes);
  }
  std::string linked = folder.file("linked"), log = folder.file("log"), message;
  std::vector<std::string> arguments = command(paths, libraries, linked);
  std::vector<llvm::StringRef> references(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(arguments[0], references, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code != 0) {
    auto words = llvm::MemoryBuffer::getFile(log);
    throw LinkError(fmt::format("{}: linking failed: {}\n{}", output.name(),
                                message.empty() ? "see below" : message,
                                words ? (*words)->getBuffer().str() : ""));
  }
  auto bytes = llvm::MemoryBuffer::getFile(linked, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    throw LinkError(fmt::format("{}: cannot be read: {}", linked,
                                bytes.getError().message()));
  output.write((*bytes)->getBuffer());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a linker, bundled or of the system, and reports its messages.

#include "compiler/link/Linker.h"

#include "base/files/FilesRead.h"
#include "base/files/Temporary.h"
#include "compiler/link/Bundle.h"

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

using namespace transfold;
using namespace transfold::link;

/// Errors are checked after closing, because a full disk may appear only then.
void transfold::link::writeFile(const std::string &path,
                                const std::string &bytes) {
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

std::string transfold::link::readFile(const std::string &path) {
  noteRead(path);
  auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    throw LinkError(fmt::format("{}: cannot be read: {}", path,
                                bytes.getError().message()));
  return (*bytes)->getBuffer().str();
}

std::vector<std::string>
transfold::link::writeObjects(const std::vector<Object> &objects,
                              TemporaryFolder &folder) {
  std::vector<std::string> paths;
  for (const Object &object : objects) {
    paths.push_back(folder.file(object.name + ".o"));
    writeFile(paths.back(), object.bytes);
  }
  return paths;
}

/// The first of `names` that is installed; empty if none is.
static std::string findProgram(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return "";
}

/// The compiler that drives the linker for such machines.
static std::vector<std::string> findDriver(const std::string &triple) {
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

/// The command that runs `job` with the system's compiler.
static std::vector<std::string> driverCommand(const LinkJob &job,
                                              const std::string &triple) {
  std::vector<std::string> command = findDriver(triple);
  auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words);
  };
  // Without a memory-mapped output, for which a full disk would be a bus error.
  const bool isLld = llvm::StringRef(command[0]).ends_with("clang++-22") &&
                     llvm::sys::findProgramByName("ld.lld-22");
  if (isLld)
    add({"-fuse-ld=lld", "-Xlinker", "--no-mmap-output-file"});
  if (job.kind == LinkJob::Kind::Object)
    add({"-r", "-nostdlib"});
  else if (job.kind == LinkJob::Kind::SharedLibrary)
    add({"-shared"});
  else
    add({job.kind == LinkJob::Kind::StaticExecutable ? "-static-pie" : "-pie"});
  add({"-o", job.output});
  for (const std::string &word : job.words) {
    if (word.starts_with("-"))
      add({"-Xlinker"});
    add({word});
  }
  if (job.kind == LinkJob::Kind::Object)
    return command;
  for (const char *word : hardeningWords)
    add({"-Xlinker", word});
  if (isLld)
    add({"-Xlinker", foldEqualFunctions});
  // If these came after -static-libstdc++, Clang would switch back to shared
  // libraries.
  if (job.kind != LinkJob::Kind::StaticExecutable)
    add({"-static-libstdc++", "-static-libgcc"});
  add({"-pthread", "-ldl"});
  if (std::string sanitizers = TRANSFOLD_SANITIZE; !sanitizers.empty())
    add({"-fsanitize=" + sanitizers});
  return command;
}

void transfold::link::runLinker(const LinkJob &job, const LinkTools &tools,
                                const std::string &name,
                                TemporaryFolder &folder) {
  const std::vector<std::string> command =
      tools.folder.empty() ? driverCommand(job, tools.triple)
                           : bundledCommand(job, tools.folder);
  std::string log = folder.file("log"), message;
  std::vector<llvm::StringRef> references(command.begin(), command.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(command[0], references, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code == 0)
    return;
  auto words = llvm::MemoryBuffer::getFile(log);
  throw LinkError(fmt::format("{}: linking failed: {}\n{}", name,
                              message.empty() ? "see below" : message,
                              words ? (*words)->getBuffer().str() : ""));
}

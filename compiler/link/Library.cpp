// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and links libraries. All objects are first joined into one whose
// symbols are local, so that two libraries of this kind do not collide in one
// process.

#include "compiler/link/Library.h"

#include "base/files/Temporary.h"
#include "base/files/output/OutputFile.h"
#include "compiler/link/KeepGlobal.h"
#include "compiler/link/Linker.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>

#include <filesystem>

using namespace transfold;
using namespace transfold::link;

/// Defined in the runtime; see runtime/library/Model.cpp.
static constexpr const char *modelFunction = "transfold_library_model";

/// The value, or a LinkError.
template <typename Value> static Value valueOf(llvm::Expected<Value> value) {
  if (!value)
    throw LinkError("an archive cannot be read or made: " +
                    llvm::toString(value.takeError()));
  return std::move(*value);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Headers of C and POSIX. NAME.h would be in a folder that compilers search
/// before the system's.
static constexpr llvm::StringLiteral systemHeaders[] = {
    "aio",      "arpa",        "assert",    "complex",  "cpio",     "ctype",
    "dirent",   "dlfcn",       "endian",    "errno",    "fcntl",    "features",
    "fenv",     "float",       "fmtmsg",    "fnmatch",  "ftw",      "glob",
    "grp",      "iconv",       "inttypes",  "iso646",   "langinfo", "libgen",
    "libintl",  "limits",      "locale",    "malloc",   "math",     "memory",
    "monetary", "mqueue",      "ndbm",      "netdb",    "nl_types", "poll",
    "pthread",  "pwd",         "regex",     "sched",    "search",   "semaphore",
    "setjmp",   "signal",      "spawn",     "stdalign", "stdarg",   "stdatomic",
    "stdbit",   "stdbool",     "stdckdint", "stddef",   "stdint",   "stdio",
    "stdlib",   "stdnoreturn", "string",    "strings",  "syslog",   "tar",
    "termios",  "tgmath",      "threads",   "time",     "uchar",    "ulimit",
    "unistd",   "utime",       "utmpx",     "wchar",    "wctype",   "wordexp"};

/// Checks that the name is usable: files next to a library are named after it,
/// and its function is declared together with those of transfold.h.
static void checkFree(const LibraryName &name) {
  if (llvm::StringRef(name.name).lower() == "transfold")
    throw LinkError(fmt::format("'{}' cannot be a library's name: {}.h and "
                                "transfold.h would be one file",
                                name.name, name.name));
  if (llvm::is_contained(systemHeaders, llvm::StringRef(name.name).lower()))
    throw LinkError(fmt::format("'{}' cannot be a library's name: compilers "
                                "would confuse {}.h with the system's header",
                                name.name, name.name));
  llvm::StringRef symbol = name.symbol;
  for (llvm::StringRef own : {"tfold", "transfold"})
    if (symbol == own || symbol.starts_with((own + "_").str()))
      throw LinkError(fmt::format("'{}' cannot be a library's name: names that "
                                  "begin with {}_ are those of the runtime",
                                  name.name, own.str()));
}

LibraryName transfold::link::nameOfModel(const std::string &model) {
  LibraryName result{model, model};
  for (char &c : result.symbol) {
    if (c == '-' || c == '.')
      c = '_';
    if (!llvm::isAlnum(c) && c != '_')
      throw LinkError(fmt::format(
          "'{}' cannot be a library's name: use letters, digits, -, _ and .",
          model));
  }
  // Files next to the library append up to 12 characters, and the name becomes
  // part of a symbol.
  if (constexpr size_t longest = 128; model.size() > longest)
    throw LinkError(fmt::format(
        "'{}' cannot be a library's name: it has more than {} characters",
        model, longest));
  if (model.empty() || llvm::isDigit(model[0]) || !llvm::isAlnum(model[0]))
    throw LinkError(fmt::format(
        "'{}' cannot be a library's name: it must begin with a letter", model));
  checkFree(result);
  return result;
}

LibraryName transfold::link::nameOfFile(const std::string &path) {
  std::string file = std::filesystem::path(path).filename().string();
  llvm::StringRef name = file;
  bool isShared = name.consume_back(".so");
  if ((!isShared && !name.consume_back(".a")) || !name.consume_front("lib"))
    throw LinkError(
        fmt::format("{}: a library must be named libNAME.so or libNAME.a; give "
                    "such a name with -o, or an existing folder",
                    path));
  LibraryName result = nameOfModel(name.str());
  result.isShared = isShared;
  return result;
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// Links all objects and the runtime into one object that exports only
/// SYMBOL_model.
static std::string join(const std::vector<Object> &objects,
                        const LibraryParts &parts, const LibraryName &name,
                        const std::string &output, TemporaryFolder &folder) {
  LinkJob job = {LinkJob::Kind::Object, folder.file("joined.o"),
                 writeObjects(objects, folder)};
  // The whole archive, as in executables. Groups (COMDAT) of functions that the
  // compiler emitted in several files must not be merged with those of other
  // libraries any more, since their names become local too.
  job.words.insert(job.words.end(),
                   {"--force-group-allocation", "--whole-archive",
                    parts.runtime, "--no-whole-archive"});
  job.words.insert(job.words.end(), parts.others.begin(), parts.others.end());
  runLinker(job, parts.tools, output, folder);
  return keepGlobal(readFile(job.output), modelFunction,
                    name.symbol + "_model");
}

/// Links the joined object with the functions of transfold.h. The library
/// exports these and the function for the model, by a version script.
static std::string shared(const std::string &object, const LibraryParts &parts,
                          const LibraryName &name, const std::string &output,
                          TemporaryFolder &folder) {
  std::string path = folder.file("library.o"), exports = folder.file("exports");
  writeFile(path, object);
  writeFile(exports,
            fmt::format("{{ global: tfold_*; {}_model; local: *; }};\n",
                        name.symbol));
  LinkJob job = {LinkJob::Kind::SharedLibrary,
                 folder.file("linked"),
                 {path, "--whole-archive", parts.api, "--no-whole-archive",
                  "--gc-sections", "-Bsymbolic", "-soname=" + name.file(),
                  "--version-script=" + exports, "-s"}};
  runLinker(job, parts.tools, output, folder);
  return readFile(job.output);
}

/// The functions of transfold.h are a separate object: of several archives the
/// linker takes it only once.
static std::string archive(const std::string &object, const LibraryParts &parts,
                           const LibraryName &name) {
  std::string api = readFile(parts.api);
  auto read =
      valueOf(llvm::object::Archive::create(llvm::MemoryBufferRef(api, "api")));
  std::vector<llvm::NewArchiveMember> members;
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : read->children(error)) {
    members.emplace_back(valueOf(child.getMemoryBufferRef()));
    members.back().MemberName = "transfold-api.o";
  }
  if (error)
    throw LinkError("an archive cannot be read: " +
                    llvm::toString(std::move(error)));
  std::string memberName = name.name + ".o";
  members.emplace_back(llvm::MemoryBufferRef(object, memberName));
  return valueOf(llvm::writeArchiveToBuffer(
                     members, llvm::SymtabWritingMode::NormalSymtab,
                     llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                     /*Thin=*/false))
      ->getBuffer()
      .str();
}

void transfold::link::linkLibrary(const std::vector<Object> &objects,
                                  const LibraryParts &parts,
                                  const LibraryName &name, OutputFile &output) {
  TemporaryFolder folder;
  std::string object = join(objects, parts, name, output.name(), folder);
  output.write(name.isShared
                   ? shared(object, parts, name, output.name(), folder)
                   : archive(object, parts, name));
}

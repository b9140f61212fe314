// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands for the bundled linker. It does not know the system, so the
// arguments here are those that compiler drivers pass to linkers, with the
// order of files that startup code requires: crti.o and crtbegin first, crtend
// and crtn.o last.

#include "compiler/link/Bundle.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>

#include <link.h>

using namespace transfold;
using namespace transfold::link;

namespace {

/// The files of the machine's C library.
struct CLibrary {
  std::string loader; // dynamic loader, e.g. ld-linux-x86-64.so.2
  std::vector<std::string> files;
};

/// Finds the files that are loaded into this process: these exist on every
/// machine, and programs linked with them run wherever the compiler runs.
CLibrary findCLibrary() {
  CLibrary found;
  auto add = [](dl_phdr_info *info, size_t, void *to) {
    auto &library = *static_cast<CLibrary *>(to);
    llvm::StringRef path = info->dlpi_name;
    llvm::StringRef name = path.substr(path.rfind('/') + 1);
    if (name.starts_with("ld-linux"))
      library.loader = path.str();
    // Before version 2.34, glibc consisted of several libraries.
    if (name.starts_with("ld-linux") ||
        llvm::is_contained({"libc.so.6", "libm.so.6", "libpthread.so.0",
                            "libdl.so.2", "librt.so.1"},
                           name))
      library.files.push_back(path.str());
    return 0;
  };
  ::dl_iterate_phdr(add, &found);
  if (found.loader.empty() || found.files.size() < 2)
    throw LinkError("the system's C library, which is needed to link, was not "
                    "found: transfold requires the GNU C library");
  return found;
}

/// The library folders of Debian, and of other distributions.
std::vector<std::string> librarySearch(const std::string &triple) {
  if (!triple.empty())
    return {"/usr/" + triple + "/lib", "/usr/lib/" + triple};
#ifdef __aarch64__
  return {"/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};
#else
  return {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"};
#endif
}

} // namespace

std::string transfold::link::staticCLibrary(const std::string &triple) {
  for (const std::string &folder : librarySearch(triple))
    if (llvm::all_of(
            std::initializer_list<const char *>{"libc.a", "libm.a", "rcrt1.o"},
            [&](const char *name) {
              return llvm::sys::fs::exists(folder + "/" + name);
            }))
      return folder;
  throw LinkError("--static: there is no static C library here (libc.a, "
                  "libm.a and rcrt1.o of glibc); install " +
                  (triple.empty() ? std::string("libc6-dev (Fedora calls it "
                                                "glibc-static)")
                                  : "that of " + triple +
                                        ", such as libc6-dev-arm64-cross"));
}

/// The linker's arguments that compiler drivers use for -static-pie.
static std::vector<std::string>
staticWords(const LinkJob &job,
            llvm::function_ref<std::string(const char *)> file) {
  const std::string system = staticCLibrary("") + "/";
  std::vector<std::string> words = {"--hash-style=gnu",
                                    "--eh-frame-hdr",
                                    "-o",
                                    job.output,
                                    "-static",
                                    "-pie",
                                    "--no-dynamic-linker",
                                    "-z",
                                    "text",
                                    system + "rcrt1.o",
                                    file("crti.o"),
                                    file("crtbeginS.o")};
  words.insert(words.end(), job.words.begin(), job.words.end());
  words.insert(words.end(),
               {file("libstdc++.a"), "--start-group", file("libgcc.a"),
                file("libgcc_eh.a"), system + "libc.a", system + "libm.a",
                "--end-group", file("crtendS.o"), file("crtn.o")});
  return words;
}

std::vector<std::string>
transfold::link::bundledCommand(const LinkJob &job, const std::string &folder) {
  auto file = [&](const char *name) { return folder + "/" + name; };
  std::vector<std::string> command = {file("ld.lld"), "--no-mmap-output-file"};
  auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words);
  };
  if (job.kind == LinkJob::Kind::Object) {
    add({"-r", "-o", job.output});
    command.insert(command.end(), job.words.begin(), job.words.end());
    return command;
  }
  command.insert(command.end(), std::begin(hardeningWords),
                 std::end(hardeningWords));
  add({foldEqualFunctions});
  if (job.kind == LinkJob::Kind::StaticExecutable) {
    std::vector<std::string> words = staticWords(job, file);
    command.insert(command.end(), words.begin(), words.end());
    return command;
  }
  // The linker's arguments that compiler drivers use for C++ with a static C++
  // library.
  const CLibrary library = findCLibrary();
  add({"--hash-style=gnu", "--eh-frame-hdr", "-o", job.output});
  if (job.kind == LinkJob::Kind::Executable)
    add({"-pie", "-dynamic-linker", library.loader, file("Scrt1.o")});
  else
    add({"-shared"});
  add({file("crti.o"), file("crtbeginS.o")});
  command.insert(command.end(), job.words.begin(), job.words.end());
  add({file("libstdc++.a"), file("libgcc.a"), file("libgcc_eh.a"),
       file("libc_nonshared.a"), "--as-needed"});
  command.insert(command.end(), library.files.begin(), library.files.end());
  add({file("crtendS.o"), file("crtn.o")});
  return command;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/link/Bundle.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <link.h>

using namespace transfold;
using namespace transfold::link;

namespace {

/// Files of the machine's C library.
struct CLibrary {
  std::string loader; // ld-linux-x86-64.so.2, which executables name
  std::vector<std::string> files;
};

/// Those that are loaded into this process: they are there on any machine, and
/// what is linked with them runs where the compiler runs.
CLibrary findCLibrary() {
  CLibrary found;
  auto add = [](dl_phdr_info *info, size_t, void *to) {
    auto &library = *static_cast<CLibrary *>(to);
    llvm::StringRef path = info->dlpi_name;
    llvm::StringRef name = path.substr(path.rfind('/') + 1);
    if (name.starts_with("ld-linux"))
      library.loader = path.str();
    // Before version 2.34 it had parts that are now in libc.
    if (name.starts_with("ld-linux") ||
        llvm::is_contained({"libc.so.6", "libm.so.6", "libpthread.so.0",
                            "libdl.so.2", "librt.so.1"},
                           name))
      library.files.push_back(path.str());
    return 0;
  };
  ::dl_iterate_phdr(add, &found);
  if (found.loader.empty() || found.files.size() < 2)
    throw LinkError("the system's C library was not found, which is needed to "
                    "link: transfold runs with the GNU C library");
  return found;
}

} // namespace

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
  // What the driver of a compiler says for C++ whose library goes with it.
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

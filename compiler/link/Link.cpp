// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/link/Link.h"

#include "compiler/link/Linker.h"
#include "runtime/files/OutputFile.h"
#include "runtime/files/Temporary.h"

using namespace transfold;
using namespace transfold::link;

namespace {

/// The linker's command, with `linked` as its output.
std::vector<std::string> command(const std::vector<std::string> &objects,
                                 const Libraries &libraries,
                                 const std::string &linked) {
  std::vector<std::string> arguments = linkerDriver(libraries.triple);
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
  return arguments;
}

} // namespace

void transfold::link::linkExecutable(const std::vector<Object> &objects,
                                     const Libraries &libraries,
                                     runtime::OutputFile &output) {
  runtime::TemporaryFolder folder;
  std::string linked = folder.file("linked");
  runLinker(command(writeObjects(objects, folder), libraries, linked),
            output.name(), folder);
  output.write(readFile(linked));
}

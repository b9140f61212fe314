// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links executables: the program's objects, the main function and the runtime.

#include "compiler/link/Link.h"

#include "base/files/Temporary.h"
#include "base/files/output/OutputFile.h"
#include "compiler/link/Linker.h"

using namespace transfold;
using namespace transfold::link;

void transfold::link::linkExecutable(const std::vector<Object> &objects,
                                     const Libraries &libraries,
                                     OutputFile &output) {
  TemporaryFolder folder;
  LinkJob job = {libraries.tools.isStatic ? LinkJob::Kind::StaticExecutable
                                          : LinkJob::Kind::Executable,
                 folder.file("linked"), writeObjects(objects, folder)};
  job.words.push_back(libraries.main);
  // Links the whole archive: a weak definition among the objects (Halide's, for
  // a device) must not replace the runtime's own. Unused sections are removed
  // again.
  job.words.insert(job.words.end(),
                   {"--whole-archive", libraries.runtime, "--no-whole-archive",
                    "--gc-sections", "-s"});
  job.words.insert(job.words.end(), libraries.others.begin(),
                   libraries.others.end());
  runLinker(job, libraries.tools, output.name(), folder);
  output.write(readFile(job.output));
}

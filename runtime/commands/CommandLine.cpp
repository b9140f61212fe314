// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the program, runs the command, and reports its failure.

#include "runtime/commands/CommandLine.h"

#include "base/files/Temporary.h"
#include "base/files/input/MappedFiles.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/CommonCommands.h"
#include "runtime/commands/Serve.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/kernels/DeviceFailure.h"
#include "runtime/steps/Cancellation.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace transfold::runtime::inline commands {

/// The value of `--device`: the program to load depends on it, and on the
/// program depend the commands and options. Only evaluated if there is a
/// choice: otherwise the commands report an unknown option.
static std::string_view deviceGiven(const transfold_program &program,
                                    std::span<char *const> words) {
  constexpr std::string_view option = "--device";
  for (size_t i = 1; program.next && i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "--")
      break;
    if (word == option && i + 1 < words.size())
      return words[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
      return word.substr(option.size() + 1);
  }
  return {};
}

std::span<const ProgramPart *const> partsOf(const ProgramPart *const *list) {
  size_t count = 0;
  while (list[count])
    ++count;
  return {list, count};
}

/// Declares the commands of the parts, the server, and those of all programs,
/// and runs one of them. Returns the exit status.
static int runCommand(const LoadedProgram &program,
                      std::span<const ProgramPart *const> parts,
                      std::span<char *const> words) {
  CommandSet commands(program, programName());
  for (const ProgramPart *part : parts)
    part->addCommands(commands);
  addServe(commands, parts);
  addCommonCommands(commands, parts);
  return commands.run(words);
}

int runCommandLine(const transfold_program &program,
                   const ProgramPart *const *parts, int argc, char **argv) {
  removeTemporariesOnSignals();
  if (argc > 0)
    setProgramName(std::filesystem::path(argv[0]).filename().string());
  tellOfShortenedFiles(programName());
  endOnDeviceFailure([](const std::string &reason) {
    flushPrinted();
    reportError("the device failed: " + reason);
    removeTemporariesInHandler();
    ::_exit(1);
  });
  try {
    std::span<char *const> given(argv, static_cast<size_t>(argc));
    LoadedProgram loaded(program, executablePath(),
                         deviceGiven(program, given));
    int status = runCommand(loaded, partsOf(parts),
                            given.subspan(std::min<size_t>(given.size(), 1)));
    endPrinted();
    return status;
  } catch (const Cancelled &cancelled) { // by Ctrl-C
    std::fflush(stdout);
    reportError(cancelled.what());
    return InterruptWatch::exitStatus;
  } catch (const std::exception &error) {
    std::fflush(stdout); // earlier output comes before the message
    reportError(error.what());
    return 1;
  }
}

} // namespace transfold::runtime::inline commands

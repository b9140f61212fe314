// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of every compiled model. No other file of the runtime
// assumes that there is only one program, or knows its name.

#include "runtime/commands/CommandLine.h"
#include "runtime/commands/ProgramParts.h"

#include <cstdlib>
#include <exception>
#include <string_view>
#include <unistd.h>

/// Ends the process after an exception that no function handled.
[[noreturn]] static void endWithMessage() {
  constexpr std::string_view text =
      "internal error: an exception was not handled; please report it\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  std::abort();
}

// Replaces the handler of libstdc++, which prints the name of a C++ type, and
// whose demangler alone has 45 KB.
namespace __cxxabiv1 {
// NOLINTBEGIN(bugprone-reserved-identifier): the name is that of libstdc++.
extern std::terminate_handler __terminate_handler;
std::terminate_handler __terminate_handler = endWithMessage;
// NOLINTEND(bugprone-reserved-identifier)
} // namespace __cxxabiv1

int main(int argc, char **argv) {
  return transfold::runtime::runCommandLine(
      transfold_program_data, transfold::runtime::transfold_program_parts, argc,
      argv);
}

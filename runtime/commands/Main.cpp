// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of every compiled model. Nothing else of the runtime knows
// that there is one program, or what it is called.

#include "runtime/commands/CommandLine.h"

int main(int argc, char **argv) {
  return transfold::runtime::runCommandLine(transfold_program_data, argc, argv);
}

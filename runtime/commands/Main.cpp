// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of every compiled model. No other file of the runtime
// assumes that there is only one program, or knows its name.

#include "runtime/commands/CommandLine.h"

int main(int argc, char **argv) {
  return transfold::runtime::runCommandLine(transfold_program_data, argc, argv);
}

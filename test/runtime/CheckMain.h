// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main() of checks that are linked with the objects of a model.

#pragma once

#include "runtime/program/call/Session.h"
#include "runtime/weights/WeightsFile.h"

#include <cstdio>
#include <exception>

namespace transfold::test {

/// Runs a Check of a session of this executable's program; returns the exit
/// status.
template <typename Check> int runCheck() {
  try {
    runtime::LoadedProgram program(transfold_program_data,
                                   runtime::executablePath());
    runtime::ThreadPool pool;
    runtime::Session session(program, pool);
    Check(session).run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}

} // namespace transfold::test

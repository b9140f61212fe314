// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compiled program in a process of its own.

#pragma once

#include "compiler/driver/verify/ReadOutputs.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace transfold::driver {

/// What `PROGRAM eval` computes for `inputs`, NAME=FILE.npy, if it runs entries
/// that generate in steps of `chunk` tokens (0: whole sequences). The arrays
/// are written to a new folder in `folder`, and read as readOutputs does.
/// Throws Error if the program fails, whose own message is on standard error.
FoundOutputs runProgram(const std::string &program,
                        const std::vector<std::string> &inputs,
                        const Outputs &expected, const std::string &folder,
                        int64_t chunk = 0);

/// What a command of the program prints as JSON, such as `info --json`; the
/// file is in `folder`. Throws Error.
nlohmann::json programJson(const std::string &program,
                           const std::vector<std::string> &words,
                           const std::string &folder);

} // namespace transfold::driver

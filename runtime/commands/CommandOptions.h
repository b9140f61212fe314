// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of commands that have many of them.

#pragma once

#include "runtime/commands/Commands.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace transfold::runtime::inline commands {

/// Adds the options of `generate`.
void addGenerateOptions(CLI::App &app, GenerateOptions &options);
/// Adds the options of `chat`. `variables` receives the words NAME=VALUE.
void addChatOptions(CLI::App &app, ChatOptions &options,
                    std::vector<std::string> &variables);
/// Adds the options of `bench`.
void addBenchOptions(CLI::App &app, BenchOptions &options);

} // namespace transfold::runtime::inline commands

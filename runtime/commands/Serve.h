// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `serve`: a server for OpenAI's clients.

#pragma once

#include "runtime/commands/ProgramParts.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::inline commands {

/// Options of `serve`.
struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8080;   // 0: any free port
  std::string model; // name of the model for clients; empty: the program's name
  std::string keys;  // path of a file; empty: no keys are needed
  std::vector<std::string> hosts; // names in addition to its own
  /// Numbers of requests that run at the same time, and that wait at most.
  size_t parallel = 4, waiting = 32;
  int64_t context = 8192;             // tokens; the model's limit may be lower
  int64_t deadline = 600, grace = 10; // seconds
  int64_t bodyMegabytes = 8;
  bool hasPage = true;        // serve the page at / for browsers
  bool allowTokenIds = false; // allow token ids as texts to embed
  bool isQuiet = false;
};

/// Declares the command if the program has a task that can be served.
void addServe(CommandSet &commands, std::span<const ProgramPart *const> parts);

} // namespace transfold::runtime::inline commands

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `translate`.

#pragma once

#include "runtime/program/call/Session.h"
#include "runtime/tasks/text/Translator.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace transfold::runtime::inline commands {

/// Options of `translate`.
struct TranslateOptions : TranslationOptions {
  std::vector<std::string> texts; // none: a text per line of standard input
  bool json = false;
  int64_t batch = 16; // number of texts that are translated together
};

/// Adds the options of `translate`.
void addTranslateOptions(CLI::App &app, TranslateOptions &options,
                         const Metadata &metadata);
/// Prints the translation of each text, in order. Throws Error.
void translate(Session &session, const TranslateOptions &options);

} // namespace transfold::runtime::inline commands

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Messages.h"

#include <cstdio>

namespace transfold::runtime {

namespace {

std::string &storedName() {
  static std::string name = "program";
  return name;
}

void write(const char *kind, const std::string &message) {
  std::fprintf(stderr, "%s: %s: %s\n", programName().c_str(), kind,
               message.c_str());
}

} // namespace

void setProgramName(std::string name) { storedName() = std::move(name); }
const std::string &programName() { return storedName(); }

void warn(const std::string &message) { write("warning", message); }
void reportError(const std::string &message) { write("error", message); }

} // namespace transfold::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and compares keys. All keys are compared with what a request has, so
// that the time does not tell which one is similar.

#include "runtime/serve/http/ApiKeys.h"

#include "base/Error.h"
#include "base/files/input/WholeFile.h"
#include "runtime/serve/http/HeaderValues.h"

#include <algorithm>

namespace transfold::runtime::serve {

namespace {

constexpr std::string_view space = " \t\r";

/// Compares all bytes of `given`, so that the time does not depend on where
/// they differ.
bool areSame(std::string_view key, std::string_view given) {
  unsigned difference = key.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(key[i % key.size()]);
  return difference == 0;
}

} // namespace

ApiKeys ApiKeys::read(const std::string &path) {
  FileMapping file = wholeFile(path, SIZE_MAX);
  std::string_view text = file.text();
  ApiKeys result;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    size_t first = line.find_first_not_of(space);
    if (first == line.npos)
      continue;
    line = line.substr(first, line.find_last_not_of(space) + 1 - first);
    for (char c : line)
      if (c <= ' ' || c == 0x7f)
        fail("{}: a key has a space or a control character in it; write one "
             "key per line",
             path);
    result.keys.emplace_back(line);
  }
  if (result.keys.empty())
    fail("{}: has no keys; write one key per line", path);
  return result;
}

bool ApiKeys::allow(std::string_view authorization) const {
  if (!areNeeded())
    return true;
  auto given = bearerOf(authorization);
  if (!given)
    return false;
  bool isThere = false;
  for (const std::string &key : keys)
    isThere |= areSame(key, *given);
  return isThere;
}

} // namespace transfold::runtime::serve

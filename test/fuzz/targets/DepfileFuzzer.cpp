// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any file names in a depfile: parsed by the rules of Make, they are the
// same names.

#include "compiler/driver/output/Depfile.h"
#include "test/fuzz/targets/Input.h"

#include <algorithm>
#include <stdexcept>

using namespace transfold;

/// The words of a rule, as Make and Ninja read them: a backslash counts only
/// before a space, a tab, a number sign, a line break, or other backslashes
/// before a space or tab.
static std::vector<std::string> wordsOf(const std::string &rule) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; i < rule.size();) {
    size_t count = 0;
    while (i + count < rule.size() && rule[i + count] == '\\')
      ++count;
    const char next = i + count < rule.size() ? rule[i + count] : '\0';
    if (count && next == '\n') { // a line goes on
      words.back().append(count - 1, '\\');
      words.emplace_back();
      i += count + 1;
    } else if (count && (next == ' ' || next == '\t')) {
      words.back().append(count / 2, '\\');
      if (count % 2)
        words.back() += next;
      else
        words.emplace_back();
      i += count + 1;
    } else if (count && next == '#') {
      words.back().append(count - 1, '\\');
      words.back() += next;
      i += count + 1;
    } else if (count) {
      words.back().append(count, '\\');
      i += count;
    } else if (next == ' ' || next == '\t' || next == '\n') {
      words.emplace_back();
      ++i;
    } else {
      fuzz::require(next != '$' || rule.substr(i, 2) == "$$", "a lone $");
      words.back() += next;
      i += next == '$' ? 2 : 1;
    }
  }
  std::erase(words, "");
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::string> names = {""};
  for (size_t i = 0; i < size; ++i)
    if (data[i] == 0)
      names.emplace_back();
    else
      names.back() += static_cast<char>(data[i]);
  std::erase(names, "");
  try {
    const std::vector<std::string> words =
        wordsOf(driver::dependencyRule("made", names));
    fuzz::require(words.size() == names.size() + 1 && words[0] == "made:",
                  "a word for each name");
    for (size_t i = 0; i < names.size(); ++i)
      fuzz::require(words[i + 1] == names[i], "the same name");
  } catch (const std::runtime_error &) {
    fuzz::require(std::ranges::any_of(names,
                                      [](const std::string &name) {
                                        return name.find_first_of("\n\r") !=
                                               std::string::npos;
                                      }),
                  "refused for a line break");
  }
  return 0;
}

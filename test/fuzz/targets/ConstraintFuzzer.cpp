// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a schema, a regular expression or a grammar, and a text. Compiling
// ends with a grammar or an error. A part of the text that can be read can be
// continued, and the set of tokens says how.

#include "base/Error.h"
#include "runtime/constrain/Constraint.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;
using namespace transfold::runtime;

namespace {

const std::shared_ptr<const TokenIndex> &vocabulary() {
  static const auto index = [] {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte)
      tokens.emplace_back(1, static_cast<char>(byte));
    for (const char *token : {"ab", "a\"", "\":", "{\"", "\\u", "é", "12"})
      tokens.emplace_back(token);
    return std::make_shared<const TokenIndex>(tokens);
  }();
  return index;
}

/// Reads the text byte by byte; checks some of the sets of tokens.
void follow(const std::shared_ptr<const Grammar> &grammar,
            std::string_view text) {
  constexpr size_t mostBytes = 200;
  Matcher matcher(grammar, vocabulary());
  text = text.substr(0, mostBytes);
  for (size_t i = 0; i <= text.size(); ++i) {
    const TokenBits &bits = matcher.tokens();
    bool isAny = matcher.isComplete();
    for (uint64_t word : bits)
      isAny |= word != 0;
    fuzz::require(isAny, "a text that was read can be continued");
    if (i == text.size())
      break;
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool isAllowed = bits[byte / 64] >> byte % 64 & 1;
    fuzz::require(matcher.append(byte) == isAllowed,
                  "exactly the tokens of the set can be appended");
    if (!isAllowed)
      break;
  }
}

template <typename Compile>
void check(Compile compile, std::string_view constraint,
           std::string_view text) {
  try {
    follow(compile(constraint), text);
  } catch (const Error &) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto [constraint, text] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  check([](std::string_view given) { return schemaConstraint(given); },
        constraint, text);
  check(regexConstraint, constraint, text);
  check(grammarConstraint, constraint, text);
  return 0;
}

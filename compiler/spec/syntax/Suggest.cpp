// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions by edit distance. Distances are between code points, so that ε
// and `e` differ by one letter.

#include "compiler/spec/syntax/Suggest.h"

#include "base/text/EditDistance.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <algorithm>

using namespace transfold;
using namespace transfold::spec;

/// The code points of UTF-8 text (ill-formed text yields arbitrary values).
static std::u32string codePoints(const std::string &text) {
  std::u32string result;
  for (unsigned char c : text) {
    if ((c & 0xC0) == 0x80 && !result.empty())
      result.back() = (result.back() << 6) | (c & 0x3F);
    else
      result.push_back(c);
  }
  return result;
}

size_t transfold::spec::editDistance(const std::string &from,
                                     const std::string &to) {
  return transfold::editDistance(codePoints(from), codePoints(to));
}

std::string transfold::spec::nearest(const std::string &name,
                                     const std::set<std::string> &candidates) {
  std::u32string wanted = codePoints(name);
  // Short names are close to almost any name, so the limit grows with the
  // length.
  size_t limit = std::min<size_t>(wanted.size() / 3 + 1, 3);
  if (wanted.size() < 2 || wanted.size() > 100)
    return "";
  const std::string *best = nullptr;
  for (const std::string &candidate : candidates) {
    std::u32string other = codePoints(candidate);
    if (other.size() > wanted.size() + limit ||
        wanted.size() > other.size() + limit || candidate == name)
      continue;
    size_t needed = transfold::editDistance(wanted, other);
    if (needed >= std::min(wanted.size(), other.size()) + (needed == 1))
      continue;
    // Letters are omitted more often than added, so a longer candidate wins a
    // tie.
    bool longer = best && other.size() > codePoints(*best).size();
    if (needed < limit || (needed == limit && (!best || longer))) {
      limit = needed;
      best = &candidate;
    }
  }
  return best ? *best : "";
}

/// The range of `name` at `at`; nullopt if the text there is spelled otherwise.
static std::optional<Range> rangeOf(const std::string &name, const Place &at) {
  if (!at.source || !at.line)
    return std::nullopt;
  std::u32string line = codePoints(at.source->line(at.line)),
                 wanted = codePoints(name);
  size_t begin = at.column - 1;
  if (begin > line.size() || line.compare(begin, wanted.size(), wanted) != 0)
    return std::nullopt;
  Place end = at;
  end.column += static_cast<unsigned>(wanted.size());
  return Range{at, end};
}

SpecError transfold::spec::unknownName(Code code, const Place &at,
                                       const std::string &name,
                                       const std::string &message,
                                       const std::set<std::string> &candidates,
                                       std::vector<std::string> notes) {
  std::string best = nearest(name, candidates);
  if (best.empty())
    return SpecError(code, at, message, std::move(notes));
  SpecError error(code, at, message + "; did you mean `" + best + "`?",
                  std::move(notes));
  auto range = rangeOf(name, at);
  return range ? error.withFix({*range, best}) : error;
}

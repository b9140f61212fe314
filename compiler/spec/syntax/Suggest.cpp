// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/syntax/Suggest.h"

#include "runtime/EditDistance.h"

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
  return runtime::editDistance(codePoints(from), codePoints(to));
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
    size_t needed = runtime::editDistance(wanted, other);
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

std::string
transfold::spec::didYouMean(const std::string &name,
                            const std::set<std::string> &candidates) {
  std::string best = nearest(name, candidates);
  return best.empty() ? "" : "; did you mean `" + best + "`?";
}

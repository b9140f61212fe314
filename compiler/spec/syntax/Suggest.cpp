// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/syntax/Suggest.h"

#include <algorithm>
#include <vector>

using namespace transfold::spec;

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

static size_t distance(const std::u32string &a, const std::u32string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

size_t transfold::spec::editDistance(const std::string &from,
                                     const std::string &to) {
  return distance(codePoints(from), codePoints(to));
}

std::string transfold::spec::nearest(const std::string &name,
                                     const std::set<std::string> &candidates) {
  std::u32string wanted = codePoints(name);
  // Of short names, everything is near to everything.
  size_t limit = std::min<size_t>(wanted.size() / 3 + 1, 3);
  if (wanted.size() < 2 || wanted.size() > 100)
    return "";
  const std::string *best = nullptr;
  for (const std::string &candidate : candidates) {
    std::u32string other = codePoints(candidate);
    if (other.size() > wanted.size() + limit ||
        wanted.size() > other.size() + limit || candidate == name)
      continue;
    size_t needed = distance(wanted, other);
    if (needed >= std::min(wanted.size(), other.size()) + (needed == 1))
      continue;
    // Letters are forgotten more often than invented.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placeholders in tensor names, and the reverse: the pattern that a list of
// names has. The latter guesses from few members and then checks all, so it
// never returns a pattern that reproduces other names.

#include "dialect/weights/TensorNames.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <optional>

using namespace transfold;
using llvm::StringRef;

namespace {
/// The content of a placeholder { }: times * index + plus.
struct Placeholder {
  StringRef index;
  int64_t times = 1, plus = 0;
};
} // namespace

/// Parses "l", "2 * l", "l + 1" or "2 * l + 1"; nullopt if a number is not a
/// decimal one. The name of the index is not checked.
static std::optional<Placeholder> parse(StringRef text) {
  Placeholder result;
  text = text.trim();
  StringRef last = text.rsplit('+').second.trim();
  if (text.contains('+')) {
    if (last.getAsInteger(10, result.plus))
      return std::nullopt;
    text = text.rsplit('+').first.trim();
  }
  if (text.contains('*')) {
    auto [times, index] = text.split('*');
    if (times.trim().getAsInteger(10, result.times))
      return std::nullopt;
    text = index.trim();
  }
  result.index = text;
  return result;
}

bool xf::hasPlaceholder(StringRef pattern, StringRef index) {
  while (pattern.contains('{')) {
    auto [inside, rest] = pattern.split('{').second.split('}');
    if (auto found = parse(inside); found && found->index == index)
      return true;
    pattern = rest;
  }
  return false;
}

std::string xf::memberName(StringRef pattern, llvm::ArrayRef<StringRef> indices,
                           llvm::ArrayRef<int64_t> extents, int64_t member) {
  llvm::SmallVector<int64_t> numbers(indices.size());
  // The digits of the member's number, the last index fastest.
  for (size_t k = indices.size(); k-- > 0; member /= extents[k])
    numbers[k] = member % extents[k];
  std::string name;
  while (pattern.contains('{')) {
    auto [before, following] = pattern.split('{');
    auto [inside, rest] = following.split('}');
    name += before;
    auto found = parse(inside);
    const StringRef *index =
        found ? llvm::find(indices, found->index) : indices.end();
    name +=
        index == indices.end()
            ? ("{" + inside + "}").str()
            : std::to_string(found->times * numbers[index - indices.begin()] +
                             found->plus);
    pattern = rest;
  }
  return name + pattern.str();
}

//===----------------------------------------------------------------------===//
// Patterns of names
//===----------------------------------------------------------------------===//

/// Splits "layers.12.W" into the texts "layers." and ".W" and the number 12.
static void split(StringRef name, llvm::SmallVectorImpl<StringRef> &texts,
                  llvm::SmallVectorImpl<int64_t> &numbers) {
  while (true) {
    size_t begin = name.find_first_of("0123456789");
    texts.push_back(name.take_front(begin));
    if (begin == StringRef::npos)
      return;
    name = name.drop_front(begin);
    size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    int64_t number = 0;
    // A number with a leading zero, or one that overflows, cannot be
    // reproduced: -1.
    if (name.take_front(digits).getAsInteger(10, number) ||
        std::to_string(number) != name.take_front(digits))
      number = -1;
    numbers.push_back(number);
    name = name.drop_front(digits);
  }
}

/// The placeholder {times * index + plus} of the single index that `numbers`
/// depend on.
static std::string placeholderOf(llvm::ArrayRef<int64_t> numbers,
                                 llvm::ArrayRef<StringRef> indices,
                                 llvm::ArrayRef<int64_t> extents) {
  int64_t stride = 1;
  for (size_t k = indices.size(); k-- > 0; stride *= extents[k]) {
    if (extents[k] < 2)
      continue;
    int64_t times = numbers[stride] - numbers[0];
    if (times == 0)
      continue;
    std::string text = "{";
    if (times != 1)
      text += std::to_string(times) + " * ";
    text += indices[k];
    if (numbers[0] != 0)
      text += " + " + std::to_string(numbers[0]);
    return text + "}";
  }
  return std::to_string(numbers[0]);
}

std::optional<std::string> xf::patternOf(llvm::ArrayRef<std::string> names,
                                         llvm::ArrayRef<StringRef> indices,
                                         llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<StringRef> texts;
  llvm::SmallVector<llvm::SmallVector<int64_t>> numbers; // [position][member]
  for (const std::string &name : names) {
    llvm::SmallVector<StringRef> own;
    llvm::SmallVector<int64_t> values;
    split(name, own, values);
    if (texts.empty()) {
      texts = own;
      numbers.resize(values.size());
    }
    if (own != texts)
      return std::nullopt;
    for (auto [place, value] : llvm::zip_equal(numbers, values))
      place.push_back(value);
  }
  std::string pattern;
  for (auto [k, text] : llvm::enumerate(texts)) {
    pattern += text;
    if (k < numbers.size())
      pattern += placeholderOf(numbers[k], indices, extents);
  }
  // The placeholders were derived from a few members only.
  for (auto [member, name] : llvm::enumerate(names))
    if (memberName(pattern, indices, extents, member) != name)
      return std::nullopt;
  return pattern;
}

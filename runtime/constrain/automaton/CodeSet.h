// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of code points, as ranges. Surrogates are in no set: a text cannot
// contain them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace transfold::runtime::inline constrain {

/// Code points low to high.
struct CodeRange {
  char32_t low, high;
  bool operator==(const CodeRange &) const = default;
};

/// A set of code points.
class CodeSet {
public:
  CodeSet() = default;
  CodeSet(std::initializer_list<CodeRange> ranges);
  /// All code points of texts.
  static CodeSet all();

  /// Ranges that are added may overlap; surrogates in them are dropped.
  void add(char32_t low, char32_t high);
  void add(const CodeSet &other);
  /// All code points of texts that are not in this set.
  CodeSet complement() const;
  CodeSet intersect(const CodeSet &other) const;
  CodeSet minus(const CodeSet &other) const {
    return intersect(other.complement());
  }

  bool has(char32_t code) const;
  bool isEmpty() const { return ranges().empty(); }
  /// Sorted ranges with gaps between them.
  std::span<const CodeRange> ranges() const;

private:
  mutable std::vector<CodeRange> stored;
  mutable bool isSorted = true;
};

/// A sequence of bytes, each from a range: the UTF-8 of a range of code points.
struct ByteSequence {
  struct Span {
    uint8_t low, high;
  };
  std::array<Span, 4> bytes;
  size_t size;
};

/// Appends the sequences that encode a range of code points without surrogates.
void appendUtf8Sequences(CodeRange range, std::vector<ByteSequence> &to);

} // namespace transfold::runtime::inline constrain

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special tokens around the tokens of a text, and the positions that are
// reported for tokens.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The last stage of encoding; immutable.
struct PostProcessor {
  /// A part of the model's input.
  struct Part {
    int32_t text = -1; // 0 or 1: the tokens of that text; -1: `ids`
    int32_t type = 0;
    std::vector<int32_t> ids;

    static auto fields(auto &self) {
      return std::tie(self.text, self.type, self.ids);
    }
    /// Throws Error if the values are out of range.
    void check() const;
  };

  /// The model's input for one text, and for two.
  std::vector<Part> single{{0, 0, {}}}, pair{{0, 0, {}}, {1, 1, {}}};
  /// For each processor that excludes white space from positions: whether a
  /// space was added before the text.
  std::vector<uint8_t> trimming;

  static auto fields(auto &self) {
    return std::tie(self.single, self.pair, self.trimming);
  }

  /// Number of white space characters at the ends of a token.
  struct Spaces {
    uint32_t leading, trailing;
  };
  bool trims() const { return !trimming.empty(); }
  /// Excludes white space from a position. `first`: the token is the first one
  /// of a text.
  void trim(uint32_t &begin, uint32_t &end, Spaces spaces, bool first) const;
};

} // namespace transfold::runtime::inline tokenizer

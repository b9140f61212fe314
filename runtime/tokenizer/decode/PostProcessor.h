// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is put around the tokens of a text, and what their places are said to
// be.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_DECODE_POSTPROCESSOR_H
#define TRANSFOLD_RUNTIME_TOKENIZER_DECODE_POSTPROCESSOR_H

#include <cstdint>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct PostProcessor {
  /// A part of what the model reads.
  struct Part {
    int32_t text = -1; // 0 or 1: the tokens of that text; else `ids`
    int32_t type = 0;
    std::vector<int32_t> ids;

    static auto fields(auto &self) {
      return std::tie(self.text, self.type, self.ids);
    }
    void check() const;
  };

  /// What the model reads of one text, and of two.
  std::vector<Part> single{{0, 0, {}}}, pair{{0, 0, {}}, {1, 1, {}}};
  /// Of each processor that makes places not include white space: whether a
  /// space was put before the text.
  std::vector<uint8_t> trimming;

  static auto fields(auto &self) {
    return std::tie(self.single, self.pair, self.trimming);
  }

  /// White space at the ends of a token.
  struct Spaces {
    uint32_t leading, trailing;
  };
  bool trims() const { return !trimming.empty(); }
  /// Shortens a place so. `first`: of the first token of a text.
  void trim(uint32_t &begin, uint32_t &end, Spaces spaces, bool first) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_DECODE_POSTPROCESSOR_H

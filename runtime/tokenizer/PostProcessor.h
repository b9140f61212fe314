// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is put around the tokens of a text, and what their places are said to
// be.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_POSTPROCESSOR_H
#define TRANSFOLD_RUNTIME_TOKENIZER_POSTPROCESSOR_H

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace transfold::runtime {

class PostProcessor {
public:
  /// A part of what the model reads.
  struct Part {
    int text = -1; // 0 or 1: the tokens of that text; else `ids`
    int32_t type = 0;
    std::vector<int32_t> ids;
  };

  /// Reads a tokenizer's "post_processor", which may be null. Throws Error.
  explicit PostProcessor(const nlohmann::json &settings);

  const std::vector<Part> &single() const { return one; }
  const std::vector<Part> &pair() const { return two; }

  /// White space at the ends of a token.
  struct Spaces {
    uint32_t leading, trailing;
  };
  /// Whether places do not include white space.
  bool trims() const { return !trimming.empty(); }
  /// Shortens a place so. `first`: of the first token of a text.
  void trim(uint32_t &begin, uint32_t &end, Spaces spaces, bool first) const;

private:
  std::vector<Part> one{{0, 0, {}}}, two{{0, 0, {}}, {1, 1, {}}};
  bool hasTemplate = false;
  /// Of each processor that trims: whether a space was put before the text.
  std::vector<bool> trimming;

  void read(const nlohmann::json &settings);
  void useTemplate(std::vector<Part> single, std::vector<Part> pair);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_POSTPROCESSOR_H

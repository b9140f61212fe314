// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the mask token by the two names that models give it, runs the text, and
// ranks the tokens at each mask.

#include "runtime/tasks/text/Filler.h"

#include "base/Error.h"
#include "runtime/tasks/text/Ranking.h"

namespace transfold::runtime::inline tasks {

Filler::Filler(Session &session) : call(session, "fill") {
  const Shape &shape = call.entry().results[0].shape;
  if (!isRowForEach(shape) || shape[0].length != 0 || shape[1].size < 1)
    fail("entry '{}' does not return a score for each place and token",
         call.entry().name);
  width = static_cast<size_t>(shape[1].size);
  for (const char *text : {"[MASK]", "<mask>"})
    if (auto id = call.tokens().findAdded(text)) {
      maskText = text;
      mask = *id;
      return;
    }
  fail("the tokenizer has no mask token, [MASK] or <mask>");
}

std::vector<Filling> Filler::fillingsOf(std::span<const float> logits,
                                        size_t top) const {
  std::vector<double> probabilities = softmax(logits);
  std::vector<Filling> fillings;
  for (size_t place : largest(probabilities, top)) {
    auto id = static_cast<int32_t>(place);
    fillings.push_back({id, call.tokens().decode(std::span(&id, 1), true),
                        probabilities[place]});
  }
  return fillings;
}

Filler::Filled Filler::run(std::string_view text, size_t top) {
  Filled result{call.run(text), {}};
  const std::vector<int32_t> &ids = result.encoding.ids;
  for (size_t place = 0; place < ids.size(); ++place)
    if (ids[place] == mask)
      result.masks.push_back(
          {place,
           fillingsOf(call.result(0).subspan(place * width, width), top)});
  if (result.masks.empty())
    fail("has no {} to fill", maskText);
  return result;
}

} // namespace transfold::runtime::inline tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects texts and runs them in one call, whose kernels then have enough
// rows.

#include "runtime/tasks/text/Embedder.h"

#include <utility>

namespace transfold::runtime::inline tasks {

void Embedder::add(Encoding encoding) {
  tokens += encoding.ids.size();
  encodings.push_back(std::move(encoding));
}

std::vector<Embedded> Embedder::embed() {
  std::vector<Embedded> embeddings;
  if (!encodings.empty())
    call.run(encodings);
  for (size_t i = 0; i < encodings.size(); ++i) {
    std::span<const float> vector = call.result(0, i);
    embeddings.push_back(
        {std::move(encodings[i]), {vector.begin(), vector.end()}});
  }
  encodings.clear();
  tokens = 0;
  return embeddings;
}

} // namespace transfold::runtime::inline tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tasks/EvalSteps.h"

#include "runtime/steps/Steps.h"

#include <algorithm>

namespace transfold::runtime {

bool hasSteps(const Metadata &metadata, const Entry &entry) {
  return metadata.staged(entry.name, Stage::Step).has_value();
}

void runBySteps(Session &session, Call &call, int64_t chunk) {
  size_t tokens = 0, request = call.entry().arguments.size();
  for (size_t i = 0; i < call.entry().arguments.size(); ++i)
    (call.entry().arguments[i].integer ? tokens : request) = i;
  int64_t longest = 1, mostRows = 0, width = 1;
  if (request < call.entry().arguments.size())
    for (const Axis &axis : call.entry().arguments[request].shape)
      width *= axis.length < 0 ? axis.size : 1;
  auto requestRows = [&](size_t sequence) {
    return static_cast<int64_t>(call.reals(request, sequence).size()) / width;
  };
  for (size_t k = 0; k < call.sequences(); ++k) {
    longest = std::max(longest,
                       static_cast<int64_t>(call.integers(tokens, k).size()));
    if (request < call.entry().arguments.size())
      mostRows = std::max(mostRows, requestRows(k));
  }

  Steps steps(session, call.entry().name, {longest, mostRows});
  for (size_t k = 0; k < call.sequences(); ++k) {
    size_t sequence = steps.add();
    if (steps.hasRequest())
      steps.begin(sequence, call.reals(request, k), requestRows(k));
  }
  std::vector<Steps::Chunk> chunks;
  for (int64_t begin = 0; begin < longest; begin += chunk) {
    chunks.clear();
    for (size_t k = 0; k < call.sequences(); ++k) {
      std::span<const int32_t> all = call.integers(tokens, k);
      auto rest = static_cast<int64_t>(all.size()) - begin;
      if (rest < 1)
        continue;
      int64_t count = std::min(rest, chunk);
      chunks.push_back(
          {k,
           all.subspan(static_cast<size_t>(begin), static_cast<size_t>(count)),
           count});
    }
    steps.run(chunks);
    for (size_t i = 0; i < chunks.size(); ++i)
      for (size_t k = 0; k < call.entry().results.size(); ++k) {
        const Axis &columns = call.entry().results[k].shape.back();
        auto before = static_cast<size_t>(begin * columns.size);
        std::ranges::copy(
            steps.result(k, i),
            call.room(k, chunks[i].sequence).subspan(before).begin());
      }
  }
}

} // namespace transfold::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds the tokens of all sequences to Steps chunk by chunk, and collects the
// rows of all results. Results are requested for every token here, unlike in
// generation.

#include "runtime/tasks/eval/EvalSteps.h"

#include "runtime/steps/Steps.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

bool hasSteps(const Metadata &metadata, const Entry &entry) {
  return metadata.staged(entry.name, Stage::Step).has_value();
}

void runBySteps(Session &session, Call &call, int64_t chunk) {
  const StepArguments own = stepArguments(call.entry());
  const size_t tokens = own.tokens;
  int64_t longest = 1, mostRows = 0;
  const bool hasRequest = !own.request.empty();
  const size_t request = hasRequest ? own.request.front() : 0;
  auto requestRows = [&](size_t sequence) {
    return static_cast<int64_t>(call.reals(request, sequence).size() /
                                elementsOfRow(call.entry().arguments[request]));
  };
  for (size_t k = 0; k < call.sequences(); ++k) {
    longest = std::max(longest,
                       static_cast<int64_t>(call.integers(tokens, k).size()));
    if (hasRequest)
      mostRows = std::max(mostRows, requestRows(k));
  }

  Steps steps(session, call.entry().name,
              {.positions = longest, .requestRows = mostRows, .hasRows = true});
  for (size_t k = 0; k < call.sequences(); ++k) {
    size_t sequence = steps.add();
    if (steps.hasRequest())
      steps.begin(sequence, call.reals(request, k), requestRows(k));
  }
  std::vector<Steps::Chunk> chunks;
  // A new Steps object numbers its sequences from 0, as the call does.
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
           count, &call, k});
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

} // namespace transfold::runtime::inline tasks

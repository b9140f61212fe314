// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of bits finds an entry whose results depend on the batch
// (FakeProgram.cpp, whose first entry is replaced).

#include "base/Error.h"
#include "runtime/commands/Commands.h"

#include <gtest/gtest.h>

#include <vector>

using namespace transfold;
using namespace transfold::runtime;

namespace {

/// encode(tokens[n], segments[n]) -> hidden[n, 4], all elements of a row the
/// token plus `added`.
int32_t encodePlus(const transfold_frame *frame, float added) {
  auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
  auto *hidden = static_cast<float *>(frame->results[0]);
  for (int64_t k = 0; k < 4 * frame->offsets[0][frame->sequences]; ++k)
    hidden[k] = static_cast<float>(tokens[k / 4]) + added;
  return 0;
}
int32_t encode(const transfold_frame *frame) { return encodePlus(frame, 0); }
int32_t encodeByBatch(const transfold_frame *frame) {
  return encodePlus(frame, frame->sequences > 1 ? 0x1p-20f : 0);
}

/// What is reported of a program with this entry; empty if nothing is.
std::string problemWith(int32_t (*first)(const transfold_frame *)) {
  const transfold_program &whole = transfold_program_data;
  std::vector<transfold_entry> entries(whole.entries,
                                       whole.entries + whole.entry_count);
  // The original's scratch memory limits groups to few sequences.
  entries[0] = {first, entries[1].arena_bytes};
  transfold_program data = whole;
  data.entries = entries.data();
  const LoadedProgram program(data, "");
  try {
    proveBits(program, {.requests = 6, .batches = 20, .longest = 64});
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(ProveBits, IsSilentAboutTheSameBits) {
  EXPECT_EQ(problemWith(encode), "");
}

TEST(ProveBits, FindsResultsThatDependOnTheBatch) {
  const std::string problem = problemWith(encodeByBatch);
  EXPECT_TRUE(
      problem.starts_with("encode: element 0 of 'last_hidden_state' is "))
      << problem;
  EXPECT_NE(problem.find("in a batch of "), std::string::npos) << problem;
}

} // namespace

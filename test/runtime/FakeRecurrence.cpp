// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hand-written program with a state: the sum of all tokens of a sequence, 0
// to 15. The likeliest next token is this sum modulo 16. A step fails after it
// has added the token 15, as a kernel does that runs out of memory.

#include "test/runtime/Fake.h"

#include <algorithm>

namespace {

constexpr int64_t vocabulary = 16;

/// decode.step(letters[n], wanted[n.wanted], first[]) -> logits[n.wanted, 16]
int32_t step(const transfold_frame *frame) {
  auto *letters = static_cast<const int32_t *>(frame->arguments[0]);
  auto *firsts = static_cast<const int32_t *>(frame->arguments[2]);
  auto *logits = static_cast<float *>(frame->results[0]);
  for (int64_t k = 0; k < frame->sequences; ++k) {
    const transfold_sequence &own = frame->caches[k];
    auto *sum = reinterpret_cast<int32_t *>(own.memory + own.places[0].begin);
    if (firsts[k] == 0)
      *sum = 0;
    for (int64_t i = frame->offsets[0][k]; i < frame->offsets[0][k + 1]; ++i) {
      *sum += letters[i];
      if (letters[i] == 15)
        return -1;
    }
    for (int64_t i = frame->offsets[1][k]; i < frame->offsets[1][k + 1]; ++i) {
      std::fill_n(logits + i * vocabulary, vocabulary, 0.0f);
      logits[i * vocabulary + *sum % vocabulary] = 1;
    }
  }
  return 0;
}

/// decode(letters[n]) -> logits[n, 16] runs in steps only.
int32_t decode(const transfold_frame *) { return -1; }

int64_t noScratch(int64_t, const int64_t *) { return 0; }

constexpr transfold_entry entries[] = {{decode, noScratch}, {step, noScratch}};

constexpr char metadata[] = R"({
  "model": "fake", "transfold": "0.1.0", "target": "any",
  "weights": {"bytes": 0, "hash": ""},
  "entries": [
    {"name": "decode", "lengths": ["n"],
     "arguments": [
       {"name": "letters", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "bound": 16}],
     "results": [{"name": "logits", "shape": ["n", 16]}]},
    {"name": "decode.step", "stage": "step", "stage_of": "decode",
     "lengths": ["n", "n.wanted", "n.seen"], "limits": {"n": 400},
     "arguments": [
       {"name": "letters", "kind": "integer", "shape": ["n"], "bound": 16},
       {"name": "wanted", "kind": "integer", "shape": ["n.wanted"],
        "wanted_of": "n"},
       {"name": "first", "kind": "integer", "shape": [], "first_of": "n"}],
     "results": [{"name": "logits", "shape": ["n.wanted", 16]}]}],
  "cache_lengths": ["n"],
  "caches": [
    {"name": "decode.0", "kind": "state", "members": 1, "row_numbers": 1, "row_bytes": 4}],
  "tasks": [{"kind": "generate", "entries": ["decode"], "options": {"stop": [7]}}]
})";

} // namespace

extern "C" const transfold_program transfold_program_data =
    transfold::test::fakeProgram(entries, metadata);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written programs that generate tokens: the next token can be computed by
// hand, and kernels do on demand what those of a good model never do. Tokens
// are the letters a to p, 0 to 15. After a letter the next one is the likeliest
// (2), then the one after that (1), then all others (0); but after
//
//   n   the letter a has NaN
//   o   no token has any probability
//   p   p itself is the likeliest, after a fifth of a second and a line "slow"
//
// The letter h ends the text, and there is room for 40 tokens.
//
// FAKE_TRANSLATOR: with an encoder that reads letters; every next letter is
// further on by their sum. FAKE_TRANSCRIBER: the encoder reads 3 × 5 reals.

#include "compiler/tokenizer/Compile.h"
#include "test/runtime/Fake.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#if defined(FAKE_TRANSLATOR) || defined(FAKE_TRANSCRIBER)
#define HAS_ENCODER 1
#else
#define HAS_ENCODER 0
#endif

namespace {

constexpr int64_t vocabulary = 16;

int64_t first(const transfold_frame *frame, int length, int64_t sequence) {
  return frame->offsets[length][sequence];
}
int64_t rows(const transfold_frame *frame, int length, int64_t sequence) {
  return first(frame, length, sequence + 1) - first(frame, length, sequence);
}

/// The cache rows of a sequence.
float *keptIn(const transfold_frame *frame, int64_t sequence, int cache) {
  const transfold_sequence &own = frame->caches[sequence];
  return reinterpret_cast<float *>(own.memory + own.places[cache].begin);
}

void writeLogits(int token, int64_t shift, float *logits) {
  std::fill(logits, logits + vocabulary, token == 14 ? -INFINITY : 0.0f);
  if (token == 14)
    return;
  if (token == 15) {
    std::fputs("slow\n", stderr);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  int64_t next = token == 15 ? 15 : token + 1 + shift;
  logits[next % vocabulary] = 2;
  logits[(next + 1) % vocabulary] = 1;
  if (token == 13)
    logits[0] = NAN;
}

#if HAS_ENCODER
constexpr int64_t width = 4; // of the encoder's result

/// Each row of the memory begins with `number`; its other elements are 0.
void writeMemory(float *memory, int64_t row, float number) {
  std::fill(memory + row * width, memory + (row + 1) * width, 0.0f);
  memory[row * width] = number;
}

#ifdef FAKE_TRANSLATOR
/// encode(letters[m]) -> memory[m, 4]
int32_t encode(const transfold_frame *frame) {
  auto *letters = static_cast<const int32_t *>(frame->arguments[0]);
  for (int64_t i = 0; i < first(frame, 0, frame->sequences); ++i)
    writeMemory(static_cast<float *>(frame->results[0]), i,
                static_cast<float>(letters[i]));
  return 0;
}
#else
/// encode(sound[3, 5]) -> memory[2, 4]: the sum of the first band and of others
int32_t encode(const transfold_frame *frame) {
  for (int64_t k = 0; k < frame->sequences; ++k) {
    auto *sound = static_cast<const float *>(frame->arguments[0]) + 15 * k;
    auto *memory = static_cast<float *>(frame->results[0]) + 2 * width * k;
    for (int64_t row = 0; row < 2; ++row) {
      float sum = 0;
      for (int64_t i = row ? 5 : 0; i < (row ? 15 : 5); ++i)
        sum += sound[i];
      writeMemory(memory, row, sum);
    }
  }
  return 0;
}
#endif

/// decode.begin(memory[m, 4]): stores it in the cache.
int32_t begin(const transfold_frame *frame) {
  auto *memory = static_cast<const float *>(frame->arguments[0]);
  for (int64_t k = 0; k < frame->sequences; ++k)
    std::copy_n(memory + first(frame, 0, k) * width, rows(frame, 0, k) * width,
                keptIn(frame, k, 0));
  return 0;
}
#endif

/// decode.step(letters[n], wanted[n.wanted], first[]) -> logits[n.wanted, 16]
int32_t step(const transfold_frame *frame) {
  auto *letters = static_cast<const int32_t *>(frame->arguments[0]);
  auto *wanted = static_cast<const int32_t *>(frame->arguments[1]);
  auto *firsts = static_cast<const int32_t *>(frame->arguments[2]);
  auto *logits = static_cast<float *>(frame->results[0]);
  for (int64_t k = 0; k < frame->sequences; ++k) {
    float *kept = keptIn(frame, k, HAS_ENCODER);
    for (int64_t i = 0; i < rows(frame, 0, k); ++i)
      kept[firsts[k] + i] = static_cast<float>(letters[first(frame, 0, k) + i]);
    double shift = 0;
#if HAS_ENCODER
    const float *memory = keptIn(frame, k, 0);
    for (int64_t i = 0; i < rows(frame, 3, k); ++i)
      shift += memory[i * width];
#endif
    for (int64_t i = first(frame, 1, k); i < first(frame, 1, k + 1); ++i)
      writeLogits(static_cast<int>(kept[firsts[k] + wanted[i]]),
                  static_cast<int64_t>(shift), logits + i * vocabulary);
  }
  return 0;
}

/// decode(letters[n], memory[m, 4]) -> logits[n, 16] runs in steps only.
int32_t decode(const transfold_frame *) { return -1; }

int64_t noScratch(int64_t, const int64_t *) { return 0; }

constexpr transfold_entry entries[] = {
#if HAS_ENCODER
    {encode, noScratch},
    {begin, noScratch},
#endif
    {decode, noScratch},
    {step, noScratch}};

#ifdef FAKE_TRANSLATOR
#define ENCODE                                                                 \
  R"({"name": "encode", "lengths": ["m"],
      "arguments": [{"name": "letters", "external": "input_ids",
                     "kind": "integer", "shape": ["m"], "bound": 16}],
      "results": [{"name": "memory", "shape": ["m", 4]}]},)"
#define TASK                                                                   \
  R"({"kind": "translate", "entries": ["encode", "decode"],
      "options": {"start": 0, "stop": [7]}})"
#elif defined(FAKE_TRANSCRIBER)
#define ENCODE                                                                 \
  R"({"name": "encode", "lengths": [],
      "arguments": [{"name": "sound", "external": "input_features",
                     "kind": "real", "shape": [3, 5]}],
      "results": [{"name": "memory", "shape": [2, 4]}]},)"
#define TASK                                                                   \
  R"({"kind": "transcribe", "entries": ["encode", "decode"],
      "options": {"stop": [7]}})"
#else
#define TASK                                                                   \
  R"({"kind": "generate", "entries": ["decode"],
      "options": {"stop": [7]}})"
#endif

#if HAS_ENCODER
#define BEGIN                                                                  \
  R"({"name": "decode.begin", "stage": "begin", "stage_of": "decode",
      "lengths": ["m"],
      "arguments": [{"name": "memory", "kind": "real", "shape": ["m", 4]}],
      "results": []},)"
#define MEMORY R"(, {"name": "memory", "kind": "real", "shape": ["m", 4]})"
#define MEMORY_LENGTH R"(, "m")"
#define STEP_LENGTHS R"(["n", "n.wanted", "n.seen", "m"])"
#define CACHE_LENGTHS R"(["m", "n"])"
#define MEMORY_CACHE                                                           \
  R"({"name": "decode.0", "length": "m", "members": 1, "row_numbers": 4, "row_bytes": 16},)"
#else
#define ENCODE
#define BEGIN
#define MEMORY
#define MEMORY_LENGTH
#define STEP_LENGTHS R"(["n", "n.wanted", "n.seen"])"
#define CACHE_LENGTHS R"(["n"])"
#define MEMORY_CACHE
#endif

constexpr char metadata[] = R"({
  "model": "fake", "transfold": "0.1.0", "target": "any",
  "weights": {"bytes": 0, "hash": ""},
  "entries": [)" ENCODE BEGIN R"(
    {"name": "decode", "lengths": ["n")" MEMORY_LENGTH R"(],
     "arguments": [
       {"name": "letters", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "bound": 16})" MEMORY R"(],
     "results": [{"name": "logits", "shape": ["n", 16]}]},
    {"name": "decode.step", "stage": "step", "stage_of": "decode",
     "lengths": )" STEP_LENGTHS R"(, "limits": {"n": 40},
     "arguments": [
       {"name": "letters", "kind": "integer", "shape": ["n"], "bound": 16},
       {"name": "wanted", "kind": "integer", "shape": ["n.wanted"],
        "wanted_of": "n"},
       {"name": "first", "kind": "integer", "shape": [], "first_of": "n"}],
     "results": [{"name": "logits", "shape": ["n.wanted", 16]}]}],
  "cache_lengths": )" CACHE_LENGTHS R"(,
  "caches": [)" MEMORY_CACHE R"(
    {"name": "decode.1", "length": "n", "members": 1, "row_numbers": 1, "row_bytes": 4}],
  "tasks": [)" TASK R"(]
})";

constexpr const char *tokenizerJson = R"({
  "added_tokens": [], "normalizer": null, "post_processor": null,
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,
                    "use_regex": false},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "merges": [],
    "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7,
              "i": 8, "j": 9, "k": 10, "l": 11, "m": 12, "n": 13, "o": 14,
              "p": 15, "q": 16}}
})";

} // namespace

/// The tables that the compiler makes.
static const std::string tokenizer = transfold::tokenizer::compileTokenizer(
    transfold::checkpoint::TokenizerJson{"tokenizer.json", tokenizerJson});

extern "C" const transfold_program transfold_program_data =
    transfold::test::fakeProgram(entries, metadata, tokenizer);

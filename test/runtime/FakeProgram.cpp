// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hand-written program like those of the compiler: the runtime's tests need
// neither a compiler nor a model. Its "kernels" are sums that can be checked by
// hand. With FAKE_WEIGHTS it needs a weights file of 64 bytes.

#include "compiler/tokenizer/Compile.h"
#include "test/runtime/Fake.h"

#include <algorithm>
#include <cmath>

extern "C" int halide_do_par_for(void *context,
                                 int (*task)(void *, int, uint8_t *), int first,
                                 int size, uint8_t *closure);

namespace {

constexpr int width = 4; // of hidden states and of the embedding

/// The number of rows of all sequences, and the first row of one sequence.
int64_t rows(const transfold_frame *frame, int length = 0) {
  return frame->offsets[length][frame->sequences];
}
int64_t first(const transfold_frame *frame, int64_t sequence, int length = 0) {
  return frame->offsets[length][sequence];
}

float bias(const transfold_frame *frame) {
  return frame->weights ? *reinterpret_cast<const float *>(frame->weights) : 0;
}

/// encode(tokens[n], segments[n] = 0) -> hidden[n, 4]:
/// hidden[i, j] = tokens[i] + 100 segments[i] + j / 10
int32_t encode(const transfold_frame *frame) {
  auto row = [](void *, int i, uint8_t *closure) {
    auto *frame = reinterpret_cast<const transfold_frame *>(closure);
    auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
    auto *segments = static_cast<const int32_t *>(frame->arguments[1]);
    auto *hidden = static_cast<float *>(frame->results[0]);
    for (int j = 0; j < width; ++j)
      hidden[i * width + j] = bias(frame) + static_cast<float>(tokens[i]) +
                              100.0f * static_cast<float>(segments[i]) +
                              static_cast<float>(j) / 10.0f;
    return tokens[i] == 13   ? -13 // a kernel that fails
           : tokens[i] == 14 ? TRANSFOLD_TOO_LARGE
                             : 0;
  };
  return halide_do_par_for(
      nullptr, row, 0, static_cast<int>(rows(frame)),
      reinterpret_cast<uint8_t *>(const_cast<transfold_frame *>(frame)));
}

/// sentence(tokens[n]) -> embedding[4]: the counts of tokens with the
/// remainders 0, 1, 2, 3 modulo 4, normalized.
int32_t sentence(const transfold_frame *frame) {
  auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
  for (int64_t sequence = 0; sequence < frame->sequences; ++sequence) {
    auto *embedding =
        static_cast<float *>(frame->results[0]) + width * sequence;
    std::fill(embedding, embedding + width, bias(frame));
    for (int64_t i = first(frame, sequence); i < first(frame, sequence + 1);
         ++i)
      embedding[tokens[i] % width] += 1;
    float sum = 0;
    for (int j = 0; j < width; ++j)
      sum += embedding[j] * embedding[j];
    for (int j = 0; j < width; ++j)
      embedding[j] /= std::sqrt(sum);
  }
  return 0;
}

/// decode(words[m], hidden[n, 4]) -> scores[m, 2]: the word, and the sum of
/// hidden.
int32_t decode(const transfold_frame *frame) {
  auto *words = static_cast<const int32_t *>(frame->arguments[0]);
  auto *hidden = static_cast<const float *>(frame->arguments[1]);
  auto *scores = static_cast<float *>(frame->results[0]);
  for (int64_t sequence = 0; sequence < frame->sequences; ++sequence) {
    float sum = 0;
    for (int64_t i = first(frame, sequence, 1) * width;
         i < first(frame, sequence + 1, 1) * width; ++i)
      sum += hidden[i];
    for (int64_t i = first(frame, sequence); i < first(frame, sequence + 1);
         ++i) {
      scores[2 * i] = static_cast<float>(words[i]);
      scores[2 * i + 1] = sum;
    }
  }
  return 0;
}

/// look(features[3, t]) -> seen[t, 3]. In memory both are [t, 3].
int32_t look(const transfold_frame *frame) {
  auto *features = static_cast<const float *>(frame->arguments[0]);
  auto *seen = static_cast<float *>(frame->results[0]);
  std::copy(features, features + 3 * rows(frame), seen);
  return 0;
}

/// classes(tokens[n]) -> logits[3]: the counts of tokens with the remainders 0,
/// 1, 2 modulo 3.
int32_t classes(const transfold_frame *frame) {
  auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
  for (int64_t sequence = 0; sequence < frame->sequences; ++sequence) {
    float *logits = static_cast<float *>(frame->results[0]) + 3 * sequence;
    std::fill(logits, logits + 3, 0.0f);
    for (int64_t i = first(frame, sequence); i < first(frame, sequence + 1);
         ++i)
      logits[tokens[i] % 3] += 1;
  }
  return 0;
}

/// guess(tokens[n]) -> logits[n, 11]: 2 for the token before, 1 for the one
/// after.
int32_t guess(const transfold_frame *frame) {
  auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
  auto *logits = static_cast<float *>(frame->results[0]);
  constexpr int vocabulary = 11;
  std::fill(logits, logits + rows(frame) * vocabulary, 0.0f);
  for (int64_t sequence = 0; sequence < frame->sequences; ++sequence) {
    int64_t begin = first(frame, sequence), end = first(frame, sequence + 1);
    for (int64_t i = begin; i < end; ++i) {
      if (i + 1 < end)
        logits[i * vocabulary + tokens[i + 1]] = 1;
      if (i > begin)
        logits[i * vocabulary + tokens[i - 1]] = 2;
    }
  }
  return 0;
}

/// tags(tokens[n]) -> logits[n, 3]: 1 for the remainder of the token modulo 3.
int32_t tags(const transfold_frame *frame) {
  auto *tokens = static_cast<const int32_t *>(frame->arguments[0]);
  auto *logits = static_cast<float *>(frame->results[0]);
  std::fill(logits, logits + 3 * rows(frame), 0.0f);
  for (int64_t i = 0; i < rows(frame); ++i)
    logits[3 * i + tokens[i] % 3] = 1;
  return 0;
}

int64_t noScratch(int64_t, const int64_t *) { return 0; }
/// So much scratch memory that few rows form a group
/// (runtime/program/call/Call.h).
int64_t scratchOfRows(int64_t, const int64_t *rows) { return *rows << 20; }

constexpr transfold_entry entries[] = {
    {encode, scratchOfRows}, {sentence, noScratch}, {decode, noScratch},
    {look, noScratch},       {classes, noScratch},  {guess, noScratch},
    {tags, noScratch}};

#ifdef FAKE_WEIGHTS
#define WEIGHTS R"({"bytes": 64, "hash": "0123456789abcdef"})"
#else
#define WEIGHTS R"({"bytes": 0, "hash": ""})"
#endif

constexpr char metadata[] = R"({
  "model": "fake", "transfold": "0.1.0", "target": "any",
  "weights": )" WEIGHTS R"(,
  "entries": [
    {"name": "encode", "lengths": ["n"], "limits": {"n": 8},
     "arguments": [
       {"name": "tokens", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "default": null, "bound": 20},
       {"name": "segments", "external": "token_type_ids", "kind": "integer",
        "shape": ["n"], "default": 0, "bound": 2}],
     "results": [{"name": "hidden", "external": "last_hidden_state",
                  "shape": ["n", 4]}]},
    {"name": "sentence", "lengths": ["n"], "limits": {"n": 8},
     "arguments": [
       {"name": "tokens", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "default": null, "bound": 20}],
     "results": [{"name": "embedding", "external": "embedding",
                  "shape": [4]}]},
    {"name": "decode", "lengths": ["m", "n"], "limits": {},
     "arguments": [
       {"name": "words", "external": "decoder_input_ids", "kind": "integer",
        "shape": ["m"], "default": null, "bound": 20},
       {"name": "hidden", "external": "encoder_last_hidden_state",
        "kind": "real", "shape": ["n", 4]}],
     "results": [{"name": "scores", "external": "logits",
                  "shape": ["m", 2]}]},
    {"name": "look", "lengths": ["t"],
     "arguments": [
       {"name": "features", "external": "input_features", "kind": "real",
        "shape": [3, "t"]}],
     "results": [{"name": "seen", "external": "seen", "shape": ["t", 3]}]},
    {"name": "classes", "lengths": ["n"], "limits": {"n": 8},
     "arguments": [
       {"name": "tokens", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "default": null, "bound": 20}],
     "results": [{"name": "logits", "external": "logits", "shape": [3]}]},
    {"name": "guess", "lengths": ["n"], "limits": {"n": 8},
     "arguments": [
       {"name": "tokens", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "default": null, "bound": 11}],
     "results": [{"name": "logits", "external": "logits",
                  "shape": ["n", 11]}]},
    {"name": "tags", "lengths": ["n"], "limits": {"n": 8},
     "arguments": [
       {"name": "tokens", "external": "input_ids", "kind": "integer",
        "shape": ["n"], "default": null, "bound": 20}],
     "results": [{"name": "logits", "external": "logits",
                  "shape": ["n", 3]}]}],
  "tasks": [{"kind": "embed", "entries": ["sentence"],
             "options": {"max_tokens": 6}},
            {"kind": "classify", "entries": ["classes"],
             "options": {"labels": {"0": "fizz", "1": "one"}}},
            {"kind": "tag", "entries": ["tags"],
             "options": {"labels": ["O", "B-X"]}},
            {"kind": "fill", "entries": ["guess"], "options": {}}],
  "kernels": [{"name": "rows", "schedule": "parallel over n"}],
  "sources": [["fake.xf", "model fake\n"]]
})";

constexpr const char *tokenizerJson = R"({
  "truncation": {"max_length": 3}, "padding": {"strategy": {"Fixed": 128}},
  "added_tokens": [
    {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false,
     "rstrip": false, "normalized": false, "special": true},
    {"id": 10, "content": "[MASK]", "single_word": false, "lstrip": false,
     "rstrip": false, "normalized": false, "special": true}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true,
    "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                       "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
  "model": {"type": "WordPiece", "unk_token": "[UNK]",
    "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "b": 5,
              "c": 6, "d": 7, "##d": 8, "the": 9, "[MASK]": 10, "far": 25}}
})";

} // namespace

/// The tables that the compiler makes.
static const std::string tokenizer = transfold::tokenizer::compileTokenizer(
    transfold::checkpoint::TokenizerJson{"tokenizer.json", tokenizerJson});

extern "C" const transfold_program transfold_program_data =
    transfold::test::fakeProgram(entries, metadata, tokenizer);

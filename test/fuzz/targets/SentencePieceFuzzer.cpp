// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a text and a SentencePiece model: the model is read and compiled, and
// its tables are used. A digit at the beginning of the text selects the ids of
// the pieces: their own, shifted ones, or those of a vocabulary.

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/tokenizer/Compile.h"
#include "test/fuzz/targets/UseTokenizer.h"

using namespace transfold;

static void giveNumbers(checkpoint::SentencePieceTokenizer &source,
                        char choice) {
  source.unknown = static_cast<int32_t>(source.model.unknown);
  source.offset = choice == '1' ? 3 : 0;
  if (choice != '2')
    return;
  // Half of them are in the vocabulary, in another order.
  size_t size = source.model.pieces.size();
  for (size_t i = 0; i < size; i += 2)
    source.numbers.emplace(source.model.pieces[size - 1 - i].text,
                           static_cast<int32_t>(i));
  source.added = {{.text = source.model.pieces[0].text, .id = 1}};
  source.leading = {{.text = ">>x<<", .id = 2}};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [text, file] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  std::string tables;
  try {
    checkpoint::SentencePieceTokenizer source;
    source.model = checkpoint::SentencePieceModel::read(file, "spiece.model");
    giveNumbers(source, text.empty() ? '0' : text[0]);
    tables = tokenizer::compileTokenizer(source);
  } catch (const checkpoint::CheckpointError &) {
    return 0;
  } catch (const tokenizer::TokenizerError &) {
    return 0;
  }
  fuzz::useTokenizer(tables, text); // what is compiled can be opened
  return 0;
}

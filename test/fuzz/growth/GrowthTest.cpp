// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's readers of files: their work grows in proportion to their
// input, not to its square.

#include "test/fuzz/growth/Growth.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/ctranslate2/Ct2File.h"
#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"
#include "compiler/checkpoint/gguf/GgufFile.h"
#include "compiler/checkpoint/huggingface/Safetensors.h"
#include "compiler/checkpoint/sentencepiece/SentencePieceModel.h"
#include "test/unit/checkpoint/Ct2Bytes.h"

using namespace transfold;
using namespace transfold::fuzz;

namespace {

/// Checks the counters, with which quadratic work is detected.
TEST(Growth, WorkIsCounted) {
  const std::string text(1000, 'x');
  const Work work = workOf([&] {
    volatile int same = 0;
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == text[i / 2])
        same = same + 1;
    volatile bool isThere = text.find('y') != text.npos;
    (void)isThere;
    (void)std::vector<char>(text.begin(), text.end());
  });
  EXPECT_GE(work.comparisons, text.size());
  EXPECT_GE(work.bytes, text.size());
  EXPECT_GE(work.memory, text.size());
}

TEST(Growth, Json) {
  const Read read = [](const std::string &text) {
    (void)checkpoint::parseJson(text, "x.json");
  };
  for (const char *item : {"{}", "[]", "1", R"("text")", R"({"a": [1, {}]})"})
    expectLinearText(item, 2000, repeated("[", always(item), "]"), read);
  auto key = [](int i) { return numbered(R"("key {}": {{}})", i); };
  expectLinearText("keys", 2000, repeated("{", key, "}"), read);
  expectLinearText("a long text", 20000, repeated("\"", always("a"), "\"", ""),
                   read);
}

TEST(Growth, Safetensors) {
  auto header = repeated(
      "{",
      [](int i) {
        return fmt::format(R"("layer.{}": {{"dtype": "U8", "shape": [1], )"
                           R"("data_offsets": [{}, {}]}})",
                           i, i, i + 1);
      },
      "}");
  expectLinearFile(
      "tensors", 1000,
      [&](int parts) {
        const std::string text = header(parts);
        return test::bytesOf<uint64_t>(text.size()) + text +
               std::string(static_cast<size_t>(parts), 'x');
      },
      [](const std::string &path) {
        auto file = checkpoint::MappedFile::open(path);
        (void)checkpoint::readSafetensors(*file);
      });
}

test::GgufBytes gguf() {
  test::GgufBytes file;
  file.pairs = {test::ggufPair("general.architecture", "llama")};
  return file;
}

TEST(Growth, Gguf) {
  const Read read = [](const std::string &path) {
    auto file = checkpoint::GgufFile::open(path);
    for (const auto &[key, value] : file.metadata)
      if (const auto *list = std::get_if<checkpoint::GgufArray>(&value))
        list->forEach([](const checkpoint::GgufScalar &) {});
  };
  auto keys = [](int parts) {
    test::GgufBytes file = gguf();
    for (int i = 0; i < parts; ++i)
      file.pairs.push_back(test::ggufPair(numbered("key.{}", i), "value"));
    return file.str();
  };
  auto tensors = [](int parts) {
    test::GgufBytes file = gguf();
    for (int i = 0; i < parts; ++i)
      file.tensors.push_back({numbered("blk.{}", i), {8}, 0, 32UL * i});
    file.data.resize(32UL * parts);
    return file.str();
  };
  auto list = [](int parts) {
    test::GgufBytes file = gguf();
    std::string texts = test::bytesOf<uint32_t>(8) +
                        test::bytesOf(static_cast<uint64_t>(parts));
    for (int i = 0; i < parts; ++i)
      texts += test::ggufText(numbered("token {}", i));
    file.pairs.push_back(test::ggufPair("tokenizer.ggml.tokens", 9, texts));
    return file.str();
  };
  expectLinearFile("keys", 1000, keys, read);
  expectLinearFile("tensors", 1000, tensors, read);
  expectLinearFile("a list", 2000, list, read);
}

/// A chain of aliases to a variable, or a circle of them. Their names have the
/// order of the chain, so that the first one to be resolved leads through all.
std::string ct2Chain(int length, bool isCircle) {
  test::Ct2Bytes file;
  file.variables = {{"a", {1}, 1, "x"}};
  auto name = [](int k) { return numbered("c{:07}", k); };
  for (int k = 0; k < length; ++k)
    file.aliases.emplace_back(name(k), k + 1 < length ? name(k + 1)
                                       : isCircle     ? name(0)
                                                      : "a");
  return file.str();
}

TEST(Growth, Ct2) {
  const Read read = [](const std::string &path) {
    (void)test::messageOf([&] { (void)checkpoint::Ct2File::open(path); });
  };
  auto variables = [](int parts) {
    test::Ct2Bytes file;
    for (int i = 0; i < parts; ++i)
      file.variables.push_back({numbered("v{}", i), {1}, 1, "x"});
    return file.str();
  };
  expectLinearFile("variables", 1000, variables, read);
  for (bool isCircle : {false, true})
    expectLinearFile(
        isCircle ? "a circle" : "a chain", 1000,
        [=](int parts) { return ct2Chain(parts, isCircle); }, read);
  expectLinearText("a vocabulary", 2000,
                   repeated("", always("a word"), "", "\n"),
                   [](const std::string &text) {
                     (void)checkpoint::linesOfVocabulary(text, "v.txt");
                   });
}

/// A string field of ModelProto or SentencePiece.
std::string protoText(int field, const std::string &text) {
  return std::string{static_cast<char>(field << 3 | 2),
                     static_cast<char>(text.size())} +
         text;
}

TEST(Growth, SentencePiece) {
  auto piece = [](int i) {
    std::string type = i ? "" : "\x18\x02"; // the unknown piece
    return protoText(1, protoText(1, numbered("piece {}", i)) + type);
  };
  expectLinearText("pieces", 1000, repeated("", piece, "", ""),
                   [](const std::string &bytes) {
                     (void)checkpoint::SentencePieceModel::read(bytes, "x");
                   });
}

} // namespace

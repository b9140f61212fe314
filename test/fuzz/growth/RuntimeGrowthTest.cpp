// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for a program's inputs: requests, arrays, recordings, its weights
// and its metadata.

#include "base/files/arrays/Npy.h"
#include "base/text/JsonText.h"
#include "runtime/audio/Wav.h"
#include "runtime/program/metadata/Metadata.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/weights/Checksums.h"
#include "runtime/weights/WeightsFile.h"
#include "runtime/weights/WeightsFormat.h"
#include "test/fuzz/growth/Growth.h"
#include "test/unit/TemporaryDirectory.h"
#include "test/unit/checkpoint/GgufBytes.h"

#include <fmt/format.h>

#include <cstring>

using namespace transfold;
using namespace transfold::fuzz;

namespace {

TEST(RuntimeGrowth, Json) {
  const Read read = [](const std::string &text) {
    (void)parseJsonText(text, {.depth = 1 << 20});
  };
  for (const char *item :
       {"{}", "[]", "1", R"("text")", R"({"role": "user", "content": "x"})"})
    expectLinearText(item, 2000, repeated("[", always(item), "]"), read);
  auto key = [](int i) { return fmt::format(R"("{}": {{}})", i); };
  expectLinearText("names", 2000, repeated("{", key, "}"), read);
  expectLinearText(
      "depth", 2000,
      [](int parts) {
        return std::string(parts, '[') + std::string(parts, ']');
      },
      read);
}

TEST(RuntimeGrowth, Requests) {
  expectLinearText("messages", 500,
                   repeated(R"({"model": "m", "messages": [)",
                            always(R"({"role": "user", "content": "x"})"),
                            "]}"),
                   [](const std::string &body) {
                     (void)runtime::serve::readChatRequest(body);
                   });
  expectLinearText(
      "inputs", 500,
      repeated(R"({"model": "m", "input": [)", always(R"("x")"), "]}"),
      [](const std::string &body) {
        (void)runtime::serve::readEmbeddingRequest(body);
      });
}

/// An array whose header has so many blanks, and as many elements.
std::string npyOf(int parts) {
  std::string header = fmt::format(
      "{{'descr': '|u1', 'fortran_order': False, {}'shape': ({},)}}",
      std::string(parts, ' '), parts);
  return std::string("\x93NUMPY\x02\x00", 8) +
         test::bytesOf(static_cast<uint32_t>(header.size())) + header +
         std::string(parts, 'x');
}

TEST(RuntimeGrowth, Npy) {
  const test::TemporaryDirectory directory;
  expectLinearText(
      "an array", 2000,
      [&](int parts) {
        return directory.write(std::to_string(parts), npyOf(parts));
      },
      [](const std::string &path) {
        const NpyArray array(path);
        for (int64_t i = 0; i < array.elements(); ++i)
          (void)array.real(i);
      });
}

constexpr const char *hashOfWeights = "0123456789abcdef";

/// A file of weights with blocks of checksums.
std::string weightsOf(const std::string &payload) {
  transfold_weights_header header{};
  std::memcpy(header.magic, TRANSFOLD_WEIGHTS_MAGIC, sizeof header.magic);
  header.version = TRANSFOLD_WEIGHTS_VERSION;
  header.payload_bytes = payload.size();
  std::memcpy(header.hash, hashOfWeights, sizeof header.hash);
  std::string file = test::bytesOf(header);
  file.resize(TRANSFOLD_WEIGHTS_PAYLOAD);
  runtime::BlockChecksums sums(TRANSFOLD_WEIGHTS_BLOCK);
  sums.add({reinterpret_cast<const uint8_t *>(payload.data()), payload.size()});
  file +=
      payload + std::string(runtime::paddingOfWeights(payload.size()), '\0');
  for (uint64_t sum : sums.finish())
    file += test::bytesOf(sum);
  return file;
}

TEST(RuntimeGrowth, Weights) {
  const test::TemporaryDirectory directory;
  auto sizeOf = [](int parts) {
    return static_cast<size_t>(parts) * TRANSFOLD_WEIGHTS_BLOCK;
  };
  expectLinear<int>(
      "weights", 4,
      [&](int parts) {
        directory.write(std::to_string(parts),
                        weightsOf(std::string(sizeOf(parts), 'x')));
        return parts;
      },
      [&](int parts) {
        const runtime::WeightsFile weights(
            directory.path(std::to_string(parts)), sizeOf(parts),
            hashOfWeights);
        weights.check();
      });
}

TEST(RuntimeGrowth, Metadata) {
  auto result = [](int i) {
    return fmt::format(R"({{"name": "r{}", "shape": ["n", 8]}})", i);
  };
  auto argument = [](int i) {
    return fmt::format(
        R"({{"name": "a{}", "kind": "real", "shape": ["n", 8]}})", i);
  };
  auto entry = [&](int i) {
    return fmt::format(R"({{"name": "e{}", "lengths": ["n"],
      "arguments": [{}], "results": [{}]}})",
                       i, argument(0), result(0));
  };
  auto of = [](const std::string &entries) {
    return R"({"model": "m", "weights": {"bytes": 0}, "tasks": [],
              "entries": [)" +
           entries + "]}";
  };
  auto one = [&](const Text &arguments, const Text &results) {
    return [=](int parts) {
      return of(fmt::format(R"({{"name": "e", "lengths": ["n"],
        "arguments": [{}], "results": [{}]}})",
                            arguments(parts), results(parts)));
    };
  };
  const Read read = [](const std::string &text) {
    (void)runtime::Metadata::parse(text);
  };
  auto few = [](const Text &item) { return [=](int) { return item(0); }; };
  expectLinearText("arguments", 200,
                   one(repeated("", argument, ""), few(result)), read);
  expectLinearText("results", 200, one(few(argument), repeated("", result, "")),
                   read);
  expectLinearText(
      "entries", 200,
      [&](int parts) { return of(repeated("", entry, "")(parts)); }, read);
}

TEST(RuntimeGrowth, Wav) {
  auto make = [](int parts) {
    std::string chunks;
    for (int i = 0; i < parts; ++i)
      chunks += "junk" + test::bytesOf(uint32_t{0});
    std::string format =
        test::bytesOf(uint16_t{1}) + test::bytesOf(uint16_t{1}) +
        test::bytesOf(uint32_t{16000}) + test::bytesOf(uint32_t{32000}) +
        test::bytesOf(uint16_t{2}) + test::bytesOf(uint16_t{16});
    std::string body = "WAVEfmt " + test::bytesOf(uint32_t{16}) + format +
                       chunks + "data" +
                       test::bytesOf(static_cast<uint32_t>(2 * parts)) +
                       std::string(2UL * parts, 'x');
    return "RIFF" + test::bytesOf(static_cast<uint32_t>(body.size())) + body;
  };
  expectLinearText(
      "chunks and samples", 1000, make, [](const std::string &all) {
        const runtime::WavFile file(
            {reinterpret_cast<const uint8_t *>(all.data()), all.size()},
            "x.wav");
        std::vector<float> samples(256);
        for (int64_t first = 0; first < file.samples(); first += 256)
          file.read(first, samples);
      });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WAV files of all supported kinds, and of unsupported ones.

#include "runtime/audio/Wav.h"
#include "base/Error.h"
#include "runtime/audio/FileKinds.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

using namespace transfold;
using namespace transfold::runtime;

namespace {

using Bytes = std::vector<uint8_t>;

template <typename Number>
  requires std::is_arithmetic_v<Number>
void add(Bytes &bytes, Number number) {
  auto raw = std::bit_cast<std::array<uint8_t, sizeof number>>(number);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
void add(Bytes &bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

/// The fields of a file's header; usual values by default.
struct Header {
  std::string container = "RIFF";
  uint16_t code = 1, channels = 1, bits = 16;
  uint32_t rate = 16000;
  std::optional<uint32_t> riffSize = {}, dataSize = {};
  Bytes before = {}; // chunks before the samples
};

Bytes file(const Header &header, const Bytes &samples) {
  const auto block =
      static_cast<uint16_t>(header.channels * ((header.bits + 7) / 8));
  Bytes bytes;
  add(bytes, header.container);
  add(bytes,
      header.riffSize.value_or(static_cast<uint32_t>(36 + samples.size())));
  add(bytes, "WAVEfmt ");
  add(bytes, uint32_t{16});
  add(bytes, header.code);
  add(bytes, header.channels);
  add(bytes, header.rate);
  add(bytes, header.rate * block);
  add(bytes, block);
  add(bytes, header.bits);
  bytes.insert(bytes.end(), header.before.begin(), header.before.end());
  add(bytes, "data");
  add(bytes, header.dataSize.value_or(static_cast<uint32_t>(samples.size())));
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

std::vector<float> samplesOf(const Bytes &bytes) {
  WavFile wav(bytes, "a.wav");
  std::vector<float> samples(static_cast<size_t>(wav.samples()));
  wav.read(0, samples);
  return samples;
}

template <typename... Numbers> Bytes bytesOf(Numbers... numbers) {
  Bytes bytes;
  (add(bytes, numbers), ...);
  return bytes;
}

std::string messageOf(const Bytes &bytes) {
  try {
    samplesOf(bytes);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}
bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != text.npos;
}

using Floats = std::vector<float>;

TEST(WavTest, Integers) {
  EXPECT_EQ(samplesOf(file({.bits = 8}, {0, 128, 192})), (Floats{-1, 0, 0.5f}));
  EXPECT_EQ(samplesOf(file({.bits = 16}, bytesOf(int16_t{-32768}, int16_t{0},
                                                 int16_t{8192}))),
            (Floats{-1, 0, 0.25f}));
  EXPECT_EQ(samplesOf(file({.bits = 24}, {0, 0, 0x80, 0, 0, 0x40})),
            (Floats{-1, 0.5f}));
  EXPECT_EQ(samplesOf(file({.bits = 32}, bytesOf(INT32_MIN, int32_t{1} << 28))),
            (Floats{-1, 0.125f}));
}

TEST(WavTest, BitsThatFillNoBytesLieAbove) {
  EXPECT_EQ(samplesOf(file({.bits = 12}, bytesOf(int16_t{0x4000}))),
            (Floats{0.5f}));
}

TEST(WavTest, Floats) {
  EXPECT_EQ(samplesOf(file({.code = 3, .bits = 32}, bytesOf(0.25f, -3.0f))),
            (Floats{0.25f, -1}));
  EXPECT_EQ(samplesOf(file({.code = 3, .bits = 64}, bytesOf(-0.5, 1e300))),
            (Floats{-0.5f, 1}));
  EXPECT_TRUE(contains(
      messageOf(file({.code = 3, .bits = 32},
                     bytesOf(0.0f, std::numeric_limits<float>::quiet_NaN()))),
      "a.wav: sample 1 is not a number"));
}

TEST(WavTest, ChannelsAreAveraged) {
  EXPECT_EQ(samplesOf(file({.channels = 2},
                           bytesOf(int16_t{16384}, int16_t{0}, int16_t{-16384},
                                   int16_t{-16384}))),
            (Floats{0.25f, -0.5f}));
}

TEST(WavTest, ZerosLieBeyondTheEnds) {
  Bytes bytes = file({}, bytesOf(int16_t{16384}, int16_t{-16384}));
  WavFile wav(bytes, "a.wav");
  std::vector<float> samples(5, 7);
  wav.read(-1, samples);
  EXPECT_EQ(samples, (Floats{0, 0.5f, -0.5f, 0, 0}));
  wav.read(100, samples);
  EXPECT_EQ(samples, Floats(5, 0));
  wav.read(-100, samples);
  EXPECT_EQ(samples, Floats(5, 0));
}

TEST(WavTest, ChunksBeforeTheSamplesAreSkipped) {
  Header header;
  add(header.before, "LIST");
  add(header.before, uint32_t{3}); // odd size: one byte of padding
  add(header.before, std::string_view("abc\0", 4));
  EXPECT_EQ(samplesOf(file(header, bytesOf(int16_t{16384}))), Floats{0.5f});
}

TEST(WavTest, ExtensibleFormats) {
  Bytes guid = {1,    0, 0, 0,    0, 0,    0x10, 0,
                0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
  auto made = [&](const Bytes &ending) {
    Bytes bytes = bytesOf(uint32_t{0});
    bytes.clear();
    add(bytes, "RIFF");
    add(bytes, uint32_t{62});
    add(bytes, "WAVEfmt ");
    add(bytes, uint32_t{40});
    add(bytes, uint16_t{0xfffe});
    add(bytes, uint16_t{1});
    add(bytes, uint32_t{48000});
    add(bytes, uint32_t{96000});
    add(bytes, uint16_t{2});
    add(bytes, uint16_t{16});
    add(bytes, uint16_t{22});
    add(bytes, uint16_t{16});
    add(bytes, uint32_t{4});
    bytes.insert(bytes.end(), ending.begin(), ending.end());
    add(bytes, "data");
    add(bytes, uint32_t{2});
    add(bytes, int16_t{16384});
    return bytes;
  };
  EXPECT_EQ(samplesOf(made(guid)), Floats{0.5f});
  guid[0] = 2;
  EXPECT_TRUE(contains(messageOf(made(guid)), "encoded as ADPCM"));
  guid[15] = 0;
  EXPECT_TRUE(contains(messageOf(made(guid)), "encoding 0xfffe"));
}

TEST(WavTest, StreamsDoNotKnowTheirSize) {
  Bytes samples = bytesOf(int16_t{16384}, int16_t{-16384});
  for (uint32_t size : {UINT32_MAX, 0x7ffff000u})
    EXPECT_EQ(
        samplesOf(file({.riffSize = UINT32_MAX, .dataSize = size}, samples)),
        (Floats{0.5f, -0.5f}));
  EXPECT_EQ(samplesOf(file({.riffSize = 0, .dataSize = 0}, samples)),
            (Floats{0.5f, -0.5f}));
  EXPECT_EQ(samplesOf(file({.riffSize = 36, .dataSize = 0}, {})), Floats{});
}

TEST(WavTest, LongFilesSayTheirSizeElsewhere) {
  Header header{
      .container = "RF64", .riffSize = UINT32_MAX, .dataSize = UINT32_MAX};
  add(header.before, "ds64");
  add(header.before, uint32_t{28});
  add(header.before, uint64_t{0});
  add(header.before, uint64_t{2}); // number of samples
  add(header.before, uint64_t{1});
  add(header.before, uint32_t{0});
  EXPECT_EQ(samplesOf(file(header, bytesOf(int16_t{16384}, int16_t{1}))),
            Floats{0.5f})
      << "what follows is no sample";
}

TEST(WavTest, WhatIsNotReadSaysHowToMakeItSo) {
  const char *command = "ffmpeg -i a.wav -ar 16000 -ac 1 a-pcm.wav";
  struct {
    uint16_t code;
    const char *name;
  } codes[] = {{2, "ADPCM"},
               {6, "A-law"},
               {7, "mu-law"},
               {0x55, "MPEG audio"},
               {0x1234, "encoding 0x1234"}};
  for (auto [code, name] : codes) {
    std::string message = messageOf(file({.code = code}, {0, 0}));
    EXPECT_TRUE(contains(message, name) && contains(message, command))
        << message;
  }
  EXPECT_TRUE(
      contains(messageOf({'I', 'D', '3', 4, 0, 0}),
               "a.wav: is an MP3 file; only WAV files are supported: ffmpeg"));
  EXPECT_TRUE(contains(messageOf({}), "is empty"));
  EXPECT_TRUE(contains(messageOf({'h', 'e', 'l', 'l', 'o'}),
                       "not a known kind of recording"));
}

TEST(WavTest, HeadersThatContradictThemselves) {
  EXPECT_TRUE(contains(messageOf(file({.channels = 0}, {})), "0 channels"));
  EXPECT_TRUE(contains(messageOf(file({.bits = 0}, {})), "of 0 bits"));
  EXPECT_TRUE(contains(messageOf(file({.bits = 40}, {})), "of 40 bits"));
  EXPECT_TRUE(
      contains(messageOf(file({.code = 3, .bits = 16}, {})), "of 16 bits"));
  EXPECT_TRUE(contains(messageOf(file({.rate = 0}, {})), "0 samples a second"));
  EXPECT_TRUE(contains(messageOf(file({.rate = 2000000}, {})),
                       "2000000 samples a second"));
}

Bytes beginningOf(const Bytes &whole, size_t size) {
  return {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// The warning about a file; "" if there is none.
std::string warningOf(const Bytes &bytes) {
  WavFile wav(bytes, "a.wav");
  std::string all;
  for (const std::string &warning : wav.warnings())
    all += warning + "\n";
  return all;
}

TEST(WavTest, EveryBeginningOfAFileIsRefusedOrReadWithAWarning) {
  Bytes whole = file({}, bytesOf(int16_t{16384}, int16_t{1}));
  EXPECT_EQ(warningOf(whole), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    Bytes beginning = beginningOf(whole, size);
    if (size < 46) {
      EXPECT_NE(messageOf(beginning), "") << size;
      continue;
    }
    EXPECT_EQ(samplesOf(beginning), Floats{0.5f}) << size;
    EXPECT_EQ(
        warningOf(beginning),
        fmt::format("a.wav: is cut off: it should have 4 bytes after "
                    "byte 44, and has {}; the samples that exist are read\n",
                    size - 44));
  }
}

/// Programs write the header before the samples, and some never correct it.
TEST(WavTest, HeadersThatWereNeverCorrected) {
  Bytes samples = bytesOf(int16_t{16384}, int16_t{-16384});
  Header empty{
      .container = "RF64", .riffSize = UINT32_MAX, .dataSize = UINT32_MAX};
  add(empty.before, "ds64");
  add(empty.before, uint32_t{28});
  empty.before.resize(empty.before.size() + 28, 0);
  Header zeroInBoth = empty;
  zeroInBoth.dataSize = 0;
  for (const Header &header :
       {Header{.riffSize = 0, .dataSize = 0},
        Header{.riffSize = 36, .dataSize = 0},
        Header{.riffSize = 4, .dataSize = 0},
        Header{.riffSize = UINT32_MAX, .dataSize = 0}, empty, zeroInBoth}) {
    EXPECT_EQ(samplesOf(file(header, samples)), (Floats{0.5f, -0.5f}));
    EXPECT_TRUE(contains(warningOf(file(header, samples)),
                         "a.wav: its header says that it has no samples"));
    EXPECT_EQ(warningOf(file(header, {})), "") << "there are none";
  }
}

/// A chunk of samples may be empty, and others may follow.
TEST(WavTest, NoSamplesBeforeOtherChunks) {
  Bytes list;
  add(list, "LIST");
  add(list, uint32_t{4});
  add(list, "INFO");
  Header header{.riffSize = 48, .dataSize = 0};
  EXPECT_EQ(samplesOf(file(header, list)), Floats{});
  EXPECT_EQ(warningOf(file(header, list)), "");
  Bytes samples = bytesOf(int16_t{16384});
  samples.insert(samples.end(), list.begin(), list.end());
  EXPECT_EQ(samplesOf(file({.dataSize = 2}, samples)), Floats{0.5f});
  EXPECT_EQ(warningOf(file({.dataSize = 2}, samples)), "");
}

TEST(WavTest, BytesThatAreNoSampleAreNamed) {
  EXPECT_TRUE(contains(warningOf(file({.channels = 2}, {1, 2, 3, 4, 5})),
                       "its last 1 bytes are ignored"));
}

TEST(WavTest, OddChunksWithAndWithoutTheirByte) {
  for (bool isPadded : {true, false}) {
    Header header;
    add(header.before, "LIST");
    add(header.before, uint32_t{3});
    add(header.before, "abc");
    if (isPadded)
      header.before.push_back(0);
    EXPECT_EQ(samplesOf(file(header, bytesOf(int16_t{16384}))), Floats{0.5f})
        << isPadded;
  }
}

TEST(FileKindsTest, TheCommandTakesAnyName) {
  EXPECT_EQ(commandToConvert("a/It's $1.mp3"),
            "ffmpeg -i 'a/It'\\''s $1.mp3' -ar 16000 -ac 1 'It'\\''s $1.wav'");
}

TEST(FileKindsTest, TheFirstBytesTell) {
  auto kind = [](std::string_view bytes) {
    return kindOfRecording(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  };
  EXPECT_EQ(kind("fLaC...."), "a FLAC file");
  EXPECT_EQ(kind("OggS...."), "an Ogg file (Vorbis or Opus)");
  EXPECT_EQ(kind(std::string_view("\0\0\0 ftypM4A ", 12)),
            "an MP4 file (such as .m4a)");
  EXPECT_EQ(kind("\xff\xfb\x90\x64"), "an MP3 file");
  EXPECT_EQ(kind("\xff\xf1\x50\x80"), "an AAC file");
  EXPECT_EQ(kind("\xff\xff\xff\xff"), "");
  EXPECT_EQ(kind("RIFF"), "");
}

} // namespace

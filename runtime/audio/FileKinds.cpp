// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the first bytes of a file with the signatures of the formats in
// which recordings are usually kept. The kinds only serve messages: a user who
// gives an MP3 file learns what it is, and which command converts it.

#include "runtime/audio/FileKinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace transfold::runtime::inline audio {

namespace {

/// A format that is recognized by constant bytes near the beginning of the
/// file.
struct Kind {
  size_t place; // offset of the characteristic bytes
  std::string_view magic;
  std::string_view what;
};

using namespace std::string_view_literals;

constexpr Kind kinds[] = {
    {0, "ID3"sv, "an MP3 file"},
    {0, "fLaC"sv, "a FLAC file"},
    {0, "OggS"sv, "an Ogg file (Vorbis or Opus)"},
    // The first four bytes of an MP4 file are the size of its first box.
    {4, "ftyp"sv, "an MP4 file (such as .m4a)"},
    {0, "\x1a\x45\xdf\xa3"sv, "a Matroska or WebM file"},
    {0, "FORM"sv, "an AIFF file"},
    {0, "caff"sv, "a Core Audio file"},
    {0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"sv, "a Windows Media file"},
    {0, "#!AMR"sv, "an AMR file"},
    {0, ".snd"sv, "an AU file"},
    {0, "RIFX"sv, "a WAV file of a big-endian machine"},
    {0, "riff\x2e\x91\xcf\x11"sv, "a Wave64 file"},
    // AVI is a RIFF file like WAV; its type follows at byte 8.
    {8, "AVI "sv, "an AVI file"},
};

/// Frames of MPEG audio begin with eleven one bits, followed by version and
/// layer, each with one reserved value. ADTS, the container of AAC, has twelve
/// one bits and layer 0.
/// Only called after all other signatures: two bytes are weak evidence.
std::string_view kindOfFrames(std::span<const uint8_t> bytes) {
  if (bytes.size() < 4 || bytes[0] != 0xff)
    return "";
  if ((bytes[1] & 0xf6) == 0xf0)
    return "an AAC file";
  bool isMpeg = (bytes[1] & 0xe0) == 0xe0 && (bytes[1] & 0x18) != 0x08 &&
                (bytes[1] & 0x06) != 0 && (bytes[2] & 0xf0) != 0xf0;
  return isMpeg ? "an MP3 file" : "";
}

/// Quotes a text as one word of a shell.
std::string shellWord(const std::string &word) {
  auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '_' ||
           c == '-' || (c & 0x80);
  };
  if (std::ranges::all_of(word, isPlain))
    return word;
  // Within single quotes only the quote itself is special; '\'' ends the text,
  // adds a quote, and begins it again.
  std::string result = "'";
  for (char c : word)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

} // namespace

std::string kindOfRecording(std::span<const uint8_t> bytes) {
  for (const Kind &kind : kinds)
    if (bytes.size() >= kind.place + kind.magic.size() &&
        std::ranges::equal(
            bytes.subspan(kind.place, kind.magic.size()), kind.magic, {},
            [](uint8_t byte) { return static_cast<char>(byte); }))
      return std::string(kind.what);
  return std::string(kindOfFrames(bytes));
}

bool isRecording(std::span<const uint8_t> bytes) {
  const std::string_view begin(reinterpret_cast<const char *>(bytes.data()),
                               std::min<size_t>(bytes.size(), 4));
  return begin == "RIFF" || begin == "RF64" || begin == "BW64" ||
         !kindOfRecording(bytes).empty();
}

std::string commandToConvert(const std::string &name) {
  if (name == standardInput)
    return "ffmpeg -i FILE -ar 16000 -ac 1 -f wav - converts others";
  std::filesystem::path path(name);
  std::string result =
      // The command must not name its own input as its output.
      path.stem().string() + (path.extension() == ".wav" ? "-pcm.wav" : ".wav");
  return fmt::format("ffmpeg -i {} -ar 16000 -ac 1 {}", shellWord(name),
                     shellWord(result));
}

} // namespace transfold::runtime::inline audio

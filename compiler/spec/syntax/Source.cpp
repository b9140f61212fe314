// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text of specs. Everything after this may rely on valid UTF-8
// without NUL bytes, and on a size of at most 1 MiB.

#include "compiler/spec/syntax/Source.h"

#include "base/files/FilesRead.h"
#include "base/files/GuardedFiles.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace transfold::spec;

// Larger than any spec that a person writes, and smaller than a checkpoint that
// is passed by mistake.
static constexpr size_t maxBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Source::line(unsigned line) const {
  if (line == 0 || line > lineStarts.size())
    return "";
  size_t begin = lineStarts[line - 1];
  size_t end = line < lineStarts.size() ? lineStarts[line] - 1 : text.size();
  std::string result = text.substr(begin, end - begin);
  if (!result.empty() && result.back() == '\r')
    result.pop_back();
  return result;
}

std::shared_ptr<const Source> Source::fromText(std::string path,
                                               std::string text) {
  auto source = std::make_shared<Source>();
  source->path = std::move(path);
  source->text = std::move(text);
  source->lineStarts.push_back(0);
  for (size_t i = 0; i < source->text.size(); ++i)
    if (source->text[i] == '\n')
      source->lineStarts.push_back(i + 1);
  return source;
}

/// The offset of the first byte that is not UTF-8 text, or npos.
static size_t findInvalidByte(const std::string &text) {
  for (size_t i = 0; i < text.size();) {
    utf8proc_int32_t character;
    auto length = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t *>(text.data()) + i,
        text.size() - i, &character);
    if (length <= 0 || character == 0)
      return i;
    i += length;
  }
  return std::string::npos;
}

std::shared_ptr<const Source> Source::fromContent(const std::string &path,
                                                  std::string content) {
  Place file{fromText(path, ""), 0, 0};
  if (content.size() > maxBytes)
    throw SpecError(Code::UnreadableFile, file,
                    "the file is larger than 1 MiB; a spec is a text file "
                    "of some hundred lines");
  size_t invalid = findInvalidByte(content);
  if (invalid != std::string::npos) {
    auto line =
        std::count(content.begin(), content.begin() + invalid, '\n') + 1;
    throw SpecError(Code::NotText, file,
                    fmt::format("line {} is not UTF-8 text: byte 0x{:02x}",
                                line, (unsigned char)content[invalid]));
  }
  return fromText(path, std::move(content));
}

std::shared_ptr<const Source> Source::load(const std::string &path) {
  transfold::noteRead(path);
  Place file{fromText(path, ""), 0, 0};
  std::error_code error;
  auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw SpecError(Code::UnreadableFile, file, "there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw SpecError(Code::UnreadableFile, file,
                    "this is not a file; a spec is a text file, *.xf");

  transfold::guardInput(path);
  std::ifstream stream(path, std::ios::binary);
  std::string text(maxBytes + 1, '\0');
  stream.read(text.data(), text.size());
  text.resize(stream.gcount());
  if (stream.bad() || (stream.fail() && !stream.eof()))
    throw SpecError(Code::UnreadableFile, file, "the file cannot be read");
  return fromContent(path, std::move(text));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/syntax/Source.h"

#include "runtime/files/FilesRead.h"
#include "runtime/files/GuardedFiles.h"

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

std::shared_ptr<const Source> Source::load(const std::string &path) {
  transfold::runtime::noteRead(path);
  Place file{fromText(path, ""), 0, 0};
  std::error_code error;
  auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw SpecError(file, "there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw SpecError(file, "this is not a file; a spec is a text file, *.xf");

  transfold::runtime::guardInput(path);
  std::ifstream stream(path, std::ios::binary);
  std::string text(maxBytes + 1, '\0');
  stream.read(text.data(), text.size());
  text.resize(stream.gcount());
  if (stream.bad() || (stream.fail() && !stream.eof()))
    throw SpecError(file, "the file cannot be read");
  if (text.size() > maxBytes)
    throw SpecError(file,
                    "the file is larger than 1 MiB; a spec is a text file "
                    "of some hundred lines");
  size_t invalid = findInvalidByte(text);
  if (invalid != std::string::npos) {
    auto line = std::count(text.begin(), text.begin() + invalid, '\n') + 1;
    throw SpecError(file,
                    fmt::format("line {} is not UTF-8 text: byte 0x{:02x}",
                                line, (unsigned char)text[invalid]));
  }
  return fromText(path, std::move(text));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The characters (code points) of a line, for counting columns.
static std::vector<std::string> characters(const std::string &line) {
  std::vector<std::string> result;
  for (char c : line) {
    bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (continues && !result.empty())
      result.back() += c;
    else
      result.emplace_back(1, c);
  }
  return result;
}

/// The source line without its indentation, and below it a caret at the place
/// and `~` along the underlined range. Tabs stay tabs in both lines.
static std::string excerpt(const Place &at, const Range &underline) {
  auto line = characters(at.source->line(at.line));
  while (!line.empty() && (line.back() == " " || line.back() == "\t"))
    line.pop_back();
  size_t indentation = 0;
  while (indentation < line.size() &&
         (line[indentation] == " " || line[indentation] == "\t"))
    ++indentation;
  // A place in the indentation or past the end still gets its caret.
  indentation = std::min<size_t>(indentation, at.column - 1);

  size_t underlineBegin = 0, underlineEnd = 0; // columns
  if (underline.begin.source == at.source && underline.begin.line == at.line) {
    underlineBegin = underline.begin.column;
    underlineEnd =
        underline.end.line == at.line ? underline.end.column : line.size() + 1;
  }

  std::string text, marks;
  size_t last = std::max<size_t>({line.size(), at.column, underlineEnd});
  for (size_t column = indentation + 1; column <= last; ++column) {
    bool inside = column <= line.size();
    if (inside)
      text += line[column - 1];
    if (column == at.column)
      marks += '^';
    else if (underlineBegin <= column && column < underlineEnd)
      marks += '~';
    else
      marks += inside && line[column - 1] == "\t" ? '\t' : ' ';
  }
  marks.erase(marks.find_last_not_of(" \t") + 1);
  return fmt::format("\n   {}\n   {}", text, marks);
}

/// The text of a message, as SpecError::what() returns it.
static std::string format(const Place &at, const std::string &message,
                          const std::vector<std::string> &notes,
                          const Range &underline) {
  std::string result;
  if (at.source)
    result = at.source->path + ":";
  if (at.source && at.line)
    result += fmt::format("{}:{}:", at.line, at.column);
  if (at.source)
    result += " ";
  result += "error: " + message;
  bool hasText = at.source && at.source->line(at.line).find_first_not_of(
                                  " \t") != std::string::npos;
  if (hasText && at.column)
    result += excerpt(at, underline);
  for (const std::string &note : notes)
    result += "\n   " + note;
  return result;
}

SpecError::SpecError(Place at, std::string message,
                     std::vector<std::string> notes, Range underline)
    : std::runtime_error(format(at, message, notes, underline)),
      at(std::move(at)), message(std::move(message)), notes(std::move(notes)),
      underline(std::move(underline)) {}

SpecError SpecError::withNote(std::string note) const {
  std::vector<std::string> more = notes;
  more.push_back(std::move(note));
  SpecError result(at, message, std::move(more), underline);
  result.missingTensor = missingTensor;
  return result;
}

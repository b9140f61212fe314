// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as text and as JSON, and the exception that carries them. Columns
// count code points, so the text splits lines into code points first.

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// As text
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

/// The severity as both forms of output spell it.
static std::string_view wordOf(Severity severity) {
  return severity == Severity::Error ? "error" : "warning";
}

std::string Diagnostic::str() const {
  std::string result;
  if (at.source)
    result = at.source->path + ":";
  if (at.source && at.line)
    result += fmt::format("{}:{}:", at.line, at.column);
  if (at.source)
    result += " ";
  result += fmt::format("{}: {} [{}]", wordOf(severity), message, text(code));
  bool hasText = at.source && at.source->line(at.line).find_first_not_of(
                                  " \t") != std::string::npos;
  if (hasText && at.column)
    result += excerpt(at, underline);
  for (const std::string &note : notes)
    result += "\n   " + note;
  return result;
}

//===----------------------------------------------------------------------===//
// As JSON
//===----------------------------------------------------------------------===//

/// Line and column, both from 1; the file is a field of the diagnostic itself.
static nlohmann::json toJson(const Place &place) {
  return {{"line", place.line}, {"column", place.column}};
}

nlohmann::json Diagnostic::toJson() const {
  nlohmann::json result = {{"code", text(code)},
                           {"severity", wordOf(severity)},
                           {"message", message},
                           {"notes", notes}};
  if (at.source)
    result["file"] = at.source->path;
  if (at.source && at.line)
    result.update(spec::toJson(at));
  if (underline.begin.line)
    result["range"] = {{"begin", spec::toJson(underline.begin)},
                       {"end", spec::toJson(underline.end)}};
  if (fix)
    result["fix"] = {{"begin", spec::toJson(fix->range.begin)},
                     {"end", spec::toJson(fix->range.end)},
                     {"text", fix->text}};
  return result;
}

//===----------------------------------------------------------------------===//
// As an exception
//===----------------------------------------------------------------------===//

/// The `what` of an exception: all diagnostics, one after another.
static std::string textOf(const std::vector<Diagnostic> &diagnostics) {
  std::string result;
  for (const Diagnostic &diagnostic : diagnostics)
    result += (result.empty() ? "" : "\n") + diagnostic.str();
  return result;
}

SpecError::SpecError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(textOf(diagnostics)),
      diagnostics(std::move(diagnostics)) {
  assert(!this->diagnostics.empty() && "an error has a message");
}

SpecError::SpecError(Code code, Place at, std::string message,
                     std::vector<std::string> notes, Range underline)
    : SpecError(
          std::vector{Diagnostic{code, std::move(at), std::move(message),
                                 std::move(notes), std::move(underline)}}) {}

SpecError SpecError::withNotes(std::vector<std::string> notes) const {
  std::vector<Diagnostic> changed = diagnostics;
  for (std::string &note : notes)
    changed.back().notes.push_back(std::move(note));
  SpecError result(std::move(changed));
  result.missingTensor = missingTensor;
  return result;
}

SpecError SpecError::withFix(Fix fix) const {
  std::vector<Diagnostic> changed = diagnostics;
  changed.back().fix = std::move(fix);
  SpecError result(std::move(changed));
  result.missingTensor = missingTensor;
  return result;
}

//===----------------------------------------------------------------------===//
// Several errors
//===----------------------------------------------------------------------===//

void Errors::add(const SpecError &error) {
  for (const Diagnostic &diagnostic : error.diagnostics) {
    bool isKnown = std::ranges::any_of(found, [&](const Diagnostic &other) {
      return other.code == diagnostic.code &&
             other.message == diagnostic.message &&
             other.at.source == diagnostic.at.source &&
             other.at.line == diagnostic.at.line &&
             other.at.column == diagnostic.at.column;
    });
    if (isKnown)
      continue;
    if (found.size() < most)
      found.push_back(diagnostic);
    else
      ++others;
  }
  if (missingTensor.empty())
    missingTensor = error.missingTensor;
}

void Errors::raise() {
  if (found.empty())
    return;
  if (others)
    found.back().notes.push_back(fmt::format(
        "{} more error{} not shown", others, others == 1 ? " is" : "s are"));
  SpecError error(std::move(found));
  error.missingTensor = std::move(missingTensor);
  throw error;
}

} // namespace transfold::spec

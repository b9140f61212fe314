// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of diagnostics. The structures of LLVM have no field for the code
// of a diagnostic, which is therefore added to their JSON.

#include "compiler/lsp/Diagnostics.h"

#include "compiler/lsp/text/Positions.h"
#include "compiler/spec/syntax/Lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace transfold::lsp {

using llvm::json::Value;
using spec::Place;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// From the caret, or what is underlined, to the end of both.
static llvm::lsp::Range rangeOfMistake(const spec::Diagnostic &diagnostic) {
  const Place &at = diagnostic.at;
  if (!at.source || !at.line)
    return {};
  Place after = at;
  ++after.column;
  auto word = spec::wordAt(at);
  bool begins = word && word->begin.column == at.column;
  llvm::lsp::Range result = rangeOf({at, begins ? word->end : after});
  const spec::Range &underline = diagnostic.underline;
  if (underline.begin.source == at.source && underline.begin.line) {
    llvm::lsp::Range more = rangeOf(underline);
    result.start = std::min(result.start, more.start);
    result.end = std::max(result.end, more.end);
  }
  return result;
}

/// The place that a note names, as in "std/norm.xf:12:3: …", if that is a file
/// of the spec; without a source if not.
static Place placeOfNote(const std::string &note, const Analysis &analysis) {
  auto placeIn = [&](const spec::File &file) -> Place {
    const std::string path = file.source ? file.source->path + ":" : "";
    size_t begin = path.empty() ? note.npos : note.find(path);
    if (begin == note.npos)
      return {};
    Place place{file.source, 0, 1};
    const char *end = note.data() + note.size();
    auto line =
        std::from_chars(note.data() + begin + path.size(), end, place.line);
    if (line.ptr != end && *line.ptr == ':')
      std::from_chars(line.ptr + 1, end, place.column);
    return place.line ? place : Place();
  };
  Place result = placeIn(analysis.spec.main);
  for (const auto &[path, library] : analysis.spec.libraries)
    if (!result.source)
      result = placeIn(library);
  return result;
}

/// Where the main file uses the library with a path, directly or indirectly.
static Place placeOfUse(const Analysis &analysis, const std::string &path) {
  const spec::File &main = analysis.spec.main;
  for (const spec::Use &use : main.uses) {
    auto library = analysis.spec.libraries.find(use.path);
    if (path.ends_with("/" + use.path) ||
        (library != analysis.spec.libraries.end() && library->second.source &&
         library->second.source->path == path))
      return use.pathPlace;
  }
  return main.uses.empty() ? Place() : main.uses.front().pathPlace;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static llvm::lsp::Location locationOf(const std::string &path,
                                      llvm::lsp::Range range) {
  auto uri = llvm::lsp::URIForFile::fromFile(path);
  if (uri)
    return {*uri, range};
  llvm::consumeError(uri.takeError());
  return {};
}

/// A diagnostic of a library as one of the document: at a place of the document
/// that a note names, or at the `use` of the library.
static void moveToDocument(const spec::Diagnostic &diagnostic,
                           const Analysis &analysis,
                           llvm::lsp::Diagnostic &result,
                           const std::string &documentPath) {
  const std::string &path = diagnostic.at.source->path;
  result.message =
      fmt::format("{}: {}", std::filesystem::path(path).filename().string(),
                  result.message);
  result.relatedInformation->insert(
      result.relatedInformation->begin(),
      {locationOf(path, result.range), "The mistake is here."});
  Place place = placeOfUse(analysis, path);
  for (const std::string &note : diagnostic.notes)
    if (Place named = placeOfNote(note, analysis);
        named.source && named.source->path == documentPath)
      place = named;
  result.range = {};
  if (!place.source)
    return;
  Place end = place;
  end.column = unsigned(-1);
  result.range = {positionOf(place), positionOf(end)};
}

static llvm::lsp::Diagnostic convert(const spec::Diagnostic &diagnostic,
                                     const Document &document) {
  const Analysis &analysis = *document.analysis;
  const std::string path = document.uri.file().str();
  llvm::lsp::Diagnostic result;
  result.range = rangeOfMistake(diagnostic);
  result.severity = diagnostic.severity == spec::Severity::Error
                        ? llvm::lsp::DiagnosticSeverity::Error
                        : llvm::lsp::DiagnosticSeverity::Warning;
  result.source = "transfold";
  result.message = diagnostic.message;
  if (diagnostic.code == spec::Code::UnusedDefinition)
    result.tags.push_back(llvm::lsp::DiagnosticTag::Unnecessary);
  result.relatedInformation.emplace();
  bool isElsewhere = diagnostic.at.source && diagnostic.at.source->path != path;
  const std::string &own = isElsewhere ? diagnostic.at.source->path : path;
  for (const std::string &note : diagnostic.notes) {
    Place place = placeOfNote(note, analysis);
    result.relatedInformation->emplace_back(
        place.source ? locationOf(place.source->path, rangeOf({place, place}))
                     : locationOf(own, result.range),
        note);
  }
  if (isElsewhere)
    moveToDocument(diagnostic, analysis, result, path);
  return result;
}

/// The same as JSON, with the code. The JSON of a URI refers to its text, which
/// is therefore copied.
static Value toJson(const spec::Diagnostic &diagnostic,
                    const Document &document) {
  const llvm::lsp::Diagnostic converted = convert(diagnostic, document);
  llvm::json::Array related;
  for (const auto &[location, message] : *converted.relatedInformation)
    related.push_back(llvm::json::Object{
        {"location", llvm::json::Object{{"uri", location.uri.uri().str()},
                                        {"range", location.range}}},
        {"message", message}});
  Value result = toJSON(converted);
  llvm::json::Object &object = *result.getAsObject();
  object["code"] = spec::text(diagnostic.code);
  object["relatedInformation"] = std::move(related);
  return result;
}

Value diagnosticsOf(const Document &document) {
  llvm::json::Array list;
  for (const spec::Diagnostic &diagnostic : document.analysis->diagnostics)
    list.push_back(toJson(diagnostic, document));
  return llvm::json::Object{{"uri", document.uri},
                            {"version", document.version},
                            {"diagnostics", std::move(list)}};
}

//===----------------------------------------------------------------------===//
// Code actions
//===----------------------------------------------------------------------===//

static bool touch(const llvm::lsp::Range &a, const llvm::lsp::Range &b) {
  return a.start <= b.end && b.start <= a.end;
}

Value codeActionsIn(const Document &document, const llvm::lsp::Range &range) {
  llvm::json::Array result;
  for (const spec::Diagnostic &diagnostic : document.analysis->diagnostics) {
    if (!diagnostic.fix || !touch(convert(diagnostic, document).range, range))
      continue;
    const spec::Fix &fix = *diagnostic.fix;
    auto target = llvm::lsp::URIForFile::fromFile(fix.range.begin.source->path);
    if (!target) {
      llvm::consumeError(target.takeError());
      continue;
    }
    llvm::lsp::CodeAction action;
    action.title =
        fmt::format("Replace `{}` by `{}`", spec::textOf(fix.range), fix.text);
    action.kind = llvm::lsp::CodeAction::kQuickFix.str();
    action.isPreferred = true;
    action.edit.emplace();
    action.edit->changes[target->uri().str()] = {
        {lsp::rangeOf(fix.range), fix.text}};
    Value json = toJSON(action);
    json.getAsObject()->insert(
        {"diagnostics", llvm::json::Array{toJson(diagnostic, document)}});
    result.push_back(std::move(json));
  }
  return result;
}

} // namespace transfold::lsp

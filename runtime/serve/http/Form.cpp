// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a body at its boundary into parts, whose contents are copied.

#include "runtime/serve/http/Form.h"

#include "runtime/serve/http/HeaderValues.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::serve {

namespace {

constexpr size_t longestBoundary = 70; // RFC 2046, 5.1.1

/// Removes everything up to and including `end` from `text`, and returns the
/// part before `end`; nullopt if `end` does not occur.
std::optional<std::string_view> takeUntil(std::string_view &text,
                                          std::string_view end) {
  size_t found = text.find(end);
  if (found == text.npos)
    return std::nullopt;
  std::string_view result = text.substr(0, found);
  text.remove_prefix(found + end.size());
  return result;
}

/// Reads the header fields of a part, of which only Content-Disposition is
/// used, and the empty line after them. False if the part has no name.
bool takeHead(std::string_view &text, HttpPart &part) {
  bool isNamed = false;
  while (auto line = takeUntil(text, "\r\n")) {
    if (line->empty())
      return isNamed;
    size_t colon = line->find(':');
    if (colon == line->npos)
      return false;
    if (lowered(line->substr(0, colon)) != "content-disposition")
      continue;
    std::string_view value = line->substr(colon + 1);
    auto name = parameterOf(value, "name");
    isNamed = mediaTypeOf(value) == "form-data" && name;
    part.name = name.value_or("");
    part.fileName = parameterOf(value, "filename").value_or("");
  }
  return false;
}

} // namespace

std::optional<std::vector<HttpPart>> readForm(std::string_view body,
                                              std::string_view contentType,
                                              size_t mostParts) {
  auto boundary = parameterOf(contentType, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > longestBoundary)
    return std::nullopt;
  const std::string delimiter = "\r\n--" + *boundary;
  // Text before the first delimiter is ignored; often not even a line break
  // precedes it.
  if (body.starts_with(std::string_view(delimiter).substr(2)))
    body.remove_prefix(delimiter.size() - 2);
  else if (!takeUntil(body, delimiter))
    return std::nullopt;
  std::vector<HttpPart> parts;
  while (!body.starts_with("--")) {
    auto padding = takeUntil(body, "\r\n");
    HttpPart part;
    if (!padding || !trimmed(*padding).empty() || parts.size() == mostParts ||
        !takeHead(body, part))
      return std::nullopt;
    auto content = takeUntil(body, delimiter);
    if (!content)
      return std::nullopt;
    part.content = *content;
    parts.push_back(std::move(part));
  }
  return parts;
}

} // namespace transfold::runtime::serve

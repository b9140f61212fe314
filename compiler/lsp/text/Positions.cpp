// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of columns. A code point above U+FFFF is two units of UTF-16; in
// UTF-8 it is the one that has four bytes.

#include "compiler/lsp/text/Positions.h"

#include <algorithm>
#include <string_view>

namespace transfold::lsp {

using spec::Place;

/// The units of UTF-16 of the code point that begins with this byte of UTF-8;
/// 0 for a byte that continues one.
static int unitsOf(unsigned char byte) {
  if ((byte & 0xC0) == 0x80)
    return 0;
  return byte >= 0xF0 ? 2 : 1;
}

/// A byte order mark has no column, but is a unit of the text.
static int unitsBefore(const spec::Source &source, unsigned line) {
  bool hasMark = std::string_view(source.text).starts_with("\uFEFF");
  return line == 1 && hasMark ? 1 : 0;
}

/// A line without its byte order mark.
static std::string lineOf(const spec::Source &source, unsigned line) {
  std::string text = source.line(line);
  if (unitsBefore(source, line))
    text.erase(0, std::string_view("\uFEFF").size());
  return text;
}

llvm::lsp::Position positionOf(const Place &place) {
  if (!place.source || !place.line)
    return {0, 0};
  int units = unitsBefore(*place.source, place.line);
  unsigned column = 1;
  for (unsigned char byte : lineOf(*place.source, place.line)) {
    int more = unitsOf(byte);
    if (more && column++ >= place.column)
      break;
    units += more;
  }
  return {int(place.line) - 1, units};
}

llvm::lsp::Range rangeOf(const spec::Range &range) {
  return {positionOf(range.begin), positionOf(range.end)};
}

Place placeAt(const std::shared_ptr<const spec::Source> &source,
              const llvm::lsp::Position &position) {
  unsigned line = unsigned(std::max(position.line, 0)) + 1, column = 1;
  int units = unitsBefore(*source, line);
  for (unsigned char byte : lineOf(*source, line)) {
    int more = unitsOf(byte);
    if (more && units >= position.character)
      break;
    units += more;
    column += more != 0;
  }
  return {source, line, column};
}

llvm::lsp::Position endOf(const spec::Source &source) {
  unsigned last = unsigned(source.lineStarts.size());
  int units = unitsBefore(source, last);
  for (unsigned char byte : lineOf(source, last))
    units += unitsOf(byte);
  return {int(last) - 1, units};
}

} // namespace transfold::lsp

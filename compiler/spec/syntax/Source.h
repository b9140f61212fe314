// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a spec, and places in it.

#pragma once

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

/// A file's text and its lines. `path` is printed in messages.
struct Source {
  std::string path;
  std::string text;
  std::vector<size_t> lineStarts; // byte offsets
  /// Line number `line` (from 1) without its newline; empty past the end.
  std::string line(unsigned line) const;

  /// A source that is not a file; `path` is used in messages only, and the text
  /// is not checked.
  static std::shared_ptr<const Source> fromText(std::string path,
                                                std::string text);
  /// Reads a file; throws SpecError if it does not exist or is not text.
  static std::shared_ptr<const Source> load(const std::string &path);
  /// The content of a file, from the disk or from an editor; throws SpecError
  /// if it is not text, or is too large.
  static std::shared_ptr<const Source> fromContent(const std::string &path,
                                                   std::string content);
};

/// A character of a source: line and column count from 1, columns in characters
/// (code points), not bytes. A null source means "no place", line 0 "the file".
struct Place {
  std::shared_ptr<const Source> source;
  unsigned line = 0;
  unsigned column = 0;
};

/// From `begin` to the character before `end`, which may lie on a later line.
struct Range {
  Place begin;
  Place end;
};

} // namespace transfold::spec

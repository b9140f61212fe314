// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a spec, places in it, and SpecError, the one form in which this
// compiler reports mistakes in a spec.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_SOURCE_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_SOURCE_H

#include <memory>
#include <stdexcept>
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

  /// A source that is not a file; `path` is used in messages only.
  static std::shared_ptr<const Source> fromText(std::string path,
                                                std::string text);
  /// Reads a file; throws SpecError if it does not exist or is not text.
  static std::shared_ptr<const Source> load(const std::string &path);
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

/// A message for the author of a spec: place, cause, remedy. `notes` are
/// printed below the source line, each on a line of its own, indented by three
/// spaces.
///
///   llama.xf:19:17: error: these two cannot be multiplied
///      Q[i]    = R(x @ W_Q[i]' + b_Q[i])
///                    ^ ~~~~~~~
///      x        is [n, d]          n × 576
class SpecError : public std::runtime_error {
public:
  SpecError(Place at, std::string message, std::vector<std::string> notes = {},
            Range underline = {});
  /// The same error with one more note at the end.
  SpecError withNote(std::string note) const;

  Place at;
  std::string message;
  std::vector<std::string> notes;
  Range underline;
  /// The tensor that the spec requires and the checkpoint lacks; empty for
  /// other errors. If the spec was chosen automatically, the driver reports
  /// this as an error of the file.
  std::string missingTensor;
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_SOURCE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages for the author of a spec: place, cause, remedy. A diagnostic is a
// value; SpecError carries one or several of them to the command that prints
// them.

#pragma once

#include "compiler/spec/syntax/Codes.h"
#include "compiler/spec/syntax/Source.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace transfold::spec {

/// Errors are thrown as SpecError; warnings are returned to the caller.
enum class Severity { Error, Warning };

/// A change of the text that mends a mistake.
struct Fix {
  Range range; // is replaced by
  std::string text;
};

/// `notes` are printed below the source line, each on a line of its own,
/// indented by three spaces.
///
///   llama.xf:19:17: error: these two cannot be multiplied [XF0501]
///      Q[i]    = R(x @ W_Q[i]' + b_Q[i])
///                    ^ ~~~~~~~
///      x        is [n, d]          n × 576
struct Diagnostic {
  Code code;
  Place at;
  std::string message;
  std::vector<std::string> notes = {};
  Range underline = {};
  Severity severity = Severity::Error;
  std::optional<Fix> fix = {};

  /// The text, as above.
  std::string str() const;
  /// The same for programs: code, severity, file, line, column, message, notes,
  /// and range and fix where there are any (docs/diagnostics.md).
  nlohmann::json toJson() const;
};

/// Mistakes in a spec; at least one.
class SpecError : public std::runtime_error {
public:
  /// `diagnostics` must not be empty.
  explicit SpecError(std::vector<Diagnostic> diagnostics);
  /// A single error.
  SpecError(Code code, Place at, std::string message,
            std::vector<std::string> notes = {}, Range underline = {});
  /// The same error with more notes at its end, or with a fix.
  SpecError withNotes(std::vector<std::string> notes) const;
  SpecError withFix(Fix fix) const;

  const Diagnostic &first() const { return diagnostics.front(); }

  std::vector<Diagnostic> diagnostics;
  /// The tensor that the spec requires and the checkpoint lacks; empty for
  /// other errors. If the spec was chosen automatically, the driver reports
  /// this as an error of the file.
  std::string missingTensor;
};

/// Collects errors, so that one run shows all of them.
class Errors {
public:
  /// Runs `step`; if it throws a SpecError, adds that. Returns whether it
  /// succeeded.
  bool attempt(const std::function<void()> &step) {
    try {
      step();
      return true;
    } catch (const SpecError &error) {
      add(error);
      return false;
    }
  }
  /// Adds an error, unless the same was added before.
  void add(const SpecError &error);
  /// Adds all errors of `more`.
  void add(Errors more) {
    attempt([&] { more.raise(); });
  }
  bool empty() const { return found.empty(); }
  /// Keeps only the first error.
  void keepFirst() {
    if (found.size() > 1)
      found.erase(found.begin() + 1, found.end());
    others = 0;
  }
  /// Whether further errors are counted only, and not shown.
  bool areMany() const { return found.size() == most; }
  /// Throws the errors as one SpecError, if there are any.
  void raise();

private:
  static constexpr size_t most = 20; // that are shown
  std::vector<Diagnostic> found;
  size_t others = 0; // that are not shown
  std::string missingTensor;
};

} // namespace transfold::spec

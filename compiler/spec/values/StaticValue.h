// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a static expression: numbers, exact as long as possible, texts,
// lists, records of the configuration, `none`. Without a checkpoint most
// constants have no value; then at most their size is known, a polynomial over
// named constants.

#pragma once

#include "base/exact/Dim.h"
#include "base/exact/ExactScalar.h"
#include "base/exact/IndexExpr.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::spec {

class StaticValue;

/// A JSON object with its path in the file, so that keys that are read from it
/// are recorded with their full path; or a record that the spec defines.
struct Record {
  const nlohmann::json *object = nullptr; // null: `fields`
  std::string path; // "rope_parameters.", "1_Pooling/config.json:"
  std::shared_ptr<std::map<std::string, StaticValue>> fields;
};

using List = std::shared_ptr<const std::vector<StaticValue>>;

/// A value that is not known before the program runs. `size` is its value as a
/// size, if known. `number` is its value as a scalar, if it is made of lengths
/// but is not a size: √n, n / 2, n < 8.
struct Unknown {
  std::optional<Dim> size = {};
  IndexExprPtr number = {};
};

/// `none`, with the keys that would have given a value: "scaling.factor",
/// "generation_config.json:eos_token_id".
struct None {
  std::shared_ptr<const std::vector<std::string>> keys;
};

/// The value of a static expression.
class StaticValue {
public:
  // Copies and the destructor are compiled once, and not in each file: those of
  // variants take a second.
  StaticValue(); // none
  StaticValue(const StaticValue &);
  StaticValue(StaticValue &&) noexcept;
  StaticValue &operator=(const StaticValue &);
  StaticValue &operator=(StaticValue &&) noexcept;
  ~StaticValue();

  StaticValue(None value) : content(std::move(value)) {}
  StaticValue(bool value) : content(value) {}
  StaticValue(ExactScalar value) : content(std::move(value)) {}
  StaticValue(int64_t value) : content(ExactScalar(value)) {}
  StaticValue(double value) : content(value) {}
  StaticValue(std::string value) : content(std::move(value)) {}
  StaticValue(const char *value) : content(std::string(value)) {}
  StaticValue(List value) : content(std::move(value)) {}
  StaticValue(Record value) : content(std::move(value)) {}
  StaticValue(Unknown value) : content(std::move(value)) {}
  /// A number if `size` is constant, else an unknown value of that size.
  static StaticValue ofSize(const Dim &size);
  /// A value about which nothing is known, not even as a size.
  static StaticValue unknown() { return StaticValue(Unknown{}); }

  bool isNone() const { return std::holds_alternative<None>(content); }
  /// The keys whose absence made this value `none`; empty if the spec has
  /// `none`.
  std::vector<std::string> absentKeys() const {
    auto *none = std::get_if<None>(&content);
    return none && none->keys ? *none->keys : std::vector<std::string>();
  }
  bool isUnknown() const { return std::holds_alternative<Unknown>(content); }
  /// Whether it is a number that is known, exact or as a double.
  bool isNumber() const { return exact() || inexact(); }
  /// The content, if it is of that kind; otherwise null. This holds for the
  /// next six functions, too.
  const bool *boolean() const { return std::get_if<bool>(&content); }
  const ExactScalar *exact() const {
    return std::get_if<ExactScalar>(&content);
  }
  const double *inexact() const { return std::get_if<double>(&content); }
  const std::string *text() const { return std::get_if<std::string>(&content); }
  const List *list() const { return std::get_if<List>(&content); }
  const Record *record() const { return std::get_if<Record>(&content); }
  const Unknown *unknownValue() const { return std::get_if<Unknown>(&content); }

  /// The value of an exact integer; nullopt for other values.
  std::optional<int64_t> asInteger() const;
  /// As the size of an axis: a natural number, or symbolic.
  std::optional<Dim> asSize() const;
  double toDouble() const; // of a number
  /// A number as an exact scalar; an inexact one becomes the rational number
  /// that the double represents.
  ExactScalar toExact() const;

  /// The text that is inserted into a string and shown in messages.
  std::string str() const;
  /// The kind of value for messages: "a number", "a text", …
  std::string kind() const;
  /// The value as JSON; `none` and unknown values are null.
  nlohmann::json toJson() const;

private:
  std::variant<None, bool, ExactScalar, double, std::string, List, Record,
               Unknown>
      content;
};

/// `none`, because these keys are absent.
StaticValue noneOf(std::vector<std::string> keys);

/// A value of a JSON file; `path` is that of an object or list, with the
/// trailing ".".
StaticValue fromJson(const nlohmann::json &value, const std::string &path);

/// The rational number that equals a finite double.
ExactScalar exactOf(double value);

/// Whether two values are equal: numbers by value, lists and records by their
/// elements. nullopt if that is not known.
std::optional<bool> equal(const StaticValue &a, const StaticValue &b);

} // namespace transfold::spec

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of the handlers that build a value from the events of nlohmann's
// JSON parser.

#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace transfold {

/// Turns events into values. A handler that returns false ends the parsing.
template <typename Json> class JsonEvents : public nlohmann::json_sax<Json> {
  using Events = nlohmann::json_sax<Json>;

public:
  /// Why the parsing ended; empty if the text was read.
  std::string problem;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Events::number_integer_t value) override {
    return add(value);
  }
  bool number_unsigned(typename Events::number_unsigned_t value) override {
    return add(value);
  }
  bool number_float(typename Events::number_float_t value,
                    const typename Events::string_t &) override {
    return add(value);
  }
  bool string(typename Events::string_t &value) override {
    return add(std::move(value));
  }
  bool start_object(size_t) override { return enter(Json::object()); }
  bool start_array(size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

protected:
  /// Adds a value that is neither a list nor an object.
  virtual bool add(Json value) = 0;
  /// Begins a list or an object.
  virtual bool enter(Json value) = 0;
  /// Ends the innermost list or object.
  virtual bool leave() = 0;

  /// Ends the parsing with the message `why`.
  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  /// The message of the parser's own error, without these prefixes and what
  /// precedes them.
  static std::string_view
  reasonOf(const nlohmann::detail::exception &error,
           std::initializer_list<std::string_view> prefixes) {
    std::string_view why = error.what();
    for (std::string_view prefix : prefixes)
      if (size_t found = why.find(prefix); found != why.npos)
        why.remove_prefix(found + prefix.size());
    return why;
  }
};

} // namespace transfold

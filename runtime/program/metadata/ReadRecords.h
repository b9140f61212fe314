// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads records from JSON, by their fields().

#pragma once

#include "runtime/program/metadata/Records.h"

namespace transfold::runtime::inline program::records {

/// Throws json::exception if a value has another type, or is absent.
struct Reader {
  const json &from;

  template <typename Value> void operator()(const char *name, Value &to) {
    read(from.at(name), to);
  }
  template <typename Value> void maybe(const char *name, Value &to) {
    if (auto found = from.find(name); found != from.end() && !found->is_null())
      read(*found, to);
  }

  static void read(const json &value, Axis &to) {
    if (value.is_number())
      value.get_to(to.size);
    else
      value.get_to(to.length);
  }
  template <typename Value>
  static void read(const json &value, std::optional<Value> &to) {
    read(value, to.emplace());
  }
  template <typename Value>
  static void read(const json &value, std::vector<Value> &to) {
    to.clear();
    // Of an object, the values: as for a list.
    for (const json &each : value)
      read(each, to.emplace_back());
  }
  template <typename Value> static void read(const json &value, Value &to) {
    if constexpr (requires(Reader reader) { Value::fields(to, reader); }) {
      Reader reader{value};
      Value::fields(to, reader);
    } else {
      value.get_to(to);
    }
  }
};

} // namespace transfold::runtime::inline program::records

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the records of a program's metadata as JSON, by their fields().

#pragma once

#include "runtime/program/metadata/Records.h"

namespace transfold::host {

using nlohmann::ordered_json;

/// Passes fields to an object, in their order.
struct RecordWriter {
  ordered_json to = ordered_json::object();

  template <typename Value>
  void operator()(const char *name, const Value &value) {
    to[name] = written(value);
  }
  template <typename Value> void maybe(const char *name, const Value &value) {
    to[name] = written(value);
  }
  template <typename Value>
  void maybe(const char *name, const std::optional<Value> &value) {
    if (value)
      to[name] = written(*value);
  }

  static ordered_json written(const runtime::records::Axis &axis) {
    return axis.length.empty() ? ordered_json(axis.size)
                               : ordered_json(axis.length);
  }
  template <typename Value>
  static ordered_json written(const std::vector<Value> &values) {
    ordered_json list = ordered_json::array();
    for (const Value &value : values)
      list.push_back(written(value));
    return list;
  }
  template <typename Value> static ordered_json written(const Value &value) {
    if constexpr (requires(RecordWriter writer) {
                    Value::fields(value, writer);
                  }) {
      RecordWriter writer;
      Value::fields(value, writer);
      return writer.to;
    } else {
      return ordered_json(value);
    }
  }
};

/// The metadata as text.
inline std::string textOf(const runtime::records::Program &program) {
  return RecordWriter::written(program).dump();
}

} // namespace transfold::host

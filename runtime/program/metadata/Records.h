// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a program as it is stored, each fact told once: the compiler
// fills these records and writes them, a program reads them. Names stand for
// entries, lengths and axes; Metadata.h has what follows from them, checked and
// with indices. Program.h describes the text.
//
// Each record has a function fields() that passes its fields, with their names
// in JSON, to a reader or a writer. A field that may be absent is passed to
// maybe(): without it the value stays as the record has it.

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transfold::runtime::inline program::records {

using json = nlohmann::ordered_json;

/// An axis: a fixed size, or the name of a length.
struct Axis {
  int64_t size = 0;
  std::string length;
};
using Shape = std::vector<Axis>;
/// By the name of a length.
using OfLengths = std::map<std::string, int64_t>;

struct Argument {
  std::string name, kind;
  std::optional<std::string> external; // absent: the name
  Shape shape;
  std::optional<double> defaultValue;
  std::optional<int64_t> bound;
  std::optional<std::string> firstOf, wantedOf;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("name", own.name);
    to.maybe("external", own.external);
    to("kind", own.kind);
    to("shape", own.shape);
    to.maybe("default", own.defaultValue);
    to.maybe("bound", own.bound);
    to.maybe("first_of", own.firstOf);
    to.maybe("wanted_of", own.wantedOf);
  }
};

struct Result {
  std::string name;
  std::optional<std::string> external; // absent: the name
  Shape shape;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("name", own.name);
    to.maybe("external", own.external);
    to("shape", own.shape);
  }
};

/// A factor times lengths; "n.seen" is a length, too.
using Term = std::pair<double, std::vector<std::string>>;

struct Work {
  std::string kernel;
  int64_t launches = 0;
  uint64_t weightBytes = 0;
  std::vector<Term> operations;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("kernel", own.kernel);
    to("launches", own.launches);
    to("weight_bytes", own.weightBytes);
    to("operations", own.operations);
  }
};

struct Entry {
  std::string name;
  std::optional<std::string> stage, stageOf;
  std::vector<std::string> lengths;
  OfLengths limits, least;
  std::vector<std::vector<int64_t>> products;
  uint64_t weightBytes = 0;
  std::vector<Work> work;
  std::vector<Argument> arguments;
  std::vector<Result> results;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("name", own.name);
    to.maybe("stage", own.stage);
    to.maybe("stage_of", own.stageOf);
    to("lengths", own.lengths);
    to.maybe("limits", own.limits);
    to.maybe("least", own.least);
    to.maybe("products", own.products);
    to.maybe("weight_bytes", own.weightBytes);
    to.maybe("work", own.work);
    to("arguments", own.arguments);
    to("results", own.results);
  }
};

struct Cache {
  std::string name;
  std::optional<std::string> length;
  int64_t members = 1, rowNumbers = 0, rowBytes = 0;
  std::optional<int64_t> window;
  std::optional<std::string> kind; // "state", or values of the request or rows

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("name", own.name);
    to.maybe("kind", own.kind);
    to.maybe("length", own.length);
    to("members", own.members);
    to("row_numbers", own.rowNumbers);
    to("row_bytes", own.rowBytes);
    to.maybe("window", own.window);
  }
};

struct Kernel {
  std::string name, anchor, schedule, origin, variantOf, fewOf, products;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("name", own.name);
    to.maybe("anchor", own.anchor);
    to.maybe("schedule", own.schedule);
    to.maybe("origin", own.origin);
    to.maybe("variant_of", own.variantOf);
    to.maybe("few_of", own.fewOf);
    to.maybe("products", own.products);
  }
};

struct Task {
  std::string kind;
  std::vector<std::string> entries;
  json options = json::object();

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("kind", own.kind);
    to("entries", own.entries);
    to.maybe("options", own.options);
  }
};

struct Weights {
  uint64_t bytes = 0;
  std::optional<uint64_t> read; // absent: all
  std::string hash;

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("bytes", own.bytes);
    to.maybe("read", own.read);
    to.maybe("hash", own.hash);
  }
};

struct Ledger {
  std::string text = "No constants were folded.\n";
  json constants = json::array();

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to.maybe("text", own.text);
    to.maybe("constants", own.constants);
  }
};

/// All of it.
struct Program {
  std::string model, compiler, target, licence, noChat;
  Weights weights;
  std::vector<Entry> entries;
  std::vector<std::string> cacheLengths;
  std::vector<Cache> caches;
  std::vector<Kernel> kernels;
  Ledger ledger;
  std::vector<Task> tasks;
  std::vector<std::pair<std::string, std::string>> sources; // path, text

  template <typename Self, typename Fields>
  static void fields(Self &own, Fields &to) {
    to("model", own.model);
    to.maybe("transfold", own.compiler);
    to.maybe("target", own.target);
    to.maybe("licence", own.licence);
    to.maybe("no_chat", own.noChat);
    to("weights", own.weights);
    to("entries", own.entries);
    to.maybe("cache_lengths", own.cacheLengths);
    to.maybe("caches", own.caches);
    to.maybe("kernels", own.kernels);
    to.maybe("ledger", own.ledger);
    to.maybe("tasks", own.tasks);
    to.maybe("sources", own.sources);
  }
};

} // namespace transfold::runtime::inline program::records

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validates the records of the metadata: a program may have been damaged or
// changed, and its numbers become indices and sizes of allocations. Errors say
// that the metadata is damaged, since users cannot repair it.

#include "runtime/program/metadata/Metadata.h"

#include "base/Error.h"
#include "base/text/JsonText.h"
#include "runtime/program/metadata/ReadRecords.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime::inline program {

namespace {

using json = nlohmann::ordered_json;

/// Larger sizes are not plausible for tensors; with this limit, products of a
/// few sizes stay below 2^63.
constexpr int64_t largestSize = int64_t{1} << 40;

/// A size between 0 and the limit above. Throws Error.
int64_t size(int64_t number) {
  if (number < 0 || number > largestSize)
    fail("the program's metadata is damaged: {} is not a size", number);
  return number;
}

/// A shape, whose lengths must be among those that the entry has. Throws Error.
Shape shape(const records::Shape &axes, const Entry &entry) {
  Shape result;
  for (const records::Axis &axis : axes) {
    if (axis.length.empty()) {
      result.push_back({-1, size(axis.size)});
      continue;
    }
    auto found = std::ranges::find(entry.lengths, axis.length);
    if (found == entry.lengths.end())
      fail("the program's metadata is damaged: entry '{}' has no length '{}'",
           entry.name, axis.length);
    result.push_back({static_cast<int>(found - entry.lengths.begin()), 0});
  }
  return result;
}

/// An argument of an entry whose lengths are already known.
Argument argument(const records::Argument &from, const Entry &entry) {
  if (from.kind != "integer" && from.kind != "real")
    fail("the program's metadata is damaged: '{}' is not a kind of argument",
         from.kind);
  return {.name = from.name,
          .external = from.external.value_or(from.name),
          .integer = from.kind == "integer",
          .shape = shape(from.shape, entry),
          .defaultValue = from.defaultValue,
          .bound = size(from.bound.value_or(0)),
          .isFirst = from.firstOf.has_value(),
          .isWanted = from.wantedOf.has_value()};
}

/// Index of the length `name`; for "NAME.seen", the index of NAME plus the
/// number of lengths. nullopt if the entry has no such length.
std::optional<size_t> lengthOf(std::string_view name, const Entry &entry) {
  constexpr std::string_view seen = ".seen";
  size_t offset = 0;
  if (name.ends_with(seen)) {
    name.remove_suffix(seen.size());
    offset = entry.lengths.size();
  }
  auto found = std::ranges::find(entry.lengths, name);
  if (found == entry.lengths.end())
    return std::nullopt;
  return offset + static_cast<size_t>(found - entry.lengths.begin());
}

/// nullopt if the number of operations depends on a quantity that callers do
/// not know.
std::optional<Work> work(const records::Work &from, const Entry &entry) {
  Work result{from.kernel, size(from.launches), from.weightBytes, {}};
  for (const auto &[operations, lengths] : from.operations) {
    Work::Term &term = result.terms.emplace_back();
    term.operations = operations;
    for (const std::string &name : lengths) {
      auto length = lengthOf(name, entry);
      if (!length)
        return std::nullopt;
      term.lengths.push_back(*length);
    }
  }
  return result;
}

/// The type of a kernel's products by its name in the metadata.
Products products(const std::string &name) {
  return name == "int8"   ? Products::Int8
         : name == "bf16" ? Products::Bfloat16
                          : Products::Float32;
}

/// The expression that a length is computed by; nullopt for the lengths of
/// arguments. Throws Error if it does not follow from these.
std::optional<Dim> derivation(const std::string &length, const Entry &entry) {
  if (!isDerivedLength(length))
    return std::nullopt;
  auto size = Dim::parse(length);
  bool isKnown = size.has_value();
  if (size)
    for (const std::string &name : size->names())
      isKnown &= std::ranges::count(entry.lengths, name) > 0;
  if (!isKnown)
    fail("the program's metadata is damaged: '{}' does not follow from lengths "
         "of entry '{}'",
         length, entry.name);
  return size;
}

/// The limits of the lengths of an entry.
void addLengths(Entry &entry, const records::Entry &from) {
  entry.lengths = from.lengths;
  for (const std::string &length : from.lengths)
    entry.derived.push_back(derivation(length, entry));
  for (const std::string &length : from.lengths) {
    auto limit = from.limits.find(length), least = from.least.find(length);
    entry.limits.push_back(limit == from.limits.end()
                               ? std::nullopt
                               : std::optional<int64_t>(size(limit->second)));
    entry.least.push_back(least == from.least.end() ? 1 : size(least->second));
  }
  for (const std::vector<int64_t> &product : from.products) {
    auto &factors = entry.products.emplace_back();
    for (int64_t factor : product) {
      factors.push_back(static_cast<size_t>(size(factor)));
      if (factors.back() >= entry.lengths.size())
        fail("the program's metadata is damaged: entry '{}' has no length {}",
             entry.name, factors.back());
    }
  }
}

/// An entry. The order matters: shapes and products refer to lengths.
Entry entry(const records::Entry &from) {
  Entry result;
  result.name = from.name;
  if (from.stage && !from.stage->empty()) {
    if (!from.stageOf)
      fail("the program's metadata is damaged: entry '{}' is a part of none",
           from.name);
    result.stage = *from.stage == "step" ? Stage::Step : Stage::Begin;
    result.stageOf = *from.stageOf;
  }
  addLengths(result, from);
  result.weightBytes = from.weightBytes;
  for (const records::Work &each : from.work)
    if (auto known = work(each, result))
      result.work.push_back(std::move(*known));
  for (const records::Argument &each : from.arguments)
    result.arguments.push_back(argument(each, result));
  for (const records::Result &each : from.results)
    result.results.push_back({each.name, each.external.value_or(each.name),
                              shape(each.shape, result)});
  return result;
}

/// A cache, whose length must be among `lengths`.
Cache cache(const records::Cache &from,
            const std::vector<std::string> &lengths) {
  Cache result{.name = from.name,
               .members = size(from.members),
               .rowNumbers = size(from.rowNumbers),
               .rowBytes = size(from.rowBytes),
               .window = size(from.window.value_or(0)),
               .isState = from.kind == "state"};
  if (from.length) {
    auto found = std::ranges::find(lengths, *from.length);
    if (found == lengths.end())
      fail("the program's metadata is damaged: no cache has length \"{}\"",
           *from.length);
    result.length = static_cast<int>(found - lengths.begin());
  }
  return result;
}

/// Reads an option that is one token id, a list of ids, or absent.
std::vector<int32_t> tokens(const json &options, const char *name,
                            int64_t known) {
  auto found = options.find(name);
  if (found == options.end() || found->empty()) // also null and {}
    return {};
  std::vector<int32_t> result;
  for (const json &id : found->is_array() ? *found : json::array({*found})) {
    if (!id.is_number_integer())
      fail("the program's metadata is damaged: '{}' has {}, which is not a "
           "token",
           name, id.dump());
    result.push_back(
        tokenOf(id.get<int64_t>(), known, "the program's metadata is damaged"));
  }
  return result;
}

/// A task. Its token ids are checked against the entries that read or score
/// them, so that they can be used as indices later.
Task task(const records::Task &from, const Metadata &metadata) {
  Task result{from.kind, from.entries, from.options, {}, {}, {}, {}};
  if (result.entries.empty())
    fail("the program's metadata is damaged: task '{}' has no entry",
         result.kind);
  for (const std::string &name : result.entries)
    metadata.entry(name);
  const Entry &entry = metadata.entries[metadata.entry(result.entries.back())];
  int64_t read = tokensRead(entry), made = tokensScored(entry);
  if (result.kind == "recognize") {
    result.speech = Speech::parse(result.options, made);
    if (!result.speech || !result.speech->frames)
      fail("the program's metadata is damaged: task '{}' has no rate or no "
           "blank",
           result.kind);
  }
  if (!result.makesTokens())
    return result;
  result.start = tokens(result.options, "start", read);
  result.stop = tokens(result.options, "stop", made);
  result.rules = {.first = tokens(result.options, "first", made),
                  .last = tokens(result.options, "last", made),
                  .suppressed = tokens(result.options, "suppress", made),
                  .suppressedFirst =
                      tokens(result.options, "suppress_first", made),
                  .excluded = {}};
  result.speech = Speech::parse(result.options, made);
  for (const json &word : result.options.value("exclude", json::array()))
    result.rules.excluded.push_back(
        tokens({{"exclude", word}}, "exclude", made));
  return result;
}

/// The JSON of the metadata. Throws Error.
json parsed(std::string_view text) {
  try {
    return parseJsonText(text, JsonLimits());
  } catch (const Error &error) {
    fail("the program's metadata is damaged: it {}", error.what());
  }
}

} // namespace

bool Task::makesTokens() const {
  return kind == "generate" || kind == "translate" || kind == "transcribe" ||
         kind == "chat";
}

Metadata Metadata::parse(std::string_view text) {
  try {
    records::Program program;
    records::Reader::read(parsed(text), program);
    return of(program);
  } catch (const json::exception &error) {
    fail("the program's metadata is damaged: {}", error.what());
  }
}

Metadata Metadata::of(const records::Program &from) {
  Metadata metadata;
  try {
    metadata.model = from.model;
    metadata.compilerVersion = from.compiler;
    metadata.target = from.target;
    metadata.licence = from.licence;
    metadata.noChat = from.noChat;
    metadata.weightsBytes = from.weights.bytes;
    metadata.weightsRead = from.weights.read.value_or(from.weights.bytes);
    if (metadata.weightsRead > metadata.weightsBytes)
      fail("the program's metadata is damaged: it reads {} bytes of {}",
           metadata.weightsRead, metadata.weightsBytes);
    metadata.weightsHash = from.weights.hash;
    for (const records::Entry &each : from.entries)
      metadata.entries.push_back(runtime::entry(each));
    metadata.cacheLengths = from.cacheLengths;
    for (const records::Cache &each : from.caches)
      metadata.caches.push_back(cache(each, metadata.cacheLengths));
    for (const records::Task &each : from.tasks)
      metadata.tasks.push_back(runtime::task(each, metadata));
    for (const records::Kernel &each : from.kernels)
      metadata.kernels.push_back({each.name, each.schedule, each.origin,
                                  each.variantOf, each.fewOf,
                                  products(each.products)});
    metadata.sources = from.sources;
    metadata.ledger = from.ledger.text;
    metadata.ledgerConstants = from.ledger.constants;
  } catch (const json::exception &error) { // of a task's options
    fail("the program's metadata is damaged: {}", error.what());
  }
  return metadata;
}

const Task *Metadata::task(std::string_view kind) const {
  for (const Task &each : tasks)
    if (each.kind == kind)
      return &each;
  return nullptr;
}

size_t Metadata::entry(std::string_view name) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name)
      return i;
    names.push_back(entries[i].name);
  }
  fail("there is no entry '{}'; this program has: {}", name,
       fmt::join(names, ", "));
}

std::optional<size_t> Metadata::staged(std::string_view of, Stage stage) const {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].stage == stage && entries[i].stageOf == of)
      return i;
  return std::nullopt;
}

bool isRowForEach(const Shape &shape) {
  return shape.size() == 2 && shape[0].length >= 0 && shape[1].length < 0;
}

int64_t elements(const Shape &shape, std::span<const int64_t> lengths) {
  int64_t count = 1;
  for (const Axis &axis : shape) {
    int64_t extent =
        axis.length < 0 ? axis.size : lengths[static_cast<size_t>(axis.length)];
    if (__builtin_mul_overflow(count, extent, &count))
      fail("an array of this size cannot be allocated");
  }
  return count;
}

int64_t tokensRead(const Entry &entry) {
  for (const Argument &argument : entry.arguments)
    if (argument.integer)
      return argument.bound;
  return 0;
}

int64_t tokensScored(const Entry &entry) {
  if (entry.results.empty() || entry.results[0].shape.empty())
    return 0;
  return entry.results[0].shape.back().size;
}

std::vector<size_t> ownLengths(const Entry &entry) {
  std::vector<size_t> own;
  for (size_t i = 0; i < entry.lengths.size(); ++i)
    if (!entry.derived[i])
      own.push_back(i);
  return own;
}

void deriveLengths(const Entry &entry, std::span<int64_t> lengths) {
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto found = std::ranges::find(entry.lengths, name);
    if (found == entry.lengths.end())
      return std::nullopt;
    return lengths[static_cast<size_t>(found - entry.lengths.begin())];
  };
  for (size_t i = 0; i < entry.lengths.size(); ++i) {
    if (!entry.derived[i])
      continue;
    auto value = entry.derived[i]->at(valueOf);
    if (!value)
      fail("{}: a length is too large", entry.lengths[i]);
    lengths[i] = *value;
  }
}

/// Checks the lengths that follow from others, or those that do not.
static void checkLengths(const Entry &entry, std::span<const int64_t> lengths,
                         bool isDerived) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (entry.derived[i].has_value() != isDerived)
      continue;
    if (lengths[i] < 1)
      fail("{} = {}: must be at least 1", entry.lengths[i], lengths[i]);
    if (lengths[i] < entry.least[i])
      fail("{} = {}: the model takes at least {}", entry.lengths[i], lengths[i],
           entry.least[i]);
    if (entry.limits[i] && lengths[i] > *entry.limits[i])
      fail("{} = {}: the model takes at most {}", entry.lengths[i], lengths[i],
           *entry.limits[i]);
  }
}

void checkLengths(const Entry &entry, std::span<const int64_t> lengths) {
  // Messages about the lengths of arguments come first.
  for (bool isDerived : {false, true})
    checkLengths(entry, lengths, isDerived);
}

bool areLongEnough(const Entry &entry, std::span<const int64_t> lengths) {
  for (size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < std::max<int64_t>(1, entry.least[i]))
      return false;
  return true;
}

std::string text(const Shape &shape, const Entry &entry) {
  std::vector<std::string> axes;
  for (const Axis &axis : shape)
    axes.push_back(axis.length < 0
                       ? fmt::to_string(axis.size)
                       : entry.lengths[static_cast<size_t>(axis.length)]);
  return fmt::format("[{}]", fmt::join(axes, ", "));
}

} // namespace transfold::runtime::inline program

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/metadata/Metadata.h"

#include "runtime/Error.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

using nlohmann::json;

/// Larger sizes are not plausible for tensors; with this limit, products of a
/// few sizes stay below 2^63.
constexpr int64_t largestSize = int64_t{1} << 40;

int64_t size(const json &value) {
  auto number = value.get<int64_t>();
  if (number < 0 || number > largestSize)
    fail("the program's metadata is damaged: {} is not a size", number);
  return number;
}

Shape shape(const json &list, const Entry &entry) {
  Shape result;
  for (const json &axis : list) {
    if (axis.is_number()) {
      result.push_back({-1, size(axis)});
      continue;
    }
    auto found = std::find(entry.lengths.begin(), entry.lengths.end(),
                           axis.get<std::string>());
    if (found == entry.lengths.end())
      fail("the program's metadata is damaged: entry '{}' has no length '{}'",
           entry.name, axis.get<std::string>());
    result.push_back({static_cast<int>(found - entry.lengths.begin()), 0});
  }
  return result;
}

Argument argument(const json &value, const Entry &entry) {
  Argument result;
  result.name = value.at("name");
  result.external = value.value("external", result.name);
  auto kind = value.at("kind").get<std::string>();
  if (kind != "integer" && kind != "real")
    fail("the program's metadata is damaged: '{}' is not a kind of argument",
         kind);
  result.integer = kind == "integer";
  result.shape = shape(value.at("shape"), entry);
  if (value.contains("default") && !value.at("default").is_null())
    result.defaultValue = value.at("default").get<double>();
  result.isFirst = value.contains("first_of");
  result.isWanted = value.contains("wanted_of");
  if (value.contains("bound") && !value.at("bound").is_null())
    result.bound = size(value.at("bound"));
  return result;
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
std::optional<Work> work(const json &value, const Entry &entry) {
  Work result{value.at("kernel"),
              size(value.at("launches")),
              value.at("weight_bytes").get<uint64_t>(),
              {}};
  for (const json &term : value.at("operations")) {
    Work::Term &read = result.terms.emplace_back();
    read.operations = term.at(0);
    for (const json &name : term.at(1)) {
      auto length = lengthOf(name.get<std::string>(), entry);
      if (!length)
        return std::nullopt;
      read.lengths.push_back(*length);
    }
  }
  return result;
}

Products products(const std::string &name) {
  return name == "int8"   ? Products::Int8
         : name == "bf16" ? Products::Bfloat16
                          : Products::Float32;
}

Entry entry(const json &value) {
  Entry result;
  result.name = value.at("name");
  if (auto stage = value.value("stage", ""); !stage.empty()) {
    result.stage = stage == "step" ? Stage::Step : Stage::Begin;
    result.stageOf = value.at("stage_of");
  }
  result.lengths = value.at("lengths").get<std::vector<std::string>>();
  for (const std::string &length : result.lengths) {
    auto limits = value.find("limits");
    result.limits.push_back(
        limits != value.end() && limits->contains(length)
            ? std::optional<int64_t>(size(limits->at(length)))
            : std::nullopt);
    auto least = value.find("least");
    result.least.push_back(least != value.end() && least->contains(length)
                               ? size(least->at(length))
                               : 1);
  }
  for (const json &product : value.value("products", json::array())) {
    auto &factors = result.products.emplace_back();
    for (const json &factor : product) {
      factors.push_back(static_cast<size_t>(size(factor)));
      if (factors.back() >= result.lengths.size())
        fail("the program's metadata is damaged: entry '{}' has no length {}",
             result.name, factors.back());
    }
  }
  result.weightBytes = value.value("weight_bytes", uint64_t{0});
  for (const json &each : value.value("work", json::array()))
    if (auto known = work(each, result))
      result.work.push_back(std::move(*known));
  for (const json &each : value.at("arguments"))
    result.arguments.push_back(argument(each, result));
  for (const json &each : value.at("results")) {
    std::string name = each.at("name");
    result.results.push_back(
        {name, each.value("external", name), shape(each.at("shape"), result)});
  }
  return result;
}

Cache cache(const json &value, const std::vector<std::string> &lengths) {
  Cache result;
  result.name = value.at("name");
  result.members = size(value.at("members"));
  result.rowNumbers = size(value.at("row_numbers"));
  result.rowBytes = size(value.at("row_bytes"));
  if (value.contains("window"))
    result.window = size(value.at("window"));
  if (!value.at("length").is_null()) {
    auto found =
        std::ranges::find(lengths, value.at("length").get<std::string>());
    if (found == lengths.end())
      fail("the program's metadata is damaged: no cache has length {}",
           value.at("length").dump());
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

Task task(const json &value, const Metadata &metadata) {
  Task result{value.at("kind"),
              value.at("entries").get<std::vector<std::string>>(),
              value.value("options", json::object()),
              {},
              {},
              {},
              {}};
  if (result.entries.empty())
    fail("the program's metadata is damaged: task '{}' has no entry",
         result.kind);
  for (const std::string &name : result.entries)
    metadata.entry(name);
  if (!result.makesTokens())
    return result;
  const Entry &entry = metadata.entries[metadata.entry(result.entries.back())];
  int64_t read = tokensRead(entry), made = tokensScored(entry);
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

} // namespace

bool Task::makesTokens() const {
  return kind == "generate" || kind == "translate" || kind == "transcribe" ||
         kind == "chat";
}

Metadata Metadata::parse(std::string_view text) {
  Metadata metadata;
  try {
    json root = json::parse(text);
    metadata.model = root.at("model");
    metadata.compilerVersion = root.value("transfold", "");
    metadata.target = root.value("target", "");
    metadata.licence = root.value("licence", "");
    metadata.weightsBytes = root.at("weights").at("bytes");
    metadata.weightsRead =
        root.at("weights").value("read", metadata.weightsBytes);
    if (metadata.weightsRead > metadata.weightsBytes)
      fail("the program's metadata is damaged: it reads {} bytes of {}",
           metadata.weightsRead, metadata.weightsBytes);
    metadata.weightsHash = root.at("weights").value("hash", "");
    for (const json &each : root.at("entries"))
      metadata.entries.push_back(runtime::entry(each));
    metadata.cacheLengths =
        root.value("cache_lengths", std::vector<std::string>());
    for (const json &each : root.value("caches", json::array()))
      metadata.caches.push_back(cache(each, metadata.cacheLengths));
    for (const json &each : root.value("tasks", json::array()))
      metadata.tasks.push_back(runtime::task(each, metadata));
    for (const json &each : root.value("kernels", json::array()))
      metadata.kernels.push_back(
          {each.at("name"), each.value("schedule", ""),
           each.value("origin", ""), each.value("variant_of", ""),
           each.value("few_of", ""), products(each.value("products", ""))});
    for (const json &each : root.value("sources", json::array()))
      metadata.sources.emplace_back(each.at(0), each.at(1));
    json ledger = root.value("ledger", json::object());
    metadata.noChat = root.value("no_chat", "");
    metadata.ledger = ledger.value("text", "No constants were folded.\n");
    metadata.ledgerConstants = ledger.value("constants", json::array());
  } catch (const json::exception &error) {
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

void checkLengths(const Entry &entry, std::span<const int64_t> lengths) {
  for (size_t i = 0; i < lengths.size(); ++i) {
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

std::string text(const Shape &shape, const Entry &entry) {
  std::vector<std::string> axes;
  for (const Axis &axis : shape)
    axes.push_back(axis.length < 0
                       ? fmt::to_string(axis.size)
                       : entry.lengths[static_cast<size_t>(axis.length)]);
  return fmt::format("[{}]", fmt::join(axes, ", "));
}

} // namespace transfold::runtime

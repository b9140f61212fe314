// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers questions about a program from its metadata, without running it.

#include "runtime/library/Describe.h"

#include "runtime/steps/Generator.h"

#include <algorithm>

namespace transfold::runtime::inline library {

namespace {

using json = nlohmann::ordered_json;

/// The entry of the program's first task, of a generating task if there is one;
/// the first entry if there are no tasks; null if there are no entries.
const Entry *mainEntry(const Metadata &metadata) {
  const Task *task = generatingTask(metadata);
  if (!task && !metadata.tasks.empty())
    task = &metadata.tasks.front();
  if (!task)
    return metadata.entries.empty() ? nullptr : &metadata.entries.front();
  const std::string &name =
      task->makesTokens() ? task->entries.back() : task->entries.front();
  return &metadata.entries[metadata.entry(name)];
}

/// A shape as a list of sizes and of names of lengths.
json shapeOf(const Shape &shape, const Entry &entry) {
  json result = json::array();
  for (const Axis &axis : shape)
    if (axis.length < 0)
      result.push_back(axis.size);
    else
      result.push_back(entry.lengths[static_cast<size_t>(axis.length)]);
  return result;
}

/// An entry with its lengths, arguments and results.
json describe(const Entry &entry) {
  json lengths = json::object(), arguments = json::array(),
       results = json::array();
  for (size_t i : ownLengths(entry)) {
    json &length = lengths[entry.lengths[i]] = {{"least", entry.least[i]}};
    if (entry.limits[i])
      length["most"] = *entry.limits[i];
  }
  for (const Argument &argument : entry.arguments) {
    json &added = arguments.emplace_back(
        json{{"name", argument.external},
             {"kind", argument.integer ? "integer" : "real"},
             {"shape", shapeOf(argument.shape, entry)}});
    if (argument.defaultValue)
      added["default"] = *argument.defaultValue;
    if (argument.bound)
      added["bound"] = argument.bound;
  }
  for (const Result &result : entry.results)
    results.push_back(
        {{"name", result.external}, {"shape", shapeOf(result.shape, entry)}});
  return {{"name", entry.name},
          {"lengths", lengths},
          {"arguments", arguments},
          {"results", results}};
}

} // namespace

int64_t contextLength(const Metadata &metadata) {
  const Entry *entry = mainEntry(metadata);
  if (!entry)
    return 0;
  if (auto step = metadata.staged(entry->name, Stage::Step))
    entry = &metadata.entries[*step];
  // The limit of the length of the entry's token sequence.
  std::optional<int64_t> limit;
  for (const Argument &argument : entry->arguments)
    if (argument.integer && argument.shape.size() == 1 && !argument.isWanted &&
        argument.shape[0].length >= 0) {
      limit = entry->limits[static_cast<size_t>(argument.shape[0].length)];
      break;
    }
  int64_t most = limit.value_or(0);
  if (!metadata.tasks.empty() && !generatingTask(metadata)) {
    const json &options = metadata.tasks.front().options;
    auto option = options.find("max_tokens");
    if (option != options.end() && option->is_number_unsigned())
      most = most ? std::min(most, option->get<int64_t>())
                  : option->get<int64_t>();
  }
  return most;
}

int64_t vocabulary(const Metadata &metadata) {
  const Entry *entry = mainEntry(metadata);
  return entry ? tokensRead(*entry) : 0;
}

int64_t dimensions(const Metadata &metadata) {
  const Task *task = metadata.task("embed");
  if (!task)
    return 0;
  return tokensScored(metadata.entries[metadata.entry(task->entries[0])]);
}

std::string describe(const LoadedProgram &program) {
  const Metadata &metadata = program.metadata();
  json tasks = json::object(), entries = json::array();
  for (const Task &task : metadata.tasks)
    tasks[task.kind] = {{"entries", task.entries}, {"options", task.options}};
  for (const Entry &entry : metadata.entries)
    if (entry.stage == Stage::Whole)
      entries.push_back(describe(entry));
  json all = {{"model", metadata.model},
              {"transfold", metadata.compilerVersion},
              {"target", metadata.target},
              {"device", program.device()},
              {"processor", program.variant().name},
              {"weights_bytes", metadata.weightsBytes},
              {"context_length", contextLength(metadata)},
              {"vocabulary", vocabulary(metadata)},
              {"dimensions", dimensions(metadata)},
              {"tokenizer", !program.tokenizerTables().empty()},
              {"chat_template", !program.chatTemplate().empty()},
              {"tasks", tasks},
              {"entries", entries}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace transfold::runtime::inline library

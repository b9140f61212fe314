// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The provenance of a program: what it was compiled from, and how.

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/info/Contents.h"
#include "runtime/program/StaticProgram.h"
#include "runtime/steps/DeviceCaches.h"
#include "runtime/steps/HostCaches.h"
#include "runtime/steps/Steps.h"

#include <map>

namespace transfold::runtime::inline commands {

namespace {

/// "encode(input_ids[n], token_type_ids[n] = 0) -> last_hidden_state[n, 384]"
std::string signature(const Entry &entry) {
  std::vector<std::string> arguments, results, limits;
  for (const Argument &argument : entry.arguments)
    arguments.push_back(argument.external + text(argument.shape, entry) +
                        (argument.defaultValue
                             ? fmt::format(" = {}", *argument.defaultValue)
                             : ""));
  for (const Result &result : entry.results)
    results.push_back(result.external + text(result.shape, entry));
  for (size_t i = 0; i < entry.lengths.size(); ++i)
    if (entry.limits[i])
      limits.push_back(
          fmt::format("{} <= {}", entry.lengths[i], *entry.limits[i]));
  return fmt::format("{}({}) -> {}{}{}", entry.name, fmt::join(arguments, ", "),
                     fmt::join(results, ", "), limits.empty() ? "" : "   ",
                     fmt::join(limits, ", "));
}

/// A number of bytes for people, in decimal units.
std::string size(uint64_t bytes) {
  auto number = static_cast<double>(bytes);
  return bytes < 1000      ? fmt::format("{} bytes", bytes)
         : bytes < 1000000 ? fmt::format("{:.1f} KB", number / 1e3)
                           : fmt::format("{:.1f} MB", number / 1e6);
}

/// The largest value of a cache length; nullopt if it has no limit.
std::optional<int64_t> limitOf(const std::string &length,
                               const Metadata &metadata) {
  for (const Entry &entry : metadata.entries)
    for (size_t i = 0; i < entry.lengths.size(); ++i)
      if (entry.lengths[i] == length && entry.limits[i])
        return entry.limits[i];
  return std::nullopt;
}

/// The size of a sequence's caches, those with the same length and window
/// together: "4.1 KB for each of the last 512 rows of n, 4.3 MB at most".
std::vector<std::string> memoryOfSequence(const LoadedProgram &program) {
  const Metadata &metadata = program.metadata();
  const auto mostOf = program.isOnDevice() ? mostBytesOnDevice : mostBytes;
  struct Rows {
    int64_t bytes = 0, most = 0;
  };
  std::map<std::pair<int, int64_t>, Rows> alike; // by length and window
  int64_t states = 0;
  for (const Cache &cache : metadata.caches) {
    if (cache.isState) {
      states += cache.members * cache.rowBytes;
      continue;
    }
    Rows &rows = alike[{cache.length, cache.window}];
    rows.bytes += cache.members * cache.rowBytes;
    if (cache.window)
      rows.most += mostOf(cache, Steps::usualChunk(program));
  }
  std::vector<std::string> lines;
  if (states)
    lines.push_back(fmt::format(
        "{} of states, and in a conversation up to {} copies of them, to which "
        "it can go back",
        size(static_cast<uint64_t>(states)),
        KeptStates::mostOfPrompt + KeptStates::mostOfAnswer));
  for (const auto &[key, rows] : alike) {
    auto [length, window] = key;
    std::string bytes = size(static_cast<uint64_t>(rows.bytes));
    if (length < 0) {
      lines.push_back(bytes);
      continue;
    }
    const std::string &name =
        metadata.cacheLengths[static_cast<size_t>(length)];
    auto limit = limitOf(name, metadata);
    std::optional<int64_t> most;
    if (limit)
      most = *limit * rows.bytes;
    if (window && (!most || rows.most < *most))
      most = rows.most;
    lines.push_back(fmt::format(
        "{} for each of {}{}{}", bytes,
        window ? fmt::format("the last {} of ", window) : "", name,
        most ? fmt::format(", {} at most", size(static_cast<uint64_t>(*most)))
             : ""));
  }
  return lines;
}

/// Prints the software that a program includes: as an SPDX document, or its
/// licenses.
void printContents(const LoadedProgram &program, const std::string &name,
                   bool asSbom) {
  const Metadata &metadata = program.metadata();
  const ProgramContents contents = {.name = name,
                                    .model = metadata.model,
                                    .version = metadata.compilerVersion,
                                    .hash = metadata.weightsHash,
                                    .modelLicence = metadata.licence,
                                    .isStatic = isStaticProgram()};
  print(asSbom ? sbomOf(contents).dump(2) + "\n" : licencesOf(contents));
}

/// Returns the description of a program as a JSON object.
nlohmann::ordered_json described(const LoadedProgram &program) {
  const Metadata &metadata = program.metadata();
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const Entry &entry : metadata.entries)
    entries.push_back(signature(entry));
  nlohmann::ordered_json tasks = nlohmann::ordered_json::object();
  for (const Task &task : metadata.tasks)
    tasks[task.kind] = {{"entries", task.entries}, {"options", task.options}};
  nlohmann::ordered_json sources = nlohmann::ordered_json::array();
  for (const auto &[path, text] : metadata.sources)
    sources.push_back(path);
  nlohmann::ordered_json processors = nlohmann::ordered_json::array();
  for (const transfold_variant &variant : program.variants())
    processors.push_back(variant.name);
  return {{"model", metadata.model},
          {"transfold", metadata.compilerVersion},
          {"target", metadata.target},
          {"device", program.device()},
          {"devices", program.devices()},
          {"processors", processors},
          {"weights_bytes", metadata.weightsBytes},
          {"hash", metadata.weightsHash},
          {"entries", entries},
          {"tasks", tasks},
          {"sequence_memory", memoryOfSequence(program)},
          {"tokenizer", !program.tokenizerTables().empty()},
          {"kernels", metadata.kernels.size()},
          {"sources", sources}};
}

/// Prints the tasks and entries of a program.
void printEntries(const Metadata &metadata) {
  print("tasks\n");
  for (const Task &task : metadata.tasks)
    print(fmt::format("  {} from {}{}\n", task.kind,
                      fmt::join(task.entries, ", "),
                      task.options.empty() ? "" : "  " + task.options.dump()));
  print("entries\n");
  for (const Entry &entry : metadata.entries)
    print(fmt::format("  {}\n", signature(entry)));
}

/// Prints the devices and processors that a program has kernels for.
void printMachines(const LoadedProgram &program) {
  if (program.devices().size() > 1) {
    print("devices\n");
    for (std::string_view device : program.devices())
      print(fmt::format("  {}{}\n", device,
                        device == program.device() ? "  (in use)" : ""));
  }
  print("processors\n");
  std::string inUse;
  try {
    inUse = program.variant().name;
  } catch (const Error &) {
    // None of them can run here; the commands that run the program report that.
  }
  for (const transfold_variant &variant : program.variants())
    print(fmt::format("  {}  {}{}\n", variant.name, variant.target,
                      variant.name == inUse ? "  (in use)" : ""));
}

/// Prints the sizes of the weights and of a sequence's memory.
void printMemory(const LoadedProgram &program, bool areChecked) {
  const Metadata &metadata = program.metadata();
  print(fmt::format("weights\n  {}{}\n", size(metadata.weightsBytes),
                    areChecked ? ", as they were written" : ""));
  if (!metadata.caches.empty())
    print(fmt::format("memory of a sequence\n  {}\n",
                      fmt::join(memoryOfSequence(program), "\n  ")));
}

/// Prints the kernels and the files of equations.
void printKernels(const Metadata &metadata, const std::string &name) {
  print("kernels\n");
  for (const Kernel &kernel : metadata.kernels)
    print(fmt::format(
        "  {}  {}{}\n", kernel.name, kernel.schedule,
        kernel.origin.empty() ? "" : fmt::format("  ({})", kernel.origin)));
  print(fmt::format("sources (shown by '{} spec')\n", name));
  for (const auto &[path, text] : metadata.sources)
    print(fmt::format("  {}\n", path));
}

} // namespace

void info(const LoadedProgram &program, const std::string &name,
          const InfoOptions &options) {
  const Metadata &metadata = program.metadata();
  if (options.sbom || options.licences)
    return printContents(program, name, options.sbom);
  if (options.check)
    program.weights().check();
  if (options.json) {
    nlohmann::ordered_json all = described(program);
    if (options.check)
      all["weights_checked"] = true;
    print(all.dump(2) + "\n");
    return;
  }

  print(fmt::format("{}: {}, compiled by transfold {} for {}\n\n", name,
                    metadata.model, metadata.compilerVersion, metadata.target));
  printEntries(metadata);
  printMachines(program);
  printMemory(program, options.check);
  printKernels(metadata, name);
}

void ledger(const LoadedProgram &program, bool json) {
  const Metadata &metadata = program.metadata();
  print(json ? metadata.ledgerConstants.dump(2) + "\n" : metadata.ledger);
}

void spec(const LoadedProgram &program) {
  for (const auto &[path, text] : program.metadata().sources)
    print(fmt::format("// ---- {}\n{}{}", path, text,
                      text.ends_with('\n') ? "" : "\n"));
}

} // namespace transfold::runtime::inline commands

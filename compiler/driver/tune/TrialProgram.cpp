// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and runs programs with several schedules for each kernel. A run is a
// process of its own, which selects its schedules by a variable of the
// environment.

#include "compiler/driver/tune/TrialProgram.h"

#include "base/Error.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/kernels/schedule/tune/MeasuredAttr.h"
#include "dialect/Dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Support/Program.h>

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;
using nlohmann::json;

std::vector<std::string> Workload::arguments() const {
  std::vector<std::string> words = {"bench"};
  auto add = [&](const char *option, const std::string &value) {
    words.insert(words.end(), {option, value});
  };
  if (!entry.empty())
    add("--entry", entry);
  for (auto [option, number] : {std::pair("--batch", batch),
                                {"--seq", sequence},
                                {"--from", shortest},
                                {"--prompt", prompt},
                                {"--generate", generate},
                                {"--threads", threads}})
    if (number)
      add(option, std::to_string(number));
  return words;
}

TrialProgram::TrialProgram(CompileOptions options, const std::string &path,
                           const Workload &workload)
    : path(path), results(path + ".json"), workload(workload) {
  options.output = path;
  options.schedules.trials = true;
  options.look = [this](ModuleOp module) { collect(module); };
  compile(options);
}

/// The values in which a trial differs from the schedule by rule.
static kernels::Numbers differences(xf::KernelOp trial, xf::KernelOp rule) {
  kernels::Numbers numbers;
  for (NamedAttribute entry : trial.getScheduleAttr())
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue());
        number && number != rule.getScheduleAttr().get(entry.getName()))
      numbers[entry.getName().str()] = number.getInt();
  return numbers;
}

/// Whether the program continues a prompt without the output of an encoder.
static bool generates(ModuleOp module) {
  bool hasSteps = false;
  for (auto entry : module.getOps<xf::EntryOp>()) {
    hasSteps |= entry.getStage() == xf::Stage::Step;
    if (entry.getStage() == xf::Stage::Begin)
      return false;
  }
  return hasSteps;
}

void TrialProgram::collect(ModuleOp module) {
  name = module.getName().value_or("model").str();
  if (!workload.isGiven() && generates(module)) {
    workload.prompt = 128;
    workload.generate = 16;
  }
  SmallVector<xf::KernelOp> trials;
  llvm::StringMap<xf::KernelOp> rules;
  llvm::StringMap<size_t> places;
  for (auto kernel : module.getOps<xf::KernelOp>()) {
    auto said = kernel->getAttrOfType<DictionaryAttr>(kernels::triedAttrName);
    if (kernel.getVariantOf())
      trials.push_back(kernel);
    if (!said)
      continue;
    auto text = [&](StringRef key) {
      return said.getAs<StringAttr>(key).str();
    };
    kernels::MeasuredSchedule own;
    own.kernel = text("kernel");
    own.signature = text("signature");
    own.processor = text("processor");
    own.fewRows = said.getAs<IntegerAttr>("few_rows").getInt();
    processor = kernel.getVariant()->str();
    rules[kernel.getSymName()] = kernel;
    places[kernel.getSymName()] = tried.size();
    tried.push_back({kernel.getSymName().str(), std::move(own), {}});
  }
  // By the number in their names: trial1, trial2, …
  for (xf::KernelOp trial : trials) {
    auto &own = tried[places.lookup(*trial.getVariantOf())].trials;
    size_t number = 0;
    trial.getVariant()
        ->substr(StringRef(kernels::trialPrefix).size())
        .getAsInteger(10, number);
    own.resize(std::max(own.size(), number));
    own[number - 1] = differences(trial, rules.lookup(*trial.getVariantOf()));
  }
}

size_t TrialProgram::mostTrials() const {
  size_t most = 0;
  for (const TriedKernel &kernel : tried)
    most = std::max(most, kernel.trials.size());
  return most;
}

/// The environment of this process, with TRANSFOLD_CPU set.
static std::vector<std::string> environmentWith(const std::string &variant) {
  const std::string name = "TRANSFOLD_CPU=";
  std::vector<std::string> variables = {name + variant};
  for (char **each = environ; *each; ++each)
    if (!StringRef(*each).starts_with(name))
      variables.emplace_back(*each);
  return variables;
}

/// Adds the times of kernels of one part of a run, which happens `times` times.
static void addKernels(Turn &turn, const json &list, double times) {
  for (const json &each : list) {
    Turn::Kernel &kernel = turn.kernels[each.at("kernel")];
    kernel.milliseconds += times * each.at("ms").get<double>();
    kernel.launches += times * each.at("launches").get<double>();
  }
}

/// Parses the output of `PROGRAM bench --json --kernels`.
static Turn readTurn(const json &printed) {
  Turn turn;
  if (printed.contains("median_ms")) {
    turn.milliseconds = printed.at("median_ms");
    addKernels(turn, printed.at("kernels"), 1);
    return turn;
  }
  const double prompt = printed.at("prompt"), tokens = printed.at("generate");
  turn.milliseconds =
      1e3 * (prompt / printed.at("prompt_per_s").get<double>() +
             tokens / printed.at("generate_per_s").get<double>());
  addKernels(turn, printed.at("prompt_kernels"), 1);
  addKernels(turn, printed.at("token_kernels"), tokens);
  return turn;
}

Turn TrialProgram::run(size_t trial) const {
  std::vector<std::string> words = workload.arguments();
  words.insert(words.begin(), path);
  for (const char *word : {"--json", "--kernels", "--limits", "1,1", "--runs"})
    words.emplace_back(word); // skips measuring the machine's limits
  words.push_back(std::to_string(runs));
  const std::vector<std::string> variables =
      environmentWith(trial ? kernels::nameOfTrial(trial) : processor);
  const std::vector<StringRef> arguments(words.begin(), words.end()),
      environment(variables.begin(), variables.end());
  std::optional<StringRef> redirects[] = {StringRef(), results, std::nullopt};
  std::filesystem::remove(results); // would not be truncated
  std::string message;
  int status = llvm::sys::ExecuteAndWait(path, arguments, ArrayRef(environment),
                                         redirects, 0, 0, &message);
  if (status)
    fail("the program that was built for measuring failed at `{}`; {}",
         describeWorkload(),
         message.empty() ? "see its message above" : message);
  try {
    return readTurn(checkpoint::readJsonFile(results));
  } catch (const json::exception &error) {
    fail("the output of the program for `{}` cannot be parsed: {}",
         describeWorkload(), error.what());
  }
}

void TrialProgram::warmUp() {
  constexpr double enough = 200, most = 100;
  const double once = std::max(run(0).milliseconds, 1e-3);
  runs = std::lround(std::clamp(enough / once, 1.0, most));
}

/// The order alternates, so that a drift of the machine's speed does not favor
/// one.
std::vector<Turn> TrialProgram::runRound(size_t round) const {
  const size_t count = mostTrials() + 1;
  std::vector<Turn> turns(count);
  for (size_t k = 0; k < count; ++k) {
    size_t trial = round % 2 ? count - 1 - k : k;
    turns[trial] = run(trial);
  }
  return turns;
}

std::string TrialProgram::describeWorkload() const {
  return fmt::format("{}", fmt::join(workload.arguments(), " "));
}

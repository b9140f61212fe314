// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures two programs. The first one has, for each kernel, the schedules that
// are worth a try; rounds continue until the decisions are stable. Among many
// trials some are fast by chance, so the second program has only the chosen
// schedules, next to those by rule: only those that are faster again are kept,
// and these second times are recorded. If the program as a whole is not faster
// then, no file is written.

#include "compiler/driver/tune/Tune.h"

#include "base/Error.h"
#include "base/files/Temporary.h"
#include "base/files/output/OutputFile.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/driver/tune/InterleavedTiming.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "runtime/program/Processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

using namespace transfold;
using namespace transfold::driver;
using kernels::MeasuredSchedule;

namespace {
/// The maximum of rounds, the number of rounds without a change after which
/// selection ends, and the rounds of the second program.
constexpr size_t mostRounds = 40, quietRounds = 5, roundsOfProof = 11;
/// Kernels with a smaller share of the run's time are not tuned.
constexpr double leastShare = 0.005;

/// The processor of a target that this machine supports, as a Halide target.
std::string processorOf(std::string target) {
  if (target.empty())
    target = kernels::defaultTarget();
  const auto machines = kernels::describeMachines(target);
  if (machines.front().isGpu)
    fail("--target={}: tune measures kernels of processors, but this is a GPU",
         target);
  std::string lacking;
  if (kernels::crossTripleOf(target).empty())
    for (const kernels::Machine &machine : machines) {
      lacking = runtime::lacking(machine.target);
      if (lacking.empty())
        return machine.target;
    }
  fail("--target={}: this machine does not run such programs{}; tune on one "
       "that does",
       target, lacking.empty() ? "" : " (it has no " + lacking + ")");
}

/// The processor's own name, otherwise the target.
std::string nameOfMachine(const std::string &target) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (size_t colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return target;
}

/// Formats schedule values: "rows 4, unroll 2"
std::string textOf(const kernels::Numbers &numbers) {
  std::vector<std::string> words;
  for (const auto &[name, number] : numbers)
    words.push_back(fmt::format("{} {}", name, number));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The turns of a program, and statistics of its kernels.
class Rounds {
public:
  explicit Rounds(const TrialProgram &program) : program(program) {}

  void add() { rounds.push_back(program.runRound(rounds.size())); }
  size_t count() const { return rounds.size(); }

  /// The times of a launch of the kernel, in microseconds; if it is null, of
  /// the whole run, in milliseconds.
  Times timesOf(const TriedKernel *kernel, size_t trial) const {
    Times times;
    for (const std::vector<Turn> &turns : rounds) {
      const Turn &turn = turns[trial];
      auto own = turn.kernels.find(kernel ? kernel->name : "");
      times.push_back(!kernel ? turn.milliseconds
                      : own == turn.kernels.end()
                          ? 0
                          : 1e3 * own->second.milliseconds /
                                own->second.launches);
    }
    return times;
  }

  /// Whether the kernel's share of the run's time is worth tuning.
  bool counts(const TriedKernel &kernel) const {
    double own = 0, all = 0;
    for (const std::vector<Turn> &turns : rounds)
      for (const auto &[name, each] : turns[0].kernels) {
        all += each.milliseconds;
        own += name == kernel.name ? each.milliseconds : 0;
      }
    return own > leastShare * all;
  }

  /// The best trial of each kernel; nullopt for the schedule by rule.
  std::vector<std::optional<size_t>> choices() const {
    std::vector<std::optional<size_t>> choices;
    for (const TriedKernel &kernel : program.kernels()) {
      std::vector<Times> others;
      for (size_t k = 0; k < kernel.trials.size() && counts(kernel); ++k)
        others.push_back(timesOf(&kernel, k + 1));
      choices.push_back(chooseFastest(timesOf(&kernel, 0), others));
    }
    return choices;
  }

private:
  const TrialProgram &program;
  std::vector<std::vector<Turn>> rounds;
};

/// One run of the command.
class Tuning {
public:
  explicit Tuning(const TuneOptions &options)
      : options(options), compiling(options.compile),
        progress(options.compile.quiet) {
    compiling.target = processorOf(options.compile.target);
    compiling.schedules = {};
    checkOutput();
  }

  void run() {
    kernels::ScheduleFile file = select();
    while (!file.schedules.empty()) {
      const size_t chosen = file.schedules.size();
      const bool isFaster = prove(file);
      // Dropping schedules yields another program, which must be measured
      // again.
      if (file.schedules.size() < chosen)
        continue;
      if (isFaster)
        return write(file);
      break;
    }
    print(fmt::format("{}\n{}: not written\n", verdict, options.output));
    flushPrinted();
  }

private:
  /// Runs before minutes of work.
  void checkOutput() const {
    checkFolderOf(options.output);
    checkIsNoFolder(options.output, "a file's name");
    guardInputs(options.compile);
    // Opening a model registers its files as inputs.
    checkpoint::Checkpoint::open(options.compile.model);
    checkOutputs({&options.output, 1});
  }

  /// The schedules that are faster than those by rule, according to the first
  /// program.
  kernels::ScheduleFile select() {
    TrialProgram program(compiling, temporary.file("trials"), options.workload);
    Rounds rounds(program);
    progress.begin("measure");
    program.warmUp();
    const auto begin = std::chrono::steady_clock::now();
    auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           begin)
          .count();
    };
    std::vector<std::optional<size_t>> choices;
    size_t quiet = 0;
    while (program.mostTrials() && rounds.count() < mostRounds &&
           quiet < quietRounds && seconds() < options.seconds) {
      rounds.add();
      auto now = rounds.choices();
      // In earlier rounds there are no decisions yet.
      quiet = rounds.count() > fewestRounds && now == choices ? quiet + 1 : 0;
      choices = std::move(now);
      progress.step(rounds.count(), mostRounds, "rounds");
    }
    kernels::ScheduleFile file = {.model = program.model(),
                                  .machine = nameOfMachine(compiling.target),
                                  .measured = program.describeWorkload(),
                                  .schedules = {}};
    for (size_t k = 0; k < choices.size(); ++k) {
      const TriedKernel &kernel = program.kernels()[k];
      if (choices[k] && !isIn(file, kernel.own)) {
        MeasuredSchedule own = kernel.own;
        own.numbers = kernel.trials[*choices[k]];
        describe(own, compareTurns(rounds.timesOf(&kernel, 0),
                                   rounds.timesOf(&kernel, *choices[k] + 1)));
        file.schedules.push_back(own);
      }
    }
    progress.end(fmt::format(
        "{} kernels with up to {} other schedules each, {} rounds{}: {} faster",
        program.kernels().size(), program.mostTrials(), rounds.count(),
        quiet < quietRounds ? ", until the time was up" : "",
        file.schedules.size()));
    verdict = rounds.count() < fewestRounds && program.mostTrials()
                  ? "the time was up before there were enough rounds: give "
                    "more --seconds, or less work"
                  : "no other schedule is faster than the rule's by more than "
                    "noise";
    return file;
  }

  /// Measures the chosen schedules again and keeps those that are faster again.
  /// Returns whether the program as a whole is faster.
  bool prove(kernels::ScheduleFile &file) {
    writeTo(temporary.file("schedules.json"), file);
    CompileOptions own = compiling;
    own.schedules.file = temporary.file("schedules.json");
    TrialProgram program(own, temporary.file("proof"), options.workload);
    progress.begin("prove");
    program.warmUp();
    Rounds rounds(program);
    while (rounds.count() < roundsOfProof) {
      rounds.add();
      progress.step(rounds.count(), roundsOfProof, "rounds");
    }
    const TurnComparison whole =
        compareTurns(rounds.timesOf(nullptr, 0), rounds.timesOf(nullptr, 1));
    file.schedules.clear();
    lines.clear();
    for (const TriedKernel &kernel : program.kernels()) {
      if (kernel.trials.empty())
        continue;
      const TurnComparison comparison =
          compareTurns(rounds.timesOf(&kernel, 0), rounds.timesOf(&kernel, 1));
      if (!comparison.isFaster(leastGain) || isIn(file, kernel.own))
        continue;
      MeasuredSchedule &kept = file.schedules.emplace_back(kernel.own);
      kept.numbers = kernel.trials.front();
      describe(kept, comparison);
      lines += fmt::format("{}: {:.4g} µs by rule, {:.4g} with {}; {}\n",
                           kernel.name, kept.byRule, kept.microseconds,
                           textOf(kept.numbers), comparison.text());
    }
    progress.end(fmt::format("{} of them faster again", file.schedules.size()));
    lines += fmt::format("a run: {:.4g} ms by rule, {:.4g} with these; {}\n",
                         whole.before, whole.after, whole.text());
    verdict =
        file.schedules.empty()
            ? "schedules that were faster in the first rounds were not in "
              "later ones"
            : lines + "the program as a whole is not faster by more than noise";
    return whole.isFaster(0);
  }

  /// Kernels with different names but equal computations share one schedule.
  static bool isIn(const kernels::ScheduleFile &file,
                   const MeasuredSchedule &own) {
    return llvm::any_of(file.schedules, [&](const MeasuredSchedule &other) {
      return other.key() == own.key();
    });
  }

  static void describe(MeasuredSchedule &own,
                       const TurnComparison &comparison) {
    own.byRule = comparison.before;
    own.microseconds = comparison.after;
    own.rounds = static_cast<int64_t>(comparison.rounds);
  }

  static void writeTo(const std::string &path,
                      const kernels::ScheduleFile &file) {
    OutputFile output(path);
    output.write(kernels::asJson(file));
    output.commit();
  }

  void write(const kernels::ScheduleFile &file) {
    writeTo(options.output, file);
    print(fmt::format("{}{}: {} schedule{}, for compile --schedules\n", lines,
                      options.output, file.schedules.size(),
                      file.schedules.size() == 1 ? "" : "s"));
    flushPrinted();
  }

  const TuneOptions &options;
  CompileOptions compiling;
  Progress progress;
  TemporaryFolder temporary;
  std::string lines, verdict; // the results, and the reason if there is no file
};

} // namespace

void driver::tune(const TuneOptions &options) { Tuning(options).run(); }

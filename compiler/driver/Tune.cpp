// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs are measured. The first has for each kernel the schedules that
// are worth a try; rounds go on until no decision changes. Among many trials
// some are fast by chance, so that the second program has the chosen schedules
// alone, beside those by rule: only what is faster there again is kept, and
// these are the times that are written down. If the program as a whole is not
// faster then, there is no file.

#include "compiler/driver/Tune.h"

#include "compiler/driver/OutputPlace.h"
#include "compiler/driver/Progress.h"
#include "compiler/driver/Turns.h"
#include "compiler/kernels/schedule/Target.h"
#include "runtime/Error.h"
#include "runtime/files/OutputFile.h"
#include "runtime/files/Temporary.h"
#include "runtime/program/Processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

using namespace transfold;
using namespace transfold::driver;
using kernels::MeasuredSchedule;
using runtime::fail;

namespace {
/// Rounds at most; so many without a change, before nothing more is expected;
/// and those of the second program.
constexpr size_t mostRounds = 40, quietRounds = 5, roundsOfProof = 11;
/// Kernels with less of a run are left as they are: a share of its time.
constexpr double leastShare = 0.005;

/// The processor of a target that this machine is, as Halide writes it.
std::string processorOf(std::string target) {
  if (target.empty())
    target = kernels::defaultTarget();
  const auto machines = kernels::describeMachines(target);
  if (machines.front().isGpu)
    fail("--target={}: tune measures kernels of processors, and this is a GPU",
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

/// What the processor calls itself; else the target.
std::string nameOfMachine(const std::string &target) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (size_t colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return target;
}

/// "rows 4, unroll 2"
std::string textOf(const kernels::Numbers &numbers) {
  std::vector<std::string> words;
  for (const auto &[name, number] : numbers)
    words.push_back(fmt::format("{} {}", name, number));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The turns of a program, and what they say of its kernels.
class Rounds {
public:
  explicit Rounds(const TrialProgram &program) : program(program) {}

  void add() { rounds.push_back(program.runRound(rounds.size())); }
  size_t count() const { return rounds.size(); }

  /// Of a launch of the kernel, in microseconds; of the whole run, in
  /// milliseconds, where it is null.
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

  /// Whether the kernel takes a share of the run that is worth a measurement.
  bool counts(const TriedKernel &kernel) const {
    double own = 0, all = 0;
    for (const std::vector<Turn> &turns : rounds)
      for (const auto &[name, each] : turns[0].kernels) {
        all += each.milliseconds;
        own += name == kernel.name ? each.milliseconds : 0;
      }
    return own > leastShare * all;
  }

  /// The trial that each kernel should take; none for the rule's schedule.
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
      // Without what was dropped, the program is another one.
      if (file.schedules.size() < chosen)
        continue;
      if (isFaster)
        return write(file);
      break;
    }
    runtime::print(
        fmt::format("{}\n{}: not written\n", verdict, options.output));
    runtime::flushPrinted();
  }

private:
  /// Before minutes of work.
  void checkOutput() const {
    checkFolderOf(options.output);
    checkIsNoFolder(options.output, "a file's name");
    guardInputs(options.compile);
    // Opening a model says which files it is made of.
    checkpoint::Checkpoint::open(options.compile.model);
    runtime::checkOutputs({&options.output, 1});
  }

  /// The schedules that are faster than those by rule, as far as one can tell.
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
      // Before that there are none that could change.
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
        quiet < quietRounds ? ", until the time was over" : "",
        file.schedules.size()));
    verdict = rounds.count() < fewestRounds && program.mostTrials()
                  ? "the time was over before there were enough rounds: give "
                    "more --seconds, or less work"
                  : "no other schedule is faster than the rule's by more than "
                    "noise";
    return file;
  }

  /// Measures the chosen schedules again and keeps those that are faster again.
  /// Whether the program as a whole is.
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
    verdict = file.schedules.empty()
                  ? "what was faster in the first rounds was not in others"
                  : lines + "as a whole the program is not faster by more "
                            "than noise";
    return whole.isFaster(0);
  }

  /// Kernels under two names that compute the same have one schedule.
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
    runtime::OutputFile output(path);
    output.write(kernels::asJson(file));
    output.commit();
  }

  void write(const kernels::ScheduleFile &file) {
    writeTo(options.output, file);
    runtime::print(fmt::format("{}{}: {} schedule{}, for compile --schedules\n",
                               lines, options.output, file.schedules.size(),
                               file.schedules.size() == 1 ? "" : "s"));
    runtime::flushPrinted();
  }

  const TuneOptions &options;
  CompileOptions compiling;
  Progress progress;
  runtime::TemporaryFolder temporary;
  std::string lines, verdict; // what was found, and why there is no file
};

} // namespace

void driver::tune(const TuneOptions &options) { Tuning(options).run(); }

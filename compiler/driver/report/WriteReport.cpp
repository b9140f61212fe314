// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the passes stage by stage, and describes the module after each.

#include "compiler/driver/report/WriteReport.h"

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/output/CachedKernels.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/report/MeasureErrors.h"
#include "compiler/driver/report/MeasureTimes.h"
#include "compiler/fold/Ledger.h"
#include "compiler/report/Kernels.h"
#include "compiler/report/Memory.h"
#include "compiler/report/Page.h"
#include "compiler/report/ReportData.h"
#include "compiler/report/Rewrites.h"
#include "compiler/report/StageText.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;
using nlohmann::ordered_json;

namespace {

/// One run of the command.
class Reporting {
public:
  explicit Reporting(const ReportOptions &options)
      : options(options), compile(options.compile),
        progress(options.compile.quiet) {}

  void run() {
    checkOutput();
    // No weight is in a report: it describes models whose weights are
    // elsewhere.
    loaded = loadModel(context, compile.model, compile.spec,
                       checkpoint::WithoutWeights::MakeUp);
    if (options.run && loaded.checkpoint->isMadeUp())
      throw std::runtime_error(
          fmt::format("{} has no weights; --run needs them", compile.model));
    if (loaded.checkpoint->isMadeUp())
      progress.note(fmt::format("{} has no weights: the report is that of a "
                                "model with all optional ones",
                                compile.model));
    // Checked again, since the files of a directory are known now.
    checkOutputs(outputs());
    equations.emplace(loaded.model->files());
    ordered_json data = describe();
    write(options.json ? data.dump(1, ' ', /*ensure_ascii=*/false,
                                   ordered_json::error_handler_t::replace) +
                             "\n"
                       : report::pageOf(data));
  }

private:
  std::string outputName() const {
    return compile.output.empty() && !options.json ? "report.html"
                                                   : compile.output;
  }

  std::vector<std::string> outputs() const {
    const std::string name = outputName();
    return {name == "-" ? "" : name};
  }

  /// Runs before any work is done.
  void checkOutput() {
    std::vector<std::string> targets =
        targetsOf(compile.target.empty() ? "host" : compile.target);
    if (targets.size() != 1)
      throw std::runtime_error("a report is about one target; give a "
                               "single one with --target");
    target = targets.front();
    guardInputs(compile);
    if (const std::string name = outputName(); !name.empty() && name != "-") {
      checkFolderOf(name);
      checkIsNoFolder(name, "a file's name");
    }
    checkOutputs(outputs());
  }

  /// The report of the whole compilation.
  ordered_json describe() {
    progress.begin("passes");
    const FoldOptions fold = withCalibration(
        compile.fold, *loaded.module, *loaded.checkpoint,
        [](const std::string &) {},
        [&](const std::string &line) { warnings.insert(line); });
    addStage("xf");
    if (options.run)
      imported = loaded.module->clone();
    lower(Stage::Xf, Stage::Folded, "folded", fold);
    ordered_json ledger = ordered_json::array();
    Block &body = *loaded.module->getBody();
    for (Operation &op : body)
      if (isa<xf::FoldedOp, xf::MovedOp>(op)) {
        ordered_json line = fold::ledgerJson(&op);
        report::writeOrigins(line, equations->of(op.getLoc()));
        ledger.push_back(std::move(line));
      }
    lower(Stage::Folded, Stage::Staged, "staged", fold);
    ordered_json caches = report::cachesOf(*loaded.module, *equations);
    lower(Stage::Staged, Stage::Kernels, "kernels", fold);
    lower(Stage::Kernels, Stage::Host, "host", fold);
    progress.end(fmt::format("{} stages", stages.size()));
    for (const std::string &line : warnings)
      warn(line);
    ordered_json data = assemble(std::move(ledger), std::move(caches));
    if (options.run)
      measure(data);
    return data;
  }

  /// Adds times and errors.
  void measure(ordered_json &data) {
    progress.begin("run");
    CompileOptions program = compile;
    program.target = target;
    measureTimes(*loaded.module, program, *equations, data);
    measureErrors(*imported, *loaded.checkpoint, *equations, data);
    // An entry on an image or a recording has no tokens.
    const int64_t tokens = data["run"]["tokens"];
    progress.end(fmt::format("{}{:.3f} ms",
                             tokens ? fmt::format("{} tokens in ", tokens) : "",
                             data["run"]["milliseconds"].get<double>()));
  }

  ordered_json assemble(ordered_json ledger, ordered_json caches) {
    ordered_json data = {{"version", 1},
                         {"transfold", TRANSFOLD_VERSION},
                         {"model", loaded.model->name()},
                         {"target", target},
                         {"files", report::filesOf(*equations)},
                         {"equations", nullptr},
                         {"stages", std::move(stages)},
                         {"rewrites", std::move(rewrites)},
                         {"ledger", std::move(ledger)},
                         {"caches", std::move(caches)}};
    data["kernels"] = report::kernelsOf(*loaded.module, *equations,
                                        textsOf(kernels::KernelForm::Statement),
                                        textsOf(kernels::KernelForm::Assembly));
    data["memory"] = report::memoryOf(*loaded.module, *equations);
    data["equations"] = report::equationsOf(*equations, data);
    return data;
  }

  /// Runs the passes of the stages after `from` up to `to`.
  void lower(Stage from, Stage to, const char *name, const FoldOptions &fold) {
    runStages(*loaded.module, {.from = from,
                               .to = to,
                               .target = target,
                               .fold = fold,
                               .schedules = compile.schedules,
                               .prepare = [&](PassManager &passes) {
                                 passes.addInstrumentation(
                                     std::make_unique<report::RecordRewrites>(
                                         *equations, name, rewrites));
                               }});
    addStage(name);
  }

  void addStage(const char *name) {
    ordered_json stage = {{"name", name}};
    stage.update(report::linkedText(*loaded.module, *equations));
    stages.push_back(std::move(stage));
  }

  report::KernelTexts textsOf(kernels::KernelForm form) {
    report::KernelTexts texts;
    for (kernels::BuiltKernel &kernel :
         cachedKernels.build({*loaded.module}, form))
      texts[kernel.name] = std::move(kernel.bytes);
    return texts;
  }

  void write(const std::string &text) {
    const std::string name = outputName();
    if (name.empty() || name == "-") {
      print(text);
      flushPrinted();
      return;
    }
    progress.begin("report");
    OutputFile file(name);
    file.write(text);
    file.commit();
    progress.end(fmt::format("{}, {} KiB", name, (text.size() + 1023) / 1024));
  }

  const ReportOptions &options;
  const CompileOptions &compile;
  Progress progress;
  MLIRContext context;
  LoadedModel loaded;
  OwningOpRef<ModuleOp> imported; // with options.run
  std::string target;
  CachedKernels cachedKernels{compile, progress};
  std::optional<report::SpecEquations> equations;
  ordered_json stages = ordered_json::array(), rewrites = ordered_json::array();
  std::set<std::string> warnings; // deduplicated
};

} // namespace

void driver::writeReport(const ReportOptions &options) {
  Reporting(options).run();
}

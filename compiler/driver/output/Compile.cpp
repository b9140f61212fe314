// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `compile`, stage by stage. Files are committed together at the
// end: if a command fails or is interrupted, the previous ones remain.

#include "compiler/driver/output/Compile.h"

#include "base/files/FilesRead.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/model/ContentHash.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/output/CachedKernels.h"
#include "compiler/driver/output/Depfile.h"
#include "compiler/driver/output/LibraryOutput.h"
#include "compiler/driver/output/OutputOptions.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/driver/output/PackageOutput.h"
#include "compiler/driver/output/ProgramParts.h"
#include "compiler/driver/output/ProgramTexts.h"
#include "compiler/driver/output/WeightsOutput.h"
#include "compiler/driver/pipeline/DescribeMeasured.h"
#include "compiler/driver/pipeline/DescribeQuantized.h"
#include "compiler/driver/pipeline/DescribeStored.h"
#include "compiler/driver/pipeline/DescribeWidened.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/pipeline/UnrequestedResults.h"
#include "compiler/host/emit/EmitProgram.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "compiler/link/HideSymbols.h"
#include "compiler/link/Link.h"
#include "compiler/spec/EquationText.h"
#include "compiler/spec/syntax/Parser.h"
#include "compiler/spec/syntax/TreeText.h"
#include "dialect/Labels.h"
#include "runtime/commands/info/Contents.h"
#include "runtime/serve/Endpoint.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <set>
#include <thread>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

/// Writes a text to a file, or to standard output.
void writeText(const std::string &output, const std::string &text) {
  if (output.empty() || output == "-") {
    print(text);
    flushPrinted();
    return;
  }
  OutputFile file(output);
  file.write(text);
  file.commit();
}

/// The text of a module.
template <typename Printable> std::string printed(Printable &&printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printable.print(stream, OpPrintingFlags());
  return text + "\n";
}

/// One run of the command.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options)
      : options(options), progress(options.quiet) {}

  void run() {
    if (!options.depfile.empty()) {
      recordFilesRead();
      noteRead(ownExecutable());
    }
    checkOutput();
    guardInputs(options);
    checkOutputs(outputs());
    write();
    writeDepfile();
  }

private:
  void write() {
    if (options.emit == Stage::Ast)
      return writeTree();
    load();
    // Checked again, since the files of a directory and the name of a library
    // are known now.
    checkOutputs(outputs());
    if (options.emit == Stage::Equations)
      return writeText(options.output, spec::equationText(*loaded.model));
    runPasses();
    switch (options.emit) {
    case Stage::Ast: // returned above
    case Stage::Equations:
    case Stage::Xf:
    case Stage::Folded:
    case Stage::Staged:
    case Stage::Kernels:
    case Stage::Host:
      return writeText(options.output, printedModules());
    case Stage::Statements:
      return writeKernels(kernels::KernelForm::Statement);
    case Stage::Assembly:
      return writeKernels(kernels::KernelForm::Assembly);
    case Stage::Llvm:
      return writeLlvm();
    case Stage::Object:
    case Stage::Executable:
    case Stage::Library:
    case Stage::Package:
      return writeProgram();
    }
  }

  /// Runs last: the outputs exist, and every input file has been read.
  void writeDepfile() {
    if (options.depfile.empty())
      return;
    OutputFile file(options.depfile);
    file.write(
        dependencyRule(library ? library->path() : outputName(), filesRead()));
    file.commit();
  }

  std::string outputName() const {
    return options.output.empty() && options.emit == Stage::Executable
               ? "a.out"
               : options.output;
  }

  /// The target whose machine starts the program.
  const std::string &target() const { return targets.back(); }

  /// Runs before any work is done.
  void checkOutput() {
    targets = targetsOf(options.target);
    checkOutputOptions(options, targets);
    for (const std::string &beside : {options.sbom, options.depfile})
      if (!beside.empty())
        checkFolderOf(beside);
    if (options.emit == Stage::Library) {
      library.emplace(options.output, target());
      return;
    }
    if (options.emit >= Stage::Executable) {
      libraries = librariesOf(target(), kernels::crossTripleOf(target()));
      libraries.tools.isStatic = options.isStatic;
    }
    if (options.emit == Stage::Package) {
      package.emplace(PackageOptions{options.output, options.debName,
                                     options.debVersion,
                                     kernels::crossTripleOf(target())});
      return;
    }
    std::string name = outputName();
    checkFolderOf(name);
    if (options.emit == Stage::Object)
      return;
    checkIsNoFolder(name, options.emit == Stage::Executable
                              ? "the executable's name"
                              : "a file's name");
    // An executable and its weights replace existing files together.
    if (options.emit == Stage::Executable && !isPlainFileOrNothing(name))
      throw std::runtime_error(fmt::format(
          "{}: not a regular file; give the executable's name with -o", name));
  }

  /// The files that will be written, as far as they are known. A file that is
  /// written without being in this list is checked too, but only when it is
  /// written.
  std::vector<std::string> outputs() {
    std::vector<std::string> all = {options.sbom, options.depfile};
    if (library) {
      if (loaded.model)
        library->nameFor(loaded.model->name());
      for (const std::string &path : library->paths())
        all.push_back(path);
    } else if (options.emit != Stage::Object) {
      const std::string name = outputName();
      all.push_back(name == "-" ? "" : name);
      if (options.emit == Stage::Executable && !options.embedWeights &&
          !options.withoutWeights)
        all.push_back(followLinks(name) + ".weights");
    }
    return all;
  }

  /// Writes the syntax tree, for which no checkpoint has to be read if --spec
  /// is given.
  void writeTree() {
    std::string path =
        options.spec.empty()
            ? findSpec(*checkpoint::Checkpoint::open(options.model))
            : options.spec;
    writeText(options.output,
              spec::treeText(spec::parse(spec::Source::load(path))));
  }

  /// Opens and imports the model.
  void load() {
    progress.begin("equations");
    loaded = loadModel(context, options.model, options.spec, options.missing);
    unsigned entries = 0, operations = 0;
    for (auto entry : loaded.module->getOps<xf::EntryOp>()) {
      ++entries;
      entry.walk([&](Operation *) { ++operations; });
    }
    progress.end(fmt::format("{}: {} entries, {} operations",
                             loaded.model->name(), entries, operations));
  }

  /// Lowers the model to the requested stage, and reports what was folded and
  /// rounded.
  void runPasses() {
    progress.begin("passes");
    std::vector<std::string> notes;
    std::set<std::string> warnings; // deduplicated over several runs
    const FoldOptions fold = withCalibration(
        options.fold, *loaded.module, *loaded.checkpoint,
        [&](const std::string &line) { notes.push_back(line); },
        [&](const std::string &line) { warnings.insert(line); });
    std::vector<PassRecord> records;
    PassObserver observer;
    if (options.showPasses)
      observer = [&](const PassRecord &record) { records.push_back(record); };
    lowering.emplace(context, targets, options.schedules, observer);
    lowering->run(*loaded.module, options.emit, fold);
    modules = lowering->modules();
    unsigned constants = 0, left = 0;
    for (auto line : loaded.module->getOps<xf::FoldedOp>())
      line.getKept() ? ++left : ++constants;
    unsigned launches = 0, kernels = 0;
    for (ModuleOp module : modules) {
      module.walk([&](xf::LaunchOp) { ++launches; });
      for (auto kernel : module.getOps<xf::KernelOp>())
        kernels += !kernel.getVariantOf();
    }
    progress.end(fmt::format("{} constants folded, {} left; {} launches of {} "
                             "kernels",
                             constants, left, launches, kernels));
    // On standard error: the module may go to standard output.
    for (const PassRecord &record : records)
      for (const std::string &line : linesOf(record))
        reportLine(line);
    for (const std::string &line :
         describeLeftOut(*loaded.module, *loaded.model))
      progress.note(line);
    if (options.emit >= Stage::Host)
      for (const std::string &line : describeStored(modules.back()))
        progress.note(line);
    for (const std::string &line : notes)
      progress.note(line);
    for (const std::string &line : warnings)
      warn(line);
    if (options.fold.weights != fold::Weights::Stored)
      progress.note(describeQuantized(*loaded.module));
    else if (options.fold.products != fold::Products::Exact &&
             !hasRoundedProducts(*loaded.module))
      progress.note("--products changes nothing: no weight has so few bits; "
                    "use --quantize to round weights, too");
    if (std::string line = describeMeasured(*loaded.module); !line.empty())
      progress.note(line);
    if (options.look)
      options.look(*loaded.module);
  }

  /// The modules of all targets as text, each after a line with its target.
  std::string printedModules() {
    std::string text;
    for (auto [module, name] : llvm::zip(modules, targets))
      text +=
          (modules.size() > 1 ? fmt::format("// --target={}\n", name) : "") +
          printed(module);
    return text;
  }

  void writeKernels(kernels::KernelForm form) {
    std::string text;
    for (const auto &kernel : cachedKernels.build(modules, form))
      text += fmt::format("// {}\n{}\n", kernel.name, kernel.bytes);
    writeText(options.output, text);
  }

  void writeLlvm() {
    llvm::LLVMContext llvmContext;
    auto program = host::emitProgram(
        modules, {std::vector<std::string>(modules.size(), "{}"), "", ""},
        llvmContext);
    std::string text;
    llvm::raw_string_ostream stream(text);
    program->print(stream, nullptr);
    writeText(options.output, text);
  }

  /// Builds all objects and links them. The symbols of kernels are hidden,
  /// since other programs contain the same names.
  void writeProgram() {
    weightsHash = contentHash(printedModules(), *loaded.checkpoint);
    const auto [texts, metadata] =
        programTexts(options, loaded, modules, weightsHash);
    std::vector<link::Object> objects;
    for (auto &kernel :
         cachedKernels.build(modules, kernels::KernelForm::Object))
      objects.push_back(
          {kernel.name, link::hideSymbols(std::move(kernel.bytes))});
    for (kernels::DeviceObject &object :
         kernels::buildDeviceObjects(modules, cachedKernels.used()))
      objects.push_back(
          {object.name, object.isOwn
                            ? link::hideSymbols(std::move(object.bytes))
                            : std::move(object.bytes)});
    llvm::LLVMContext llvmContext;
    auto program = host::emitProgram(modules, texts, llvmContext);
    if (options.emit == Stage::Executable || options.emit == Stage::Package)
      host::addParts(*program, partsOf(metadata));
    if (options.emit == Stage::Library)
      host::addText(*program, "transfold_library_name",
                    library->nameFor(loaded.model->name()).name);
    objects.push_back(
        {"program",
         host::emitObject(*program, kernels::crossTripleOf(target()))});
    if (options.emit == Stage::Object)
      return writeObjects(objects);
    writeSbom(metadata);
    if (options.emit == Stage::Library)
      return writeLibrary(objects);
    if (options.emit == Stage::Package)
      return writePackage(objects, metadata);
    // Next to the file that links lead to: the program looks for its weights
    // there.
    writeExecutable(objects, followLinks(outputName()));
  }

  runtime::ProgramContents contents(const runtime::Metadata &metadata) const {
    const std::string file =
        std::filesystem::path(library ? library->path() : outputName())
            .filename()
            .string();
    return {.name = package ? package->name() : file,
            .model = metadata.model,
            .version = metadata.compilerVersion,
            .hash = metadata.weightsHash,
            .modelLicence = metadata.licence,
            .hasCommands = !library,
            .isStatic = options.isStatic};
  }

  void writeSbom(const runtime::Metadata &metadata) {
    if (options.sbom.empty())
      return;
    sbom.emplace(options.sbom);
    sbom->write(runtime::sbomOf(contents(metadata)).dump(2) + "\n");
  }

  /// Appends the SBOM to the program's files, after which it is committed; with
  /// a package, it is committed after the package instead.
  std::vector<OutputFile *> withSbom(std::vector<OutputFile *> files) {
    if (sbom && !package)
      files.push_back(&*sbom);
    return files;
  }

  void writePackage(const std::vector<link::Object> &objects,
                    const runtime::Metadata &metadata) {
    writeExecutable(objects, package->programPath());
    progress.begin("package");
    package->write(contents(metadata), runtime::serve::canServe(metadata));
    if (sbom)
      sbom->commit();
    progress.end(options.output);
  }

  /// Links the executable and writes its weights; both appear together.
  void writeExecutable(const std::vector<link::Object> &objects,
                       const std::string &output) {
    progress.begin("link");
    OutputFile executable(output, link::executableMode);
    link::linkExecutable(objects, libraries, executable);
    progress.end(outputName());
    const std::vector<OutputFile *> files = withSbom({&executable});
    if (options.withoutWeights)
      return commitFiles(files);
    progress.begin("weights");
    WeightsOutput writer = weightsOutput();
    std::string place = outputName();
    if (options.embedWeights)
      writer.embed(files, output);
    else
      place = writer.write(files, output + ".weights");
    endWeights(writer, package ? "the package" : place);
  }

  /// Links the library and writes its weights; all files appear together.
  void writeLibrary(const std::vector<link::Object> &objects) {
    progress.begin("link");
    library->write(objects, loaded.model->name());
    progress.end(library->path());
    progress.begin("weights");
    WeightsOutput writer = weightsOutput();
    std::string place =
        writer.write(withSbom(library->files()), library->weightsPath());
    endWeights(writer, place);
  }

  void writeObjects(const std::vector<link::Object> &objects) {
    std::string folder = options.output.empty() ? "a.out" : options.output;
    std::filesystem::create_directories(folder);
    for (const link::Object &object : objects)
      writeText(folder + "/" + object.name + ".o", object.bytes);
  }

  /// The output of the weights; the passes have run and the hash is known.
  WeightsOutput weightsOutput() {
    return WeightsOutput({modules, *loaded.checkpoint, weightsHash, threads()},
                         progress);
  }

  /// Ends the stage "weights", which were written to `place`.
  void endWeights(const WeightsOutput &writer, const std::string &place) {
    progress.end(fmt::format("{} MiB in {}{}", writer.mebibytes(), place,
                             describeWidened(*loaded.module)));
  }

  /// The number of threads for work on attributes, which a context without
  /// multithreading does not protect.
  unsigned threads() {
    if (!context.isMultithreadingEnabled())
      return 1;
    return options.threads ? options.threads
                           : std::max(1U, std::thread::hardware_concurrency());
  }

  const CompileOptions &options;
  Progress progress;
  MLIRContext context;
  std::vector<std::string> targets;
  LoadedModel loaded;
  /// One module for each target: that of `loaded`, and copies of it.
  std::vector<ModuleOp> modules;
  std::optional<Lowering> lowering; // owns the copies
  link::Libraries libraries;        // of an executable
  std::optional<LibraryOutput> library;
  std::optional<PackageOutput> package;
  std::optional<OutputFile> sbom;
  CachedKernels cachedKernels{options, progress};
  std::string weightsHash; // of the program being written
};

} // namespace

void driver::compile(const CompileOptions &options) {
  Compilation(options).run();
}

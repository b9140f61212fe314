// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/output/Compile.h"

#include "compiler/driver/cli/Diagnostics.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/model/ChatTemplate.h"
#include "compiler/driver/model/ContentHash.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/model/ModelLicence.h"
#include "compiler/driver/output/Depfile.h"
#include "compiler/driver/output/LibraryOutput.h"
#include "compiler/driver/output/OutputOptions.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/driver/output/PackageOutput.h"
#include "compiler/driver/pipeline/DescribeMeasured.h"
#include "compiler/driver/pipeline/DescribeQuantized.h"
#include "compiler/driver/pipeline/DescribeWidened.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/pipeline/UnrequestedResults.h"
#include "compiler/fold/Ledger.h"
#include "compiler/host/emit/EmitProgram.h"
#include "compiler/host/metadata/Metadata.h"
#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/kernels/build/KernelCache.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "compiler/link/HideSymbols.h"
#include "compiler/link/Link.h"
#include "compiler/spec/syntax/Parser.h"
#include "compiler/spec/syntax/TreeText.h"
#include "compiler/tokenizer/Compile.h"
#include "compiler/weights/WriteWeights.h"
#include "dialect/Labels.h"
#include "runtime/Error.h"
#include "runtime/commands/Serve.h"
#include "runtime/commands/cli/Messages.h"
#include "runtime/commands/info/Contents.h"
#include "runtime/files/FilesRead.h"
#include "runtime/files/input/MappedFiles.h"
#include "runtime/files/output/FolderLock.h"
#include "runtime/files/output/OutputFile.h"
#include "runtime/files/weights/WeightsFile.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <set>
#include <span>
#include <thread>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

void writeText(const std::string &output, const std::string &text) {
  if (output.empty() || output == "-") {
    runtime::print(text);
    runtime::flushPrinted();
    return;
  }
  runtime::OutputFile file(output);
  file.write(text);
  file.commit();
}

template <typename Printable> std::string printed(Printable &&printable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printable.print(stream, OpPrintingFlags());
  return text + "\n";
}

class Compilation {
public:
  explicit Compilation(const CompileOptions &options)
      : options(options), progress(options.quiet) {}

  void run() {
    if (!options.depfile.empty()) {
      runtime::recordFilesRead();
      runtime::noteRead(ownExecutable());
    }
    checkOutput();
    guardInputs(options);
    runtime::checkOutputs(outputs());
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
    runtime::checkOutputs(outputs());
    runPasses();
    switch (options.emit) {
    case Stage::Ast: // returned above
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
    runtime::OutputFile file(options.depfile);
    file.write(dependencyRule(library ? library->path() : outputName(),
                              runtime::filesRead()));
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
    if (options.emit == Stage::Executable &&
        !runtime::isPlainFileOrNothing(name))
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
        all.push_back(runtime::followLinks(name) + ".weights");
    }
    return all;
  }

  void writeTree() {
    std::string path =
        options.spec.empty()
            ? findSpec(*checkpoint::Checkpoint::open(options.model))
            : options.spec;
    writeText(options.output,
              spec::treeText(spec::parse(spec::Source::load(path))));
  }

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

  void runPasses() {
    progress.begin("passes");
    std::vector<std::string> notes;
    std::set<std::string> warnings; // deduplicated over several runs
    const FoldOptions fold = withCalibration(
        options.fold, *loaded.module, *loaded.checkpoint,
        [&](const std::string &line) { notes.push_back(line); },
        [&](const std::string &line) { warnings.insert(line); });
    lowering.emplace(context, targets, options.schedules);
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
    for (const std::string &line :
         describeLeftOut(*loaded.module, *loaded.model))
      progress.note(line);
    for (const std::string &line : notes)
      progress.note(line);
    for (const std::string &line : warnings)
      runtime::warn(line);
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

  std::string printedModules() {
    std::string text;
    for (auto [module, name] : llvm::zip(modules, targets))
      text +=
          (modules.size() > 1 ? fmt::format("// --target={}\n", name) : "") +
          printed(module);
    return text;
  }

  /// The cache of kernels; null if it is not used.
  kernels::KernelCache *usedCache() {
    return options.useCache && !cache.folder().empty() ? &cache : nullptr;
  }

  std::vector<kernels::BuiltKernel> buildKernels(kernels::KernelForm form) {
    progress.begin("kernels");
    kernels::BuildOptions build;
    build.form = form;
    build.threads = options.threads;
    build.cache = usedCache();
    build.progress = [&](llvm::StringRef kernel, size_t done, size_t total) {
      progress.step(done, total, kernel.str());
    };
    std::vector<kernels::BuiltKernel> all;
    for (ModuleOp module : modules) {
      Diagnostics diagnostics(context);
      auto built = kernels::buildKernels(module, build);
      if (failed(built))
        diagnostics.raise("a kernel could not be compiled");
      std::ranges::move(*built, std::back_inserter(all));
    }
    if (build.cache)
      cache.trim(kernelCacheLimit());
    size_t bytes = 0, fromCache = 0;
    for (const auto &kernel : all) {
      bytes += kernel.bytes.size();
      fromCache += kernel.fromCache;
    }
    progress.end(fmt::format(
        "{} kernels, {} KiB{}", all.size(), bytes / 1024,
        fromCache ? fmt::format(", {} from the cache", fromCache) : ""));
    if (std::string problem = cache.problem(); !problem.empty())
      runtime::warn(fmt::format("{}: kernels cannot be cached there: {}",
                                cache.folder(), problem));
    return all;
  }

  void writeKernels(kernels::KernelForm form) {
    std::string text;
    for (const auto &kernel : buildKernels(form))
      text += fmt::format("// {}\n{}\n", kernel.name, kernel.bytes);
    writeText(options.output, text);
  }

  std::string metadataOf(ModuleOp module, const std::string &noChat) {
    auto metadata = host::describeProgram(module);
    metadata["transfold"] = TRANSFOLD_VERSION;
    metadata["licence"] = licence;
    metadata["weights"] = {{"bytes", weights::payloadBytes(modules)},
                           {"read", weights::payloadBytes(module)},
                           {"hash", weightsHash}};
    metadata["ledger"] = {{"text", fold::ledgerTable(module)},
                          {"constants", fold::ledgerJson(module)}};
    metadata["tasks"] = nlohmann::json::array();
    for (const spec::TaskInfo &task : loaded.model->tasks())
      if (hasTask(module, *loaded.model, task))
        metadata["tasks"].push_back({{"kind", task.kind},
                                     {"entries", task.entries},
                                     {"options", task.options}});
    metadata["sources"] = nlohmann::json::array();
    // Libraries are named as in specs, the spec itself without its folder, so
    // that equal inputs give equal bytes elsewhere.
    for (const auto &[path, text] : loaded.model->sources())
      metadata["sources"].push_back(
          {metadata["sources"].empty()
               ? std::filesystem::path(path).filename().string()
               : path,
           text});
    metadata["no_chat"] = noChat;
    return metadata.dump();
  }

  host::ProgramTexts texts() {
    weightsHash = contentHash(printedModules(), *loaded.checkpoint);
    licence = modelLicence(options.model);
    ChatProgram chat = chatProgram();
    host::ProgramTexts texts = {{}, tokenizerTables(), chat.bytes};
    for (ModuleOp module : modules)
      texts.metadata.push_back(metadataOf(module, chat.problem));
    return texts;
  }

  /// Empty without a tokenizer that can be compiled: token ids do not need one.
  std::string tokenizerTables() const {
    try {
      std::vector<std::string> warnings;
      std::string tables = tokenizer::compileTokenizer(
          loaded.checkpoint->tokenizer(), &warnings);
      for (const std::string &warning : warnings)
        runtime::warn(warning);
      return tables;
    } catch (const tokenizer::TokenizerError &error) {
      runtime::warn(
          fmt::format("the program has no tokenizer: {}", error.what()));
    } catch (const checkpoint::CheckpointError &error) {
      runtime::warn(
          fmt::format("the program has no tokenizer: {}", error.what()));
    }
    return {};
  }

  /// The chat template of a model that has the task `chat`.
  ChatProgram chatProgram() {
    bool hasTask = std::ranges::any_of(
        loaded.model->tasks(),
        [](const spec::TaskInfo &task) { return task.kind == "chat"; });
    if (!hasTask && !options.chatTemplate.empty())
      throw std::runtime_error(
          fmt::format("--chat-template: the spec of {} has no task chat; add "
                      "`task chat from ENTRY` to it",
                      loaded.model->name()));
    if (!hasTask)
      return {};
    ChatProgram chat = chatProgramOf(*loaded.checkpoint, options.chatTemplate);
    if (chat.bytes.empty() && chat.hasTemplate)
      runtime::warn(
          fmt::format("{}\n"
                      "   the program will not have the command `chat`; give "
                      "another template with --chat-template FILE",
                      chat.problem));
    for (const std::string &note : chat.notes)
      runtime::reportLine(fmt::format(
          "transfold: note: {}\n   the template fails if this is reached",
          note));
    return chat;
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

  void writeProgram() {
    host::ProgramTexts carried = texts();
    std::vector<link::Object> objects;
    for (auto &kernel : buildKernels(kernels::KernelForm::Object))
      objects.push_back(
          {kernel.name, link::hideSymbols(std::move(kernel.bytes))});
    for (kernels::DeviceObject &object :
         kernels::buildDeviceObjects(modules, usedCache()))
      objects.push_back(
          {object.name, object.isOwn
                            ? link::hideSymbols(std::move(object.bytes))
                            : std::move(object.bytes)});
    llvm::LLVMContext llvmContext;
    auto program = host::emitProgram(modules, carried, llvmContext);
    if (options.emit == Stage::Library)
      host::addText(*program, "transfold_library_name",
                    library->nameFor(loaded.model->name()).name);
    objects.push_back(
        {"program",
         host::emitObject(*program, kernels::crossTripleOf(target()))});
    if (options.emit == Stage::Object)
      return writeObjects(objects);
    const auto metadata = runtime::Metadata::parse(carried.metadata.front());
    writeSbom(metadata);
    if (options.emit == Stage::Library)
      return writeLibrary(objects);
    if (options.emit == Stage::Package)
      return writePackage(objects, metadata);
    // Next to the file that links lead to: the program looks for its weights
    // there.
    writeExecutable(objects, runtime::followLinks(outputName()));
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

  /// Commits the SBOM together with the program; with a package, it is
  /// committed after the package instead.
  void commitSbom() {
    if (sbom && !package)
      sbom->commit();
  }

  void writePackage(const std::vector<link::Object> &objects,
                    const runtime::Metadata &metadata) {
    writeExecutable(objects, package->programPath());
    progress.begin("package");
    package->write(contents(metadata), runtime::canServe(metadata));
    if (sbom)
      sbom->commit();
    progress.end(options.output);
  }

  void writeExecutable(const std::vector<link::Object> &objects,
                       const std::string &output) {
    progress.begin("link");
    runtime::OutputFile executable(output, link::executableMode);
    link::linkExecutable(objects, libraries, executable);
    progress.end(outputName());
    if (options.withoutWeights) {
      failIfChanged();
      executable.commit();
      return commitSbom();
    }
    progress.begin("weights");
    runtime::OutputFile *files[] = {&executable};
    std::string place = options.embedWeights
                            ? embedWeights(executable, output)
                            : writeWeights(files, output + ".weights");
    endWeights(package ? "the package" : place);
  }

  void writeLibrary(const std::vector<link::Object> &objects) {
    progress.begin("link");
    library->write(objects, loaded.model->name());
    progress.end(library->path());
    progress.begin("weights");
    std::string place = writeWeights(library->files(), library->weightsPath());
    endWeights(place);
  }

  void writeObjects(const std::vector<link::Object> &objects) {
    std::string folder = options.output.empty() ? "a.out" : options.output;
    std::filesystem::create_directories(folder);
    for (const link::Object &object : objects)
      writeText(folder + "/" + object.name + ".o", object.bytes);
  }

  int64_t weightsMiB() { return weights::payloadBytes(modules) >> 20; }

  void endWeights(const std::string &place) {
    progress.end(fmt::format("{} MiB in {}{}", weightsMiB(), place,
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

  std::function<void(int64_t)> weightsProgress() {
    return [this, total = weightsMiB()](int64_t bytes) {
      progress.step(bytes >> 20, total, "MiB");
    };
  }

  /// Fails if an input file changed meanwhile: the output would mix two
  /// versions.
  static void failIfChanged() {
    if (auto path = runtime::changedFile())
      runtime::fail("{}: was changed during compilation; compile again when "
                    "the file is complete",
                    *path);
  }

  /// Kernels treat the exponent of such a scale like any other (finiteFloat16).
  static void warnOfScales(const std::vector<std::string> &tensors) {
    if (tensors.empty())
      return;
    const size_t others = tensors.size() - 1;
    runtime::warn(fmt::format(
        "{}{} blocks whose scale is infinite or NaN: the program computes with "
        "a scale from 65536 to 131008 instead, and results that depend on "
        "these blocks are meaningless; fetch or convert the file again",
        tensors.front(),
        others == 0   ? " has"
        : others == 1 ? " and another tensor have"
                      : fmt::format(" and {} other tensors have", others)));
  }

  std::string embedWeights(runtime::OutputFile &program,
                           const std::string &output) {
    warnOfScales(weights::appendWeights(modules, *loaded.checkpoint, program,
                                        weightsHash, threads(),
                                        weightsProgress()));
    failIfChanged();
    program.commit();
    commitSbom();
    // Removes the weights of the program that was there before.
    if (std::string path = output + ".weights"; runtime::isWeightsFile(path))
      std::filesystem::remove(path);
    return outputName();
  }

  /// Writes the weights to `path`; then renames them and the program's files
  /// into place.
  std::string writeWeights(std::span<runtime::OutputFile *const> program,
                           const std::string &path) {
    runtime::noteWritten(path); // existing weights are not an input
    std::optional<runtime::OutputFile> file;
    auto write = [&] {
      file.emplace(path);
      warnOfScales(weights::writeWeights(modules, *loaded.checkpoint, *file,
                                         weightsHash, threads(),
                                         weightsProgress()));
    };
    if (!weights::isWritten(modules, path, weightsHash))
      write();
    // If another compilation to the same name runs, the result is either its
    // two files or ours. The lock is held briefly, not while weights are
    // written.
    std::optional<runtime::FolderLock> lock;
    lock.emplace(path);
    if (!file && !weights::isStillWritten(modules, path, weightsHash)) {
      lock.reset();
      write();
      lock.emplace(path);
    }
    failIfChanged();
    runtime::HoldSignals hold;
    if (file)
      file->commit();
    for (runtime::OutputFile *each : program)
      each->commit();
    commitSbom();
    return path + (file ? "" : ", unchanged");
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
  std::optional<runtime::OutputFile> sbom;
  kernels::KernelCache cache{kernelCacheFolder()};
  std::string licence;     // the text of the model's license
  std::string weightsHash; // of the program being written
};

} // namespace

void driver::compile(const CompileOptions &options) {
  Compilation(options).run();
}

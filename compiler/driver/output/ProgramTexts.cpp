// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/output/ProgramTexts.h"

#include "base/text/Messages.h"
#include "compiler/driver/model/ChatTemplate.h"
#include "compiler/driver/model/ModelLicence.h"
#include "compiler/driver/pipeline/UnrequestedResults.h"
#include "compiler/fold/Ledger.h"
#include "compiler/host/metadata/Metadata.h"
#include "compiler/host/metadata/WriteRecords.h"
#include "compiler/tokenizer/Compile.h"
#include "compiler/weights/WriteWeights.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

/// Assembles the texts of one program.
class TextAssembler {
public:
  TextAssembler(const CompileOptions &options, const LoadedModel &loaded,
                ArrayRef<ModuleOp> modules, const std::string &weightsHash)
      : options(options), loaded(loaded), modules(modules),
        weightsHash(weightsHash), licence(modelLicence(options.model)) {}

  /// Throws std::runtime_error for a chat template that does not fit.
  DescribedProgram assemble() const {
    ChatProgram chat = chatProgram();
    host::ProgramTexts texts = {{}, tokenizerTables(), chat.bytes};
    std::vector<runtime::records::Program> records;
    for (ModuleOp module : modules) {
      records.push_back(metadataOf(module, chat.problem));
      texts.metadata.push_back(host::textOf(records.back()));
    }
    return {std::move(texts), runtime::Metadata::of(records.front())};
  }

private:
  /// Returns the metadata of a module. `noChat` is the reason why the program
  /// has no chat template; empty if it has one.
  runtime::records::Program metadataOf(ModuleOp module,
                                       const std::string &noChat) const {
    runtime::records::Program metadata = host::describeProgram(module);
    metadata.compiler = TRANSFOLD_VERSION;
    metadata.licence = licence;
    metadata.weights = {
        .bytes = static_cast<uint64_t>(weights::payloadBytes(modules)),
        .read = static_cast<uint64_t>(weights::payloadBytes(module)),
        .hash = weightsHash};
    metadata.ledger = {fold::ledgerTable(module), fold::ledgerJson(module)};
    for (const spec::TaskInfo &task : loaded.model->tasks())
      if (hasTask(module, *loaded.model, task))
        metadata.tasks.push_back({task.kind, task.entries, task.options});
    // Libraries are named as in specs, the spec itself without its folder, so
    // that equal inputs give equal bytes elsewhere.
    for (const auto &[path, text] : loaded.model->sources())
      metadata.sources.emplace_back(
          metadata.sources.empty()
              ? std::filesystem::path(path).filename().string()
              : path,
          text);
    metadata.noChat = noChat;
    return metadata;
  }

  /// Returns the tables of the tokenizer; empty without one that can be
  /// compiled: token ids do not need one.
  std::string tokenizerTables() const {
    try {
      std::vector<std::string> warnings;
      std::string tables = tokenizer::compileTokenizer(
          loaded.checkpoint->tokenizer(), &warnings);
      for (const std::string &warning : warnings)
        warn(warning);
      return tables;
    } catch (const tokenizer::TokenizerError &error) {
      warn(fmt::format("the program has no tokenizer: {}", error.what()));
    } catch (const checkpoint::CheckpointError &error) {
      warn(fmt::format("the program has no tokenizer: {}", error.what()));
    }
    return {};
  }

  /// The chat template of a model that has the task `chat`. Throws
  /// std::runtime_error for a given template if the model has no such task.
  ChatProgram chatProgram() const {
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
      warn(fmt::format("{}\n"
                       "   the program will not have the command `chat`; give "
                       "another template with --chat-template FILE",
                       chat.problem));
    for (const std::string &note : chat.notes)
      reportLine(fmt::format(
          "transfold: note: {}\n   the template fails if this is reached",
          note));
    return chat;
  }

  const CompileOptions &options;
  const LoadedModel &loaded;
  ArrayRef<ModuleOp> modules;
  const std::string &weightsHash;
  const std::string licence; // the text of the model's license
};

} // namespace

DescribedProgram driver::programTexts(const CompileOptions &options,
                                      const LoadedModel &loaded,
                                      ArrayRef<ModuleOp> modules,
                                      const std::string &weightsHash) {
  return TextAssembler(options, loaded, modules, weightsHash).assemble();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a spec and elaborates all of its entries at once, in the constructor,
// so that a Model that exists is valid.

#include "compiler/spec/Model.h"
#include "compiler/checkpoint/Container.h"
#include "compiler/spec/CheckLoaded.h"
#include "compiler/spec/Finish.h"
#include "compiler/spec/PresentEntry.h"
#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/names/TaskOptions.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace transfold::spec {

namespace {
/// The only implementation of Model. It owns the syntax trees, to which the
/// elaborator has pointers; `checkpoint` belongs to the caller and must outlive
/// it.
class LoadedModel final : public Model {
public:
  /// `shapes` may be null.
  LoadedModel(LoadedSpec loaded, const checkpoint::Checkpoint *checkpoint,
              Shapes *shapes = nullptr)
      : spec(std::move(loaded)), checkpoint(checkpoint),
        elaborator(spec, checkpoint) {
    Errors errors;
    if (shapes)
      elaborator.noteShapes(*shapes);
    elaborator.continueAfterErrors(errors);
    if (checkpoint) {
      requireTables();
      elaborator.checkConfiguration();
    }
    for (const Entry &entry : spec.main.entries)
      attempt(errors, [&] { addEntry(entry); });
    errors.raise();
    for (const Task &task : spec.main.tasks)
      if (std::ranges::all_of(task.entries, [&](const std::string &name) {
            return isActive(name);
          }))
        attempt(errors, [&] {
          checkTaskNeeds(task, infoOf(task.entries.back()));
          taskInfos.push_back(taskInfo(task));
        });
    errors.raise();
  }

  const std::string &name() const override { return spec.main.name; }
  const std::vector<EntryInfo> &entries() const override { return infos; }
  const std::vector<TaskInfo> &tasks() const override { return taskInfos; }

  const std::vector<Equations> &equations() const override {
    return entryEquations;
  }

  std::vector<Diagnostic> finish() override {
    if (checkpoint)
      checkEverythingUsed(spec, *checkpoint, elaborator);
    return unusedDefinitions(spec);
  }

  LeftOver leftOver() override {
    return checkpoint ? transfold::spec::leftOver(*checkpoint, elaborator)
                      : LeftOver();
  }

  std::vector<std::pair<std::string, std::string>> sources() const override {
    std::vector<std::pair<std::string, std::string>> result;
    result.emplace_back(spec.main.source->path, spec.main.source->text);
    for (const auto &[path, file] : spec.libraries)
      result.emplace_back(path, file.source->text);
    return result;
  }

  std::vector<std::pair<std::string, const File *>> files() const override {
    std::vector<std::pair<std::string, const File *>> result;
    result.emplace_back(spec.main.source->path, &spec.main);
    for (const auto &[path, file] : spec.libraries)
      result.emplace_back(path, &file);
    return result;
  }

private:
  LoadedSpec spec;
  const checkpoint::Checkpoint *checkpoint;
  Elaborator elaborator;
  std::vector<EntryInfo> infos;
  std::vector<Equations> entryEquations;
  std::vector<TaskInfo> taskInfos;

  /// Runs `step`, and adds its errors to `errors`.
  static void attempt(Errors &errors, const std::function<void()> &step) {
    try {
      errors.attempt(step);
    } catch (const FaultyValueUsed &) {
      // The error was added where it is.
    }
  }

  /// Elaborates an entry if its condition holds or is not known.
  void addEntry(const Entry &entry) {
    auto info = signatureIfPresent(elaborator, entry);
    if (!info)
      return;
    entryEquations.push_back(elaborate(entry, *info));
    infos.push_back(std::move(*info));
  }

  /// Arguments are found to be integers where something is indexed by them. The
  /// second walk knows it from the first step on, and refuses arithmetic with
  /// them before that place.
  Equations elaborate(const Entry &entry, EntryInfo &info) {
    auto integers = [&] {
      return std::ranges::count_if(info.arguments, &ArgumentInfo::integer);
    };
    auto known = integers();
    Equations equations = elaborator.walk(entry, info);
    return integers() == known ? equations : elaborator.walk(entry, info);
  }

  /// A spec may have tables for other containers than that of the checkpoint.
  /// The message then says which kind of file to pass instead.
  void requireTables() const {
    const TopLevel top(spec.main, spec.libraries);
    auto has = [&](std::string_view name) {
      return top.constants.contains(std::string(name));
    };
    std::vector<std::string_view> others;
    std::string_view several;
    for (const checkpoint::Container &container : checkpoint::containers()) {
      if (has(container.name))
        others.insert(others.begin(), container.what); // Hugging Face first
      if (container.name == checkpoint->container())
        several = container.several;
    }
    if (others.empty() || has(checkpoint->container()))
      return;
    throw checkpoint::CheckpointError(fmt::format(
        "{}: {} of {} are not read; give {}\n"
        "   ({} has no table `config {}`.)",
        checkpoint->path(), several, spec.main.name, fmt::join(others, ", or "),
        spec.main.source->path, checkpoint->container()));
  }

  /// The options of a task; those of the `config` tables apply where the task
  /// has none of that name.
  TaskInfo taskInfo(const Task &task) {
    TaskInfo info{task.kind, task.entries, nlohmann::json::object()};
    std::map<std::string, const Definition *> options;
    if (info.makesTokens()) {
      options = elaborator.generationOptions();
      elaborator.container().wantGeneration();
    }
    for (const Definition &option : task.options)
      options[option.name] = &option;
    for (const auto &[name, option] : options) {
      StaticValue value = elaborator.staticValue(
          *option->value, elaborator.tableScope(option->place));
      elaborator.container().mentionAll(*option);
      elaborator.container().readWhole(value);
      nlohmann::json json = value.toJson();
      if (json.is_null() || json == nlohmann::json::object())
        continue; // {}: an empty option is left out
      checkTaskOption(info, infoOf(task.entries.back()), *option, value,
                      checkpoint ? checkpoint->path() : "");
      info.options[name] = std::move(json);
    }
    return info;
  }

  /// The signature of an active entry; the name must be that of one.
  const EntryInfo &infoOf(const std::string &name) const {
    return *std::ranges::find(infos, name, &EntryInfo::name);
  }

  /// Whether the entry was elaborated, that is, its condition held or was
  /// unknown.
  bool isActive(const std::string &name) const {
    return std::ranges::count(infos, name, &EntryInfo::name) != 0;
  }
};
} // namespace

std::unique_ptr<Model> Model::load(const std::string &specPath,
                                   const std::string &root,
                                   const checkpoint::Checkpoint *checkpoint) {
  return std::make_unique<LoadedModel>(loadSpec(specPath, root), checkpoint);
}

std::vector<Diagnostic> checkLoaded(LoadedSpec spec, Shapes &shapes) {
  return LoadedModel(std::move(spec), nullptr, &shapes).finish();
}

std::vector<Diagnostic> check(const std::string &specPath,
                              const std::string &root,
                              const checkpoint::Checkpoint *checkpoint) {
  // First with the checkpoint, because messages with concrete sizes say more.
  // Then without it, which finds mistakes that these sizes hide (h * d_k
  // happens to be d).
  if (checkpoint)
    Model::load(specPath, root, checkpoint)->finish();
  return Model::load(specPath, root, nullptr)->finish();
}

} // namespace transfold::spec

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/Model.h"
#include "compiler/checkpoint/Container.h"
#include "compiler/spec/Finish.h"
#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/elaborate/SinkAdapters.h"
#include "compiler/spec/names/TaskOptions.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace transfold::spec {

namespace {
class LoadedModel final : public Model {
public:
  LoadedModel(LoadedSpec loaded, const checkpoint::Checkpoint *checkpoint)
      : spec(std::move(loaded)), checkpoint(checkpoint),
        elaborator(spec, checkpoint) {
    const File &file = spec.main;
    if (checkpoint) {
      requireTables();
      elaborator.checkConfiguration();
    }
    for (const Entry &entry : file.entries) {
      auto present =
          entry.condition
              ? elaborator.condition(*entry.condition, elaborator.mainScope())
              : std::optional(true);
      if (present && !*present)
        continue;
      // Dry run: indexing with an argument marks it as integer in `info`.
      EntryInfo info = elaborator.signature(entry);
      NullSink nobody;
      elaborator.walk(entry, info, nobody);
      active.push_back(&entry);
      infos.push_back(std::move(info));
    }
    for (const Task &task : file.tasks) {
      bool possible = true;
      for (const std::string &name : task.entries)
        possible &= isActive(name);
      if (!possible)
        continue;
      checkTaskNeeds(task, infoOf(task.entries.back()));
      taskInfos.push_back(taskInfo(task));
    }
  }

  const std::string &name() const override { return spec.main.name; }
  const std::vector<EntryInfo> &entries() const override { return infos; }
  const std::vector<TaskInfo> &tasks() const override { return taskInfos; }

  std::vector<Handle> elaborate(const std::string &entry, Sink &sink) override {
    for (size_t k = 0; k < active.size(); ++k)
      if (active[k]->name == entry)
        return elaborator.walk(*active[k], infos[k], sink);
    throw SpecError(Place{spec.main.source, 0, 0},
                    fmt::format("there is no entry `{}`", entry));
  }

  std::vector<std::string> finish() override {
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

private:
  LoadedSpec spec;
  const checkpoint::Checkpoint *checkpoint;
  Elaborator elaborator;
  std::vector<const Entry *> active;
  std::vector<EntryInfo> infos;
  std::vector<TaskInfo> taskInfos;

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

  const EntryInfo &infoOf(const std::string &name) const {
    return *std::ranges::find(infos, name, &EntryInfo::name);
  }

  bool isActive(const std::string &name) const {
    for (const Entry *entry : active)
      if (entry->name == name)
        return true;
    return false;
  }
};
} // namespace

std::unique_ptr<Model> Model::load(const std::string &specPath,
                                   const std::string &root,
                                   const checkpoint::Checkpoint *checkpoint) {
  return std::make_unique<LoadedModel>(loadSpec(specPath, root), checkpoint);
}

std::vector<std::string> check(const std::string &specPath,
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

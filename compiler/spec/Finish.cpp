// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that follow elaboration: a key that the spec does not apply, or a
// tensor that no equation uses, probably means that the spec computes another
// function than the model's authors did. This file also has those methods of
// Elaborator that evaluate the `expect` and `ignore` lines of the tables.

#include "compiler/spec/Finish.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

/// Whether an `expect` line holds; nullopt if unknown. With made-up weights,
/// the tensors whose existence it queries and which are absent are assumed to
/// exist if it holds only then.
std::optional<bool> Elaborator::isAsExpected(const Expr &expectation) {
  std::set<std::string> denied = configuration.tensorsDenied();
  const Environment *scope = tableScope(expectation.range.begin);
  auto holds = condition(expectation, scope);
  if (!holds || *holds || !checkpoint->isMadeUp())
    return holds;
  configuration.assumeDenied(denied);
  return condition(expectation, scope);
}

/// Notes for an expectation that fails: the operand of the conjunction that
/// does not hold, and the values of the computed operands that it compares.
std::vector<std::string> Elaborator::whyNot(const Expr &expectation) {
  if (expectation.kind == ExprKind::And)
    for (const ExprPtr &part : expectation.operands)
      if (auto holds = condition(*part, tableScope(part->range.begin));
          holds && !*holds)
        return whyNot(*part);
  std::vector<std::string> notes{fmt::format("`{}` does not hold for {}",
                                             spec::text(expectation),
                                             checkpoint->path())};
  bool compares =
      expectation.kind >= ExprKind::Equal && expectation.kind <= ExprKind::In;
  if (!compares)
    return notes;
  for (const ExprPtr &operand : expectation.operands) {
    bool isWritten = operand->kind == ExprKind::Number ||
                     operand->kind == ExprKind::String ||
                     operand->kind == ExprKind::True ||
                     operand->kind == ExprKind::False;
    if (isWritten)
      continue;
    StaticValue value = staticValue(*operand, tableScope(operand->range.begin));
    notes.push_back(
        fmt::format("`{}` is {}", spec::text(*operand),
                    value.isNone() ? "absent" : value.toJson().dump()));
  }
  return notes;
}

/// Marks as read every key that an active table names, also in branches and
/// definitions that were not evaluated: the author of the spec knew of them.
void Elaborator::mentionConfiguration() {
  if (auto found = top.constants.find(box); found != top.constants.end())
    for (const auto &[name, definition] : found->second)
      configuration.mentionAll(*definition);
  for (const Config *config : configs) {
    // These count as mentioned also for a model that generates no tokens.
    for (const Definition &option : config->options)
      configuration.mentionAll(option);
    for (const ExprPtr &expectation : config->expectations)
      configuration.mention(*expectation);
  }
}

void Elaborator::checkConfiguration() {
  mentionConfiguration();
  for (const Config *config : configs) {
    // Evaluated even if `--spec` chose the spec, so that the keys that it reads
    // count as read.
    if (config->condition)
      (void)condition(*config->condition,
                      tableScope(config->condition->range.begin));
    for (const ExprPtr &expectation : config->expectations) {
      auto holds = isAsExpected(*expectation);
      if (holds && !*holds && fit) {
        fit->unfulfilled.push_back(spec::text(*expectation));
        continue;
      }
      if (holds && !*holds)
        throw SpecError(Code::Expectation, expectation->range.begin,
                        "this model is not what the spec expects",
                        whyNot(*expectation), expectation->range);
    }
  }
}

/// A model's own options come after those of its libraries, and replace them.
std::map<std::string, const Definition *>
Elaborator::generationOptions() const {
  std::map<std::string, const Definition *> options;
  for (const Config *config : configs)
    for (const Definition &option : config->options)
      options[option.name] = &option;
  return options;
}

/// Adds the patterns of those `ignore` lines whose condition holds.
static void addPatterns(Elaborator &elaborator,
                        const std::vector<Ignore> &ignored,
                        std::vector<std::string> &patterns) {
  for (const Ignore &ignore : ignored) {
    if (ignore.condition) {
      auto holds = elaborator.condition(
          *ignore.condition,
          elaborator.tableScope(ignore.condition->range.begin));
      if (!holds || !*holds)
        continue;
    }
    for (const ExprPtr &pattern : ignore.patterns) {
      StaticValue value = elaborator.staticValue(
          *pattern, elaborator.tableScope(pattern->range.begin));
      if (!value.text())
        throw SpecError(
            Code::WrongKind, pattern->range.begin,
            fmt::format("`ignore` needs a text, but this is {}", value.kind()));
      patterns.push_back(*value.text());
    }
  }
}

/// The patterns of all active `config` tables, libraries first.
std::vector<std::string> Elaborator::ignoredKeys() {
  std::vector<std::string> patterns;
  for (const Config *config : configs)
    addPatterns(*this, config->ignored, patterns);
  return patterns;
}

/// The patterns of all active `names` tables for whole names of tensors.
std::vector<std::string> Elaborator::ignoredTensors() {
  std::vector<std::string> patterns;
  for (const Table *table : tables)
    addPatterns(*this, table->ignored, patterns);
  // Patterns in the section of a block are relative to the prefix of each of
  // its parts.
  for (const Table *table : tables)
    for (const auto &[block, section] : table->sections) {
      std::vector<std::string> own;
      addPatterns(*this, section->ignored, own);
      for (const auto &[prefix, placed] : instances)
        if (placed.block == block)
          for (const std::string &pattern : own)
            patterns.push_back(prefix + pattern);
    }
  return patterns;
}

/// `expect "bias" == 0` compares each element of the tensor.
void Elaborator::checkTableExpectations() {
  auto checkOne = [&](const Expr &expectation, const std::string &prefix) {
    bool contents = expectation.kind == ExprKind::Equal &&
                    expectation.operands[0]->kind == ExprKind::String;
    const Environment *scope = tableScope(expectation.range.begin);
    if (!contents) {
      auto holds = condition(expectation, scope);
      if (holds && !*holds)
        throw SpecError(Code::Expectation, expectation.range.begin,
                        "this model is not what the spec expects", {},
                        expectation.range);
      return;
    }
    std::string name = prefix + text(*expectation.operands[0], scope);
    double wanted = staticValue(*expectation.operands[1], scope).toDouble();
    auto found = checkpoint->tensors().find(name);
    if (found == checkpoint->tensors().end())
      return;
    int64_t count = 1;
    for (int64_t size : found->second.shape)
      count *= size;
    for (int64_t k = 0; k < count; ++k)
      if (double value = found->second.element(k); value != wanted)
        throw SpecError(Code::Expectation, expectation.range.begin,
                        "this tensor is not what the spec expects",
                        {fmt::format("element {} of {} is {}, not {}", k, name,
                                     value, wanted)},
                        expectation.range);
    used.insert(name);
  };
  for (const Table *table : tables) {
    for (const ExprPtr &expectation : table->expectations)
      checkOne(*expectation, "");
    for (const auto &[block, section] : table->sections)
      for (const ExprPtr &expectation : section->expectations)
        for (const auto &[prefix, placed] : instances)
          if (placed.block == block)
            checkOne(*expectation, prefix);
  }
}

//===----------------------------------------------------------------------===//
// Unused keys and tensors
//===----------------------------------------------------------------------===//

/// A place without a line, for what the spec as a whole lacks.
static Place wholeFile(const LoadedSpec &spec) {
  return Place{spec.main.source, 0, 0};
}

/// Throws SpecError for keys of the configuration that were not read, with at
/// most 40 of them in the notes.
static void checkKeys(const LoadedSpec &spec,
                      const checkpoint::Checkpoint &checkpoint,
                      Elaborator &elaborator) {
  auto unread = elaborator.container().unread(elaborator.ignoredKeys());
  if (unread.empty())
    return;
  std::vector<std::string> notes;
  constexpr size_t mostShown = 40;
  for (size_t k = 0; k < std::min(unread.size(), mostShown); ++k)
    notes.push_back(fmt::format("{} = {}", unread[k].first, unread[k].second));
  if (unread.size() > mostShown)
    notes.push_back(fmt::format("and {} more", unread.size() - mostShown));
  // An `ignore` pattern matches a key of generation_config.json without the
  // name of the file, like a key of config.json.
  constexpr std::string_view generation = "generation_config.json:";
  std::string_view first = unread[0].first;
  if (first.starts_with(generation))
    first.remove_prefix(generation.size());
  notes.push_back(fmt::format(
      "A key that is not applied changes the results. Use it, `expect` a "
      "value, or `ignore \"{}\"`.",
      first));
  auto isElsewhere = [](const auto &key) {
    return key.first.find(':') != std::string::npos;
  };
  bool isOneFile = std::none_of(unread.begin(), unread.end(), isElsewhere);
  const char *where = checkpoint.container() == "hf" && isOneFile
                          ? "config.json"
                          : "the configuration";
  throw SpecError(Code::UnusedKey, wholeFile(spec),
                  fmt::format("{} unused key{} in {}", unread.size(),
                              unread.size() == 1 ? "" : "s", where),
                  notes);
}

/// Whether the block declares a part of this name; if it does not, a table
/// mentions a part that does not exist.
static bool declaresPart(const Body &body, const std::string &name) {
  for (const Statement &statement : body)
    for (const Part &part : statement.parts)
      if (part.name == name)
        return true;
  return false;
}

/// The block of this name, of the spec or of any of its libraries; null if
/// absent.
static const Block *blockNamed(const LoadedSpec &spec,
                               const std::string &name) {
  for (const Block &block : spec.main.blocks)
    if (block.name == name)
      return &block;
  for (const auto &[path, file] : spec.libraries)
    for (const Block &block : file.blocks)
      if (block.name == name)
        return &block;
  return nullptr;
}

/// Adds a note for each table entry that places a part which `block` does not
/// declare and whose prefix begins `rest`, the rest of a tensor's name.
static void explain(const LoadedSpec &spec, std::string_view container,
                    const std::string &rest, const std::string &block,
                    std::vector<std::string> &notes) {
  const Block *declared = blockNamed(spec, block);
  if (!declared)
    return;
  auto search = [&](const File &file, const std::string &path) {
    for (const Names &names : file.names)
      for (const auto &[section, table] : names.table.sections)
        if (section == block && names.container == container)
          for (const Binding &binding : table->bindings)
            if (binding.source->kind == ExprKind::String &&
                !binding.source->text.empty() &&
                rest.starts_with(binding.source->text) &&
                !declaresPart(declared->body, binding.name) &&
                binding.source->text.back() == '.')
              notes.push_back(fmt::format(
                  "`{} = \"{}\"` is in {}:{}, but block {} has no part `{}`.",
                  binding.name, binding.source->text, path, binding.place.line,
                  block, binding.name));
  };
  for (const auto &[path, file] : spec.libraries)
    search(file, path);
  search(spec.main, spec.main.source->path);
}

/// Names of the tensors that no equation uses, no table reads and no pattern
/// ignores.
static std::vector<std::string>
unusedTensors(const checkpoint::Checkpoint &checkpoint,
              Elaborator &elaborator) {
  auto ignored = elaborator.ignoredTensors();
  const auto &asked = elaborator.container().tensorsRead();
  std::vector<std::string> unused;
  for (const auto &[name, tensor] : checkpoint.tensors()) {
    if (elaborator.tensorsUsed().count(name) || asked.count(name))
      continue;
    bool known = std::any_of(
        ignored.begin(), ignored.end(),
        [&, &n = name](const auto &pattern) { return matches(pattern, n); });
    if (!known)
      unused.push_back(name);
  }
  return unused;
}

/// Throws SpecError for the first unused tensor, or for a fused tensor of which
/// an equation uses some pieces only.
static void checkTensors(const LoadedSpec &spec,
                         const checkpoint::Checkpoint &checkpoint,
                         Elaborator &elaborator) {
  auto unused = unusedTensors(checkpoint, elaborator);
  if (!unused.empty()) {
    const std::string &name = unused[0];
    std::vector<std::string> notes;
    // The part with the longest prefix of this name.
    const std::pair<const std::string, Elaborator::Placed> *nearest = nullptr;
    for (const auto &entry : elaborator.placed())
      if (name.starts_with(entry.first) && !entry.first.empty() &&
          (!nearest || entry.first.size() > nearest->first.size()))
        nearest = &entry;
    if (nearest) {
      std::string list;
      for (const std::string &weight : nearest->second.weights)
        list += " " + weight;
      for (const auto &[prefix, placed] : elaborator.placed())
        if (prefix.size() > nearest->first.size() &&
            prefix.starts_with(nearest->first))
          for (const std::string &weight : placed.weights)
            list += " " + placed.path.substr(placed.path.rfind('.') + 1) + "." +
                    weight;
      notes.push_back(fmt::format("names {} places these weights below {}:{}",
                                  checkpoint.container(), nearest->first,
                                  list.empty() ? " none" : list));
      explain(spec, checkpoint.container(), name.substr(nearest->first.size()),
              nearest->second.block, notes);
    }
    if (unused.size() > 1)
      notes.push_back(fmt::format(
          "So {} {} other{}, such as {}.", unused.size() == 2 ? "is" : "are",
          unused.size() - 1, unused.size() == 2 ? "" : "s", unused[1]));
    if (notes.empty() || !nearest)
      notes.push_back(fmt::format("Use it, or `ignore \"{}\"`.", name));
    throw SpecError(
        Code::UnusedTensor, wholeFile(spec),
        fmt::format("{} [{}] of the checkpoint is not used by any equation",
                    name, fmt::join(checkpoint.tensors().at(name).shape, ", ")),
        notes);
  }
  for (const auto &[name, pieces] : elaborator.pieces())
    if (int64_t(pieces.taken.size()) < pieces.total)
      throw SpecError(
          Code::UnusedPiece, pieces.place,
          fmt::format("{} of {} pieces of {} are not used by any equation",
                      pieces.total - int64_t(pieces.taken.size()), pieces.total,
                      name),
          {"Name a weight for each: W_Q, W_K, W_V = \"…\" as […]."});
}

LeftOver leftOver(const checkpoint::Checkpoint &checkpoint,
                  Elaborator &elaborator) {
  return {elaborator.container().unread(elaborator.ignoredKeys()),
          unusedTensors(checkpoint, elaborator)};
}

/// Tensors come last: a table's `expect` line about the contents of a tensor
/// counts as a use of it.
void checkEverythingUsed(const LoadedSpec &spec,
                         const checkpoint::Checkpoint &checkpoint,
                         Elaborator &elaborator) {
  checkKeys(spec, checkpoint, elaborator);
  elaborator.checkTableExpectations();
  checkTensors(spec, checkpoint, elaborator);
}

} // namespace transfold::spec

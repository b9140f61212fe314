// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the top-level names of a file: imports first, then declarations by
// their kind, then constants, which may replace imported ones.

#include "compiler/spec/names/TopLevel.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Suggest.h"
#include "compiler/spec/values/Functions.h"

#include <fmt/format.h>

using namespace transfold::spec;

const std::set<std::string> &transfold::spec::primitives() {
  static const std::set<std::string> names = [] {
    // Functions that query the configuration or the files of a model.
    std::set<std::string> names = {"either", "one_of", "exists", "shape",
                                   "format", "value",  "count",  "same",
                                   "token",  "codes",  "file",   "length",
                                   "split",  "error",  "π"};
    for (const auto &[name, function] : functions())
      names.insert(name);
    return names;
  }();
  return names;
}

std::string transfold::spec::describe(const Place &place) {
  return place.source ? fmt::format("{}:{}", place.source->path, place.line)
                      : "";
}

/// The kind of a declaration in messages.
static const char *noun(NameKind kind) {
  switch (kind) {
  case NameKind::Length:
    return "a length";
  case NameKind::Size:
    return "a size";
  case NameKind::Constant:
    return "a constant of a container";
  case NameKind::Definition:
    return "a definition";
  case NameKind::Block:
    return "a block";
  case NameKind::Entry:
    return "an entry";
  case NameKind::Part:
    return "a part";
  case NameKind::Weight:
    return "a weight";
  }
  return "";
}

TopLevel::TopLevel(const File &file, const Libraries &libraries) : file(file) {
  std::set<const File *> seen;
  for (const Use &use : file.uses) {
    const File &library = libraries.at(use.path);
    import(use, library);
    importTables(library, libraries, seen);
  }

  for (auto &[name, place] : file.lengths)
    declare(name, {NameKind::Length, place, nullptr});
  for (auto &[name, place] : file.sizes) {
    if (file.isModel)
      throw SpecError(Code::SizesInModel, place,
                      "`sizes` belong to the signatures of libraries",
                      {"The sizes of a model are constants of `config`."});
    declare(name, {NameKind::Size, place, nullptr});
  }
  for (const Definition &definition : file.definitions)
    declare(definition.name,
            {NameKind::Definition, definition.place, &definition});
  for (const Block &block : file.blocks)
    declare(block.name, {NameKind::Block, block.place, &block});
  for (const Entry &entry : file.entries)
    declare(entry.name, {NameKind::Entry, entry.place, &entry});
  for (const Part &part : file.parts)
    declare(part.name, {NameKind::Part, part.place, &part});
  for (const Weight &weight : file.weights)
    declare(weight.name, {NameKind::Weight, weight.place, &weight});
  declareConstants();
  for (const Names &names : file.names)
    tables[names.container].push_back(&names.table);
}

void TopLevel::import(const Use &use, const File &library) {
  std::map<std::string, Declaration> offered;
  for (const Definition &definition : library.definitions)
    offered[definition.name] = {
        NameKind::Definition, {}, &definition, use.path};
  for (const Block &block : library.blocks)
    offered[block.name] = {NameKind::Block, {}, &block, use.path};
  std::set<std::string> candidates;
  for (auto &[name, declaration] : offered)
    candidates.insert(name);

  for (size_t i = 0; i < use.names.size(); ++i) {
    const std::string &name = use.names[i];
    auto found = offered.find(name);
    if (found == offered.end())
      throw unknownName(Code::NotExported, use.namePlaces[i], name,
                        fmt::format("\"{}\" has no `{}`", use.path, name),
                        candidates);
    auto before = names.find(name);
    if (before != names.end())
      throw SpecError(
          Code::DeclaredTwice, use.namePlaces[i],
          fmt::format("`{}` is imported twice: from \"{}\" and from \"{}\"",
                      name, before->second.imported, use.path));
    Declaration declaration = found->second;
    declaration.place = use.namePlaces[i];
    names.emplace(name, declaration);
  }
}

void TopLevel::importTables(const File &library, const Libraries &libraries,
                            std::set<const File *> &seen) {
  if (!seen.insert(&library).second)
    return;
  for (const Use &use : library.uses)
    importTables(libraries.at(use.path), libraries, seen);
  for (const Config &config : library.configs)
    for (const Definition &definition : config.definitions)
      constants[config.container][definition.name] = &definition;
  for (const Names &names : library.names)
    tables[names.container].push_back(&names.table);
  for (const Block &block : library.blocks)
    libraryBlocks.emplace(block.name, &block);
}

void TopLevel::declare(const std::string &name, Declaration declaration) {
  if (primitives().count(name))
    throw SpecError(Code::HiddenName, declaration.place,
                    fmt::format("`{}` is a primitive of the language", name),
                    {"Inside a body the name is free; here, use another one."});
  auto [before, isNew] = names.emplace(name, declaration);
  if (isNew)
    return;
  // Declarations are read kind by kind; the message follows the order of lines.
  Declaration first = before->second, second = declaration;
  if (second.place.source == first.place.source &&
      second.place.line < first.place.line)
    std::swap(first, second);
  throw SpecError(
      Code::DeclaredTwice, second.place,
      fmt::format("`{}` is declared twice", name),
      {fmt::format(
          "{}: the first is {}{}.", describe(first.place), noun(first.kind),
          first.imported.empty() ? "" : " of \"" + first.imported + "\"")});
}

/// A file's own constants replace imported ones, but must not have the name of
/// any other visible declaration.
void TopLevel::declareConstants() {
  std::map<std::string, std::map<std::string, Place>> own;
  for (const Config &config : file.configs)
    for (const Definition &definition : config.definitions) {
      auto [before, isNew] =
          own[config.container].emplace(definition.name, definition.place);
      if (!isNew)
        throw SpecError(
            Code::DeclaredTwice, definition.place,
            fmt::format("config {} defines `{}` twice", config.container,
                        definition.name),
            {fmt::format("The first is on line {}.", before->second.line)});
      constants[config.container][definition.name] = &definition;
    }
  for (auto &[container, definitions] : constants)
    for (auto &[name, definition] : definitions) {
      Declaration constant{NameKind::Constant, definition->place, definition};
      auto before = names.find(name);
      if (before == names.end() || before->second.kind == NameKind::Constant) {
        names.erase(name);
        declare(name, constant);
        continue;
      }
      throw SpecError(
          Code::NotAConstant, before->second.place,
          fmt::format("`{}` is {} here and a constant of config {}", name,
                      noun(before->second.kind), container),
          {describe(definition->place) +
           " defines the constant. One of them needs another name."});
    }
}

const Block *TopLevel::block(const std::string &name) const {
  auto found = names.find(name);
  if (found == names.end() || found->second.kind != NameKind::Block)
    return nullptr;
  return static_cast<const Block *>(found->second.node);
}

const Block *TopLevel::placedBlock(const std::string &name) const {
  if (const Block *found = block(name))
    return found;
  auto found = libraryBlocks.find(name);
  return found == libraryBlocks.end() ? nullptr : found->second;
}

std::map<std::string, Place> TopLevel::ownContainers() const {
  std::map<std::string, Place> result;
  for (const Config &config : file.configs)
    result.emplace(config.container, config.place);
  for (const Names &names : file.names)
    result.emplace(names.container, names.place);
  return result;
}

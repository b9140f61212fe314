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

/// The kind of a declaration at the top level in messages.
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
  default:
    return "";
  }
}

Place transfold::spec::declaredAt(const Declaration &declaration) {
  if (declaration.imported.empty())
    return declaration.place;
  return declaration.kind == NameKind::Block
             ? static_cast<const Block *>(declaration.node)->place
             : static_cast<const Definition *>(declaration.node)->place;
}

TopLevel::TopLevel(const File &file, const Libraries &libraries) : file(file) {
  Errors errors;
  collect(libraries, errors);
  errors.raise();
}

TopLevel::TopLevel(const File &file, const Libraries &libraries, Errors &errors)
    : file(file) {
  collect(libraries, errors);
}

/// The names that a library offers.
static std::map<std::string, Declaration> exportsOf(const Use &use,
                                                    const File &library) {
  std::map<std::string, Declaration> offered;
  for (const Definition &definition : library.definitions)
    offered[definition.name] = {
        NameKind::Definition, {}, &definition, use.path};
  for (const Block &block : library.blocks)
    offered[block.name] = {NameKind::Block, {}, &block, use.path};
  return offered;
}

void TopLevel::collect(const Libraries &libraries, Errors &errors) {
  std::set<const File *> seen;
  for (const Use &use : file.uses) {
    auto library = libraries.find(use.path);
    if (library == libraries.end())
      continue; // reported when it was loaded
    auto offered = exportsOf(use, library->second);
    for (size_t i = 0; i < use.names.size() && !errors.areMany(); ++i)
      errors.attempt([&] { import(use, i, offered); });
    importTables(library->second, libraries, seen);
  }
  declareOwn(errors);
  declareConstants(errors);
  for (const Names &names : file.names)
    tables[names.container].push_back(&names.table);
}

void TopLevel::declareOwn(Errors &errors) {
  auto add = [&](NameKind kind, const std::string &name, const Place &place,
                 const void *node) {
    // Each error costs the time to copy its line.
    if (!errors.areMany())
      errors.attempt([&] { declare(name, {kind, place, node}); });
  };
  for (auto &[name, place] : file.lengths)
    add(NameKind::Length, name, place, nullptr);
  for (auto &[name, place] : file.sizes) {
    if (file.isModel && !errors.areMany())
      errors.add(
          SpecError(Code::SizesInModel, place,
                    "`sizes` belong to the signatures of libraries",
                    {"The sizes of a model are constants of `config`."}));
    add(NameKind::Size, name, place, nullptr);
  }
  for (const Definition &definition : file.definitions)
    add(NameKind::Definition, definition.name, definition.place, &definition);
  for (const Block &block : file.blocks)
    add(NameKind::Block, block.name, block.place, &block);
  for (const Entry &entry : file.entries)
    add(NameKind::Entry, entry.name, entry.place, &entry);
  for (const Part &part : file.parts)
    add(NameKind::Part, part.name, part.place, &part);
  for (const Weight &weight : file.weights)
    add(NameKind::Weight, weight.name, weight.place, &weight);
}

void TopLevel::import(const Use &use, size_t number,
                      const std::map<std::string, Declaration> &offered) {
  const std::string &name = use.names[number];
  const Place &place = use.namePlaces[number];
  auto found = offered.find(name);
  if (found == offered.end()) {
    std::set<std::string> candidates;
    for (auto &[candidate, declaration] : offered)
      candidates.insert(candidate);
    throw unknownName(Code::NotExported, place, name,
                      fmt::format("\"{}\" has no `{}`", use.path, name),
                      candidates);
  }
  auto before = names.find(name);
  if (before != names.end())
    throw SpecError(
        Code::DeclaredTwice, place,
        fmt::format("`{}` is imported twice: from \"{}\" and from \"{}\"", name,
                    before->second.imported, use.path));
  Declaration declaration = found->second;
  declaration.place = place;
  names.emplace(name, declaration);
}

void TopLevel::importTables(const File &library, const Libraries &libraries,
                            std::set<const File *> &seen) {
  if (!seen.insert(&library).second)
    return;
  for (const Use &use : library.uses)
    if (auto found = libraries.find(use.path); found != libraries.end())
      importTables(found->second, libraries, seen);
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
void TopLevel::declareConstants(Errors &errors) {
  std::map<std::string, std::map<std::string, Place>> own;
  for (const Config &config : file.configs)
    for (const Definition &definition : config.definitions) {
      auto [before, isNew] =
          own[config.container].emplace(definition.name, definition.place);
      if (isNew)
        constants[config.container][definition.name] = &definition;
      else if (!errors.areMany())
        errors.add(SpecError(
            Code::DeclaredTwice, definition.place,
            fmt::format("config {} defines `{}` twice", config.container,
                        definition.name),
            {fmt::format("The first is on line {}.", before->second.line)}));
    }
  std::set<std::string> faulty; // reported once, and not for each container
  for (auto &[container, definitions] : constants)
    for (auto &[name, definition] : definitions)
      if (!faulty.count(name) && !errors.areMany() &&
          !errors.attempt([&] { declareConstant(container, *definition); }))
        faulty.insert(name);
}

void TopLevel::declareConstant(const std::string &container,
                               const Definition &definition) {
  const std::string &name = definition.name;
  auto before = names.find(name);
  if (before != names.end() && before->second.kind != NameKind::Constant)
    throw SpecError(Code::NotAConstant, before->second.place,
                    fmt::format("`{}` is {} here and a constant of config {}",
                                name, noun(before->second.kind), container),
                    {describe(definition.place) +
                     " defines the constant. One of them needs another name."});
  names.erase(name);
  declare(name, {NameKind::Constant, definition.place, &definition});
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

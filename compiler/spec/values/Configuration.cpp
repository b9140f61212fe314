// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queries of a spec to a container. A query records the key or the tensor
// at the moment when it is answered, so a key that is read only in a branch
// that is not taken still counts as unread, unless a table mentions it
// (`mention`).

#include "compiler/spec/values/Configuration.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace transfold::spec {

/// Backtracks to the last star only: an earlier star need not match more, since
/// the later one can match whatever follows. The time is at most the product of
/// the lengths.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) &&
        pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

StaticValue Configuration::root() {
  if (!checkpoint)
    return StaticValue::unknown();
  return StaticValue(Record{&checkpoint->config(), "", nullptr});
}

/// The file with the sampling settings, beside config.json in a Hugging Face
/// directory.
static constexpr const char *generationFile = "generation_config.json";

/// The content of generation_config.json; null if there is none, as in
/// containers of other kinds.
static const nlohmann::json *
generationOf(const checkpoint::Checkpoint *checkpoint) {
  const nlohmann::json *content =
      checkpoint ? checkpoint->file(generationFile) : nullptr;
  if (content && !content->is_object())
    throw checkpoint::CheckpointError(fmt::format(
        "{}/{}: is not a JSON object", checkpoint->path(), generationFile));
  return content;
}

StaticValue Configuration::generation() {
  if (!checkpoint)
    return StaticValue::unknown();
  const nlohmann::json *content = generationOf(checkpoint);
  return content ? fromJson(*content, std::string(generationFile) + ":")
                 : StaticValue();
}

void Configuration::wantGeneration() {
  if (generationOf(checkpoint))
    files.insert(generationFile);
}

/// The value of a key of an absent record (.a.b without .a): none, with the
/// extended paths of the absent keys.
static StaticValue throughNone(const StaticValue &none,
                               const std::string &key) {
  std::vector<std::string> keys = none.absentKeys();
  for (std::string &path : keys)
    path += "." + key;
  return keys.empty() ? StaticValue() : noneOf(std::move(keys));
}

StaticValue Configuration::field(const StaticValue &value,
                                 const std::string &key) {
  if (value.isUnknown())
    return StaticValue::unknown();
  if (value.isNone())
    return throughNone(value, key);
  const Record *record = value.record();
  if (!record)
    throw std::domain_error(
        fmt::format("{} has no key `{}`", value.kind(), key));
  if (!record->object) {
    auto found = record->fields->find(key);
    return found == record->fields->end() ? StaticValue() : found->second;
  }
  auto found = record->object->find(key);
  std::string path = record->path + key;
  if (found == record->object->end())
    return noneOf({path});
  keys.insert(path);
  if (found->is_null())
    return noneOf({path});
  return fromJson(*found, path + ".");
}

StaticValue Configuration::file(const std::string &name) {
  if (!checkpoint)
    return StaticValue::unknown();
  const nlohmann::json *content = checkpoint->file(name);
  if (!content)
    return StaticValue();
  files.insert(name);
  return fromJson(*content, name + ":");
}

StaticValue Configuration::exists(const std::string &tensor) {
  if (!checkpoint)
    return StaticValue::unknown();
  bool isThere =
      checkpoint->tensors().count(tensor) != 0 || assumed.count(tensor) != 0;
  if (!isThere)
    denied.insert(tensor);
  return StaticValue(isThere);
}

void Configuration::assumeDenied(const std::set<std::string> &before) {
  std::erase_if(denied, [&](const std::string &tensor) {
    bool isNew = before.count(tensor) == 0;
    if (isNew)
      assumed.insert(tensor);
    return isNew;
  });
}

MissingTensor::MissingTensor(const std::string &tensor)
    : std::domain_error(fmt::format("the checkpoint has no tensor {}", tensor)),
      tensor(tensor) {}

/// The tensor of this name; throws MissingTensor if there is none.
static const checkpoint::StoredTensor &
tensorOf(const checkpoint::Checkpoint &checkpoint, const std::string &name) {
  auto found = checkpoint.tensors().find(name);
  if (found == checkpoint.tensors().end())
    throw MissingTensor(name);
  return found->second;
}

StaticValue Configuration::shape(const std::string &tensor) {
  if (!checkpoint)
    return StaticValue::unknown();
  auto sizes = std::make_shared<std::vector<StaticValue>>();
  for (int64_t size : tensorOf(*checkpoint, tensor).shape)
    sizes->push_back(StaticValue(size));
  return StaticValue(List(sizes));
}

StaticValue Configuration::format(const std::string &tensor) {
  if (!checkpoint)
    return StaticValue::unknown();
  return StaticValue(std::string(tensorOf(*checkpoint, tensor).format().name));
}

// True for two names of one tensor and for equal copies: older files have no
// second names for a tensor.
StaticValue Configuration::same(const std::string &tensor,
                                const std::string &other) {
  if (!checkpoint)
    return StaticValue::unknown();
  const auto &a = tensorOf(*checkpoint, tensor),
             &b = tensorOf(*checkpoint, other);
  auto equal = [](std::span<const std::byte> x, std::span<const std::byte> y) {
    return x.size() == y.size() &&
           (x.data() == y.data() || std::ranges::equal(x, y));
  };
  return StaticValue(a.dtype == b.dtype && a.shape == b.shape &&
                     equal(a.bytes, b.bytes) && equal(a.scales, b.scales));
}

StaticValue Configuration::token(const std::string &text) {
  if (!checkpoint)
    return StaticValue::unknown();
  auto number = checkpoint->token(text);
  return number ? StaticValue(*number) : StaticValue();
}

StaticValue Configuration::codes(const std::string &pattern) {
  if (pattern.find('*') == pattern.npos)
    throw std::domain_error(
        fmt::format("`codes` needs a text with a *, but has \"{}\"", pattern));
  if (!checkpoint)
    return StaticValue::unknown();
  auto fields = std::make_shared<std::map<std::string, StaticValue>>();
  for (const auto &[code, number] : checkpoint->codes(pattern))
    fields->emplace(code, StaticValue(number));
  return StaticValue(Record{nullptr, "", std::move(fields)});
}

/// The longest vector that `value` returns as a list: one value for each pair
/// that is rotated, or for each layer, but not the weights of a layer.
static constexpr int64_t longestRow = 4096;

StaticValue Configuration::value(const std::string &tensor) {
  if (!checkpoint)
    return StaticValue::unknown();
  const auto &stored = tensorOf(*checkpoint, tensor);
  int64_t elements = stored.count();
  bool isRow = stored.shape.size() == 1 && elements <= longestRow;
  if (elements != 1 && !isRow)
    throw std::domain_error(
        fmt::format("value(\"{}\") needs a single number, or a row of at most "
                    "{}; the tensor has {}",
                    tensor, longestRow, elements));
  tensors.insert(tensor);
  auto number = [&](int64_t k) {
    double value = stored.element(k);
    if (!std::isfinite(value))
      throw std::domain_error(
          fmt::format("element {} of {} is infinite or NaN", k, tensor));
    return StaticValue(exactOf(value));
  };
  if (elements == 1)
    return number(0);
  auto numbers = std::make_shared<std::vector<StaticValue>>();
  for (int64_t k = 0; k < elements; ++k)
    numbers->push_back(number(k));
  return StaticValue(List(numbers));
}

/// Counting does not mark the tensors as read: an equation must still use each.
StaticValue Configuration::count(const std::string &pattern) {
  if (!checkpoint)
    return StaticValue::unknown();
  int64_t number = 0;
  for (const auto &[name, tensor] : checkpoint->tensors())
    number += matches(pattern, name);
  return StaticValue(number);
}

//===----------------------------------------------------------------------===//
// What was read
//===----------------------------------------------------------------------===//

/// The NAME of an expression file("NAME"); empty for other expressions, and if
/// the name has to be computed.
static std::string fileNamed(const Expr &expr) {
  bool isCall = expr.kind == ExprKind::Call && expr.operands.size() == 2 &&
                expr.operands[0]->kind == ExprKind::Name &&
                expr.operands[0]->text == "file";
  if (!isCall || expr.operands[1]->kind != ExprKind::String ||
      !expr.operands[1]->operands.empty())
    return "";
  return expr.operands[1]->text;
}

/// The path of `expr`, if it is one (`isPath`); marks the paths inside it as
/// read.
std::string Configuration::mentionPath(const Expr &expr, bool &isPath) {
  isPath = expr.kind == ExprKind::Config || expr.kind == ExprKind::Generation;
  if (expr.kind == ExprKind::Generation)
    return std::string(generationFile) + ":";
  // A file that a table mentions must have its keys read or ignored, like the
  // configuration.
  if (std::string name = fileNamed(expr); !name.empty()) {
    isPath = true;
    files.insert(name);
    return name + ":";
  }
  if (expr.kind == ExprKind::Field) {
    std::string path = mentionPath(*expr.operands[0], isPath);
    if (isPath) {
      path += (path.empty() || path.back() == ':' ? "" : ".") + expr.text;
      keys.insert(path);
      return path;
    }
    return "";
  }
  for (const ExprPtr &operand : expr.operands) {
    bool inner;
    if (operand)
      mentionPath(*operand, inner);
  }
  return "";
}

void Configuration::mention(const Expr &expr) {
  bool isPath;
  mentionPath(expr, isPath);
}

void Configuration::mentionAll(const Definition &definition) {
  if (definition.value)
    mention(*definition.value);
  for (const Definition &inner : definition.where)
    mentionAll(inner);
}

/// Whether a value has keys of its own: an object, or a list of objects.
static bool hasKeys(const nlohmann::json &value) {
  return (value.is_object() && !value.empty()) ||
         (value.is_array() && std::ranges::any_of(value, hasKeys));
}

/// Collects all leaves of `value` with their paths. The keys of an array are
/// the indices of its elements, as in `fromJson`.
static void
addLeaves(const nlohmann::json &value, const std::string &path,
          std::vector<std::pair<std::string, const nlohmann::json *>> &leaves) {
  for (const auto &[key, inner] : value.items()) {
    // The keys of these two objects are the labels of a classifier: data, not
    // settings.
    bool labels = key == "id2label" || key == "label2id";
    if (hasKeys(inner) && !labels)
      addLeaves(inner, path + key + ".", leaves);
    else
      leaves.emplace_back(path + key, &inner);
  }
}

void Configuration::readWhole(const StaticValue &value) {
  if (auto *list = value.list())
    for (const StaticValue &element : **list)
      readWhole(element);
  const Record *record = value.record();
  if (record && record->fields)
    for (const auto &[key, field] : *record->fields)
      readWhole(field);
  if (!record || !record->object)
    return;
  std::vector<std::pair<std::string, const nlohmann::json *>> leaves;
  addLeaves(*record->object, record->path, leaves);
  for (const auto &[path, leaf] : leaves)
    keys.insert(path);
}

/// Whether a pattern matches the path. Patterns apply to the configuration, or
/// to the file whose name and a colon they begin with.
static bool isIgnored(const std::string &path,
                      const std::vector<std::string> &patterns) {
  size_t colon = path.find(':');
  std::string file =
      colon == std::string::npos ? "" : path.substr(0, colon + 1);
  std::string key = path.substr(file.size());
  bool isPlain = file.empty() || file == std::string(generationFile) + ":";
  std::string first = key.substr(0, key.find('.'));
  return std::ranges::any_of(patterns, [&](const std::string &pattern) {
    bool isOfFile = pattern.find(':') != std::string::npos;
    if (isOfFile)
      return matches(pattern, path) || matches(pattern, file + first);
    return isPlain && (matches(pattern, key) || matches(pattern, first));
  });
}

std::vector<std::pair<std::string, std::string>>
Configuration::unread(const std::vector<std::string> &ignored) const {
  std::vector<std::pair<std::string, const nlohmann::json *>> leaves;
  addLeaves(checkpoint->config(), "", leaves);
  // A key that is null counts as absent.
  std::erase_if(leaves,
                [](const auto &leaf) { return leaf.second->is_null(); });
  // In other files, keys that are false need not be read; keys that are true
  // must be.
  for (const std::string &name : files) {
    if (std::ranges::count(ignored, name + ":*") != 0)
      continue; // ignored as a whole: its keys need not be read
    const nlohmann::json *content = checkpoint->file(name);
    std::vector<std::pair<std::string, const nlohmann::json *>> own;
    if (content && content->is_structured())
      addLeaves(*content, name + ":", own);
    for (const auto &[path, leaf] : own)
      if (!leaf->is_null() && *leaf != false)
        leaves.emplace_back(path, leaf);
  }
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto &[path, leaf] : leaves)
    if (!keys.count(path) && !isIgnored(path, ignored))
      result.emplace_back(path, leaf->dump());
  return result;
}

/// The last key of a path: "c" of "a.b.c", "a" of "FILE:a".
static std::string lastKey(const std::string &path) {
  return path.substr(path.find_last_of(".:") + 1);
}

/// The name of the file in a path; empty for the configuration itself.
static std::string fileOf(const std::string &path) {
  size_t colon = path.find(':');
  return colon == std::string::npos ? "" : path.substr(0, colon);
}

std::string
Configuration::nearestUnread(const std::string &key,
                             const std::vector<std::string> &ignored) const {
  std::set<std::string> paths;
  for (const auto &[path, value] : unread(ignored))
    if (fileOf(path) == fileOf(key))
      paths.insert(path);
  // The same key in another record is closer than a key with other letters.
  for (const std::string &path : paths)
    if (lastKey(path) == lastKey(key))
      return path;
  return nearest(key, paths);
}

} // namespace transfold::spec

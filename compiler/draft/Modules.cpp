// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups tensors by their names. Nothing here knows what modules mean.

#include "compiler/draft/Modules.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

using namespace transfold;
using namespace transfold::draft;

namespace {

/// The tensors with the same name in all layers, or one outside of all layers.
struct Group {
  std::set<int64_t> layers;
  std::vector<int64_t> shape;
  bool isAlike = true; // all have this shape
};

/// The name of a tensor, split at the number of its layer.
struct LayerName {
  std::string prefix; // "model.layers."; empty: not in a layer
  int64_t layer = 0;
  std::string rest; // "mlp.up.weight"
};

} // namespace

std::string Module::lastWord() const {
  return path.substr(path.rfind('.') + 1);
}

bool draft::mentions(const std::string &text,
                     std::initializer_list<const char *> parts) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::any_of(parts.begin(), parts.end(), [&](const char *part) {
    return lower.find(part) != std::string::npos;
  });
}

/// Whether a string of a spec can contain the name as it is. Other names are
/// left to the reader of the draft.
static bool isPlain(const std::string &name) {
  return name.size() < 256 && std::all_of(
                                  name.begin(), name.end(),
                                  [](unsigned char c) {
                                    return std::isalnum(c) || c == '_' ||
                                           c == '-' || c == '.' || c == '/';
                                  });
}

/// Splits at the first number between dots. A second one, for example of an
/// expert, stays in the name.
static LayerName splitName(const std::string &name) {
  for (size_t start = 0, end; start < name.size(); start = end + 1) {
    end = std::min(name.find('.', start), name.size());
    std::string word = name.substr(start, end - start);
    bool isNumber = !word.empty() && word.size() <= 6 &&
                    std::all_of(word.begin(), word.end(), [](unsigned char c) {
                      return std::isdigit(c);
                    });
    if (isNumber && start > 0 && end < name.size())
      return {name.substr(0, start), std::stoll(word), name.substr(end + 1)};
  }
  return {"", 0, name};
}

/// Adds a tensor to the module that it belongs to, if it is a weight or a bias.
static void addTensor(std::vector<Module> &modules, const std::string &name,
                      const std::vector<int64_t> &shape) {
  size_t dot = name.rfind('.');
  std::string path = dot == std::string::npos ? "" : name.substr(0, dot);
  std::string word = dot == std::string::npos ? name : name.substr(dot + 1);
  bool isWeight = word == "weight" || word == "gamma";
  if (path.empty() || (!isWeight && word != "bias" && word != "beta"))
    return;
  auto module = std::find_if(modules.begin(), modules.end(),
                             [&](const Module &m) { return m.path == path; });
  if (module == modules.end())
    module = modules.insert(modules.end(), Module{path, {}, {}, {}, {}});
  (isWeight ? module->weightName : module->biasName) = word;
  (isWeight ? module->weight : module->bias) = shape;
}

/// Removes modules without a weight: a bias alone is a mask or a buffer.
static void keepWeights(std::vector<Module> &modules) {
  std::erase_if(modules, [](const Module &m) { return m.weight.empty(); });
}

/// Only tensors that all layers of a stack have, with the same shape, become
/// modules of it: a spec describes layers by one block.
Anatomy draft::anatomyOf(
    const std::map<std::string, checkpoint::StoredTensor> &tensors) {
  // By the prefix of the stack, then by the name.
  std::map<std::string, std::map<std::string, Group>> groups;
  for (const auto &[name, tensor] : tensors) {
    if (!isPlain(name))
      continue;
    LayerName split = splitName(name);
    auto [slot, isNew] =
        groups[split.prefix].try_emplace(split.rest, Group{{}, tensor.shape});
    slot->second.layers.insert(split.layer);
    slot->second.isAlike &= slot->second.shape == tensor.shape;
  }
  Anatomy anatomy;
  for (const auto &[prefix, names] : groups) {
    Stack stack{prefix, 0, {}};
    for (const auto &[name, group] : names)
      stack.layers = std::max(stack.layers, *group.layers.rbegin() + 1);
    for (const auto &[name, group] : names)
      if (group.isAlike &&
          static_cast<int64_t>(group.layers.size()) == stack.layers)
        addTensor(prefix.empty() ? anatomy.rest : stack.modules, name,
                  group.shape);
    keepWeights(stack.modules);
    if (!prefix.empty() && !stack.modules.empty())
      anatomy.stacks.push_back(std::move(stack));
  }
  keepWeights(anatomy.rest);
  auto size = [](const Stack &stack) {
    return static_cast<int64_t>(stack.modules.size()) * stack.layers;
  };
  std::sort(anatomy.stacks.begin(), anatomy.stacks.end(),
            [&](const Stack &a, const Stack &b) {
              return std::pair(-size(a), a.prefix) <
                     std::pair(-size(b), b.prefix);
            });
  return anatomy;
}

std::string draft::commonPrefix(const std::vector<const Module *> &modules) {
  std::optional<std::string> common;
  for (const Module *module : modules) {
    if (!module)
      continue;
    if (!common)
      common = module->path;
    size_t same = 0;
    while (same < common->size() && same < module->path.size() &&
           (*common)[same] == module->path[same])
      ++same;
    common->resize(same);
  }
  return common ? common->substr(0, common->rfind('.') + 1) : "";
}

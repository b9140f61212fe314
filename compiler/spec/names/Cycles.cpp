// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles among definitions. Definitions are evaluated on demand, in any order,
// so those of a cycle have no value, and a block that contains itself never
// ends.

#include "compiler/spec/names/ScopeChecker.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

using namespace transfold::spec;

// Values are evaluated recursively along their dependencies, so the length of a
// chain of dependencies is limited.
static constexpr unsigned maxChain = 500;

/// Depth-first search with an explicit stack, because chains may be as long as
/// a file.
std::vector<std::string> transfold::spec::findCycle(
    const std::map<std::string, std::vector<Need>> &graph) {
  enum class Mark { OnPath, Done };
  std::map<std::string, Mark> marks;
  std::map<std::string, unsigned> chains; // the longest from each node
  for (auto &[start, ignored] : graph) {
    std::vector<std::pair<std::string, size_t>> path;
    auto enter = [&](const std::string &name) {
      marks[name] = Mark::OnPath;
      path.emplace_back(name, 0);
    };
    if (!marks.count(start))
      enter(start);
    while (!path.empty()) {
      auto &[name, next] = path.back();
      const std::vector<Need> &needs = graph.at(name);
      if (next == needs.size()) {
        marks[name] = Mark::Done;
        unsigned &chain = chains[name];
        for (const Need &need : needs) {
          chain = std::max(chain, chains[need.name] + 1);
          if (chain > maxChain)
            throw SpecError(
                Code::CyclicDefinition, need.place,
                fmt::format(
                    "more than {} definitions depend on each other in a chain",
                    maxChain));
        }
        path.pop_back();
        continue;
      }
      const std::string &needed = needs[next++].name;
      if (!graph.count(needed))
        continue;
      auto mark = marks.find(needed);
      if (mark == marks.end()) {
        enter(needed);
      } else if (mark->second == Mark::OnPath) {
        std::vector<std::string> cycle;
        for (auto &[step, ignored] : path)
          if (step == needed || !cycle.empty())
            cycle.push_back(step);
        cycle.push_back(needed);
        return cycle;
      }
    }
  }
  return {};
}

std::string
transfold::spec::describeCycle(const std::vector<std::string> &cycle) {
  if (cycle.size() == 2)
    return fmt::format("`{}` depends on itself", cycle.front());
  return fmt::format("these depend on each other in a cycle: {}",
                     fmt::join(cycle, " → "));
}

void ScopeChecker::cycles() {
  if (top.constants.empty())
    cycles("");
  for (auto &[container, constants] : top.constants)
    cycles(container);
}

/// Looks for cycles with the constants of one container.
void ScopeChecker::cycles(const std::string &container) {
  std::map<std::string, std::vector<Need>> graph;
  std::map<std::string, Place> places;
  auto add = [&](const std::string &name, const void *node, Place place) {
    auto found = needs.find(node);
    graph[name] = found == needs.end() ? std::vector<Need>() : found->second;
    places[name] = place;
  };
  for (auto &[name, declaration] : top.names)
    if (declaration.kind != NameKind::Constant && declaration.imported.empty())
      add(name, declaration.node, declaration.place);
  auto constants = top.constants.find(container);
  if (constants != top.constants.end())
    for (auto &[name, definition] : constants->second)
      add(name, definition, definition->place);

  auto cycle = findCycle(graph);
  if (cycle.empty())
    return;
  std::vector<std::string> notes;
  for (size_t i = 0; i + 1 < cycle.size(); ++i)
    for (const Need &need : graph[cycle[i]])
      if (need.name == cycle[i + 1]) {
        notes.push_back(fmt::format("{}: {} needs {}", describe(need.place),
                                    cycle[i], cycle[i + 1]));
        break;
      }
  throw SpecError(Code::CyclicDefinition, places[cycle[0]],
                  describeCycle(cycle), notes);
}

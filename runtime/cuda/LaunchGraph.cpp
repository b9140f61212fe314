// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/cuda/LaunchGraph.h"

#include <cstring>
#include <utility>

namespace transfold::runtime::cuda {

namespace {

thread_local LaunchGraph *graphOfThread = nullptr;

/// A graph of fewer kernels costs as much as their launches.
constexpr size_t fewestKernels = 4;

} // namespace

GraphScope::GraphScope(LaunchGraph *graph)
    : before(std::exchange(graphOfThread, graph)) {
  if (graph)
    graph->begin();
}
GraphScope::~GraphScope() { graphOfThread = before; }
LaunchGraph *currentGraph() { return graphOfThread; }

LaunchGraph::~LaunchGraph() {
  drop();
  freeAll();
}

void LaunchGraph::begin() {
  state = exec ? State::Following : State::Recording;
  next = 0;
  isSame = true;
}

Result LaunchGraph::launch(const KernelLaunch &launch) {
  switch (state) {
  case State::Following:
    return follow(launch);
  case State::Recording:
    return record(launch);
  case State::Over:
    return launchNow(launch);
  }
  return launchNow(launch);
}

/// The next kernel of the graph, with the parameters of this launch; another
/// kernel ends the graph.
Result LaunchGraph::follow(const KernelLaunch &launch) {
  if (next < nodes.size() && nodes[next].launch.function == launch.function) {
    Node &node = nodes[next];
    if (isEqual(node, launch)) {
      ++next;
      return 0;
    }
    writeDown(node, launch);
    const KernelLaunch changed = launchOf(node);
    ++count.changes;
    if (driver.graphSetKernel(exec, node.node, &changed) == 0) {
      ++next;
      return 0;
    }
  }
  if (Result code = leave())
    return code;
  return record(launch);
}

Result LaunchGraph::record(const KernelLaunch &launch) {
  if (next == nodes.size())
    nodes.emplace_back();
  Node &node = nodes[next++];
  isSame &= node.launch.function == launch.function;
  writeDown(node, launch);
  return launchNow(launch);
}

/// Launches one by one what waited for the graph, and forgets it.
Result LaunchGraph::leave() {
  drop();
  state = State::Recording;
  isSame = false;
  for (size_t i = 0; i < next; ++i)
    if (Result code = launchNow(launchOf(nodes[i])))
      return code;
  return freeAll();
}

Result LaunchGraph::flush() {
  if (!next || state == State::Over)
    return 0;
  if (state == State::Following && next == nodes.size()) {
    state = State::Over;
    ++count.graphLaunches;
    if (Result code = driver.graphLaunch(exec, nullptr))
      return code;
    return freeAll();
  }
  if (state == State::Following) // fewer kernels than the graph has
    if (Result code = leave())
      return code;
  state = State::Over;
  if (isSame && next == nodes.size() && next >= fewestKernels && !make())
    drop();
  nodes.resize(next);
  return 0;
}

Result LaunchGraph::free(DevicePointer memory) {
  if (!isWaiting())
    return driver.memoryFree(memory);
  toFree.push_back(memory);
  return 0;
}

Result LaunchGraph::freeAll() {
  Result first = 0;
  for (DevicePointer each : toFree)
    if (Result code = driver.memoryFree(each); code && !first)
      first = code;
  toFree.clear();
  return first;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Makes a graph of the kernels that were written down, each of which waits for
/// the one before.
bool LaunchGraph::make() {
  if (driver.graphCreate(&graph, 0)) {
    graph = nullptr;
    return false;
  }
  GraphNode last = nullptr;
  for (Node &node : nodes) {
    const KernelLaunch launch = launchOf(node);
    if (driver.graphAddKernel(&node.node, graph, &last, last ? 1 : 0, &launch))
      return false;
    last = node.node;
  }
  if (driver.graphInstantiate(&exec, graph, 0)) {
    exec = nullptr;
    return false;
  }
  ++count.graphs;
  return true;
}

void LaunchGraph::drop() {
  if (exec)
    driver.graphExecDestroy(exec);
  if (graph)
    driver.graphDestroy(graph);
  exec = nullptr;
  graph = nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

const std::vector<size_t> &LaunchGraph::sizesOf(Function function) {
  const auto [found, isNew] = sizes.try_emplace(function);
  size_t offset, bytes;
  for (size_t i = 0;
       isNew && driver.parameterInfo(function, i, &offset, &bytes) == 0; ++i)
    found->second.push_back(bytes);
  return found->second;
}

static bool isAsLarge(const KernelLaunch &a, const KernelLaunch &b) {
  return a.gridX == b.gridX && a.gridY == b.gridY && a.gridZ == b.gridZ &&
         a.blockX == b.blockX && a.blockY == b.blockY && a.blockZ == b.blockZ &&
         a.sharedBytes == b.sharedBytes;
}

bool LaunchGraph::isEqual(const Node &node, const KernelLaunch &launch) {
  if (!isAsLarge(node.launch, launch))
    return false;
  const uint8_t *bytes = node.parameters.data();
  void **parameter = launch.parameters;
  for (size_t size : sizesOf(launch.function)) {
    if (std::memcmp(bytes, *parameter++, size) != 0)
      return false;
    bytes += size;
  }
  return true;
}

void LaunchGraph::writeDown(Node &node, const KernelLaunch &launch) {
  node.launch = launch;
  node.launch.parameters = nullptr;
  node.parameters.clear();
  void **parameter = launch.parameters;
  for (size_t size : sizesOf(launch.function)) {
    const auto *bytes = static_cast<const uint8_t *>(*parameter++);
    node.parameters.insert(node.parameters.end(), bytes, bytes + size);
  }
}

/// Valid until the next call.
KernelLaunch LaunchGraph::launchOf(const Node &node) {
  pointers.clear();
  auto *bytes = const_cast<uint8_t *>(node.parameters.data());
  for (size_t size : sizesOf(node.launch.function)) {
    pointers.push_back(bytes);
    bytes += size;
  }
  KernelLaunch launch = node.launch;
  launch.parameters = pointers.data();
  return launch;
}

Result LaunchGraph::launchNow(const KernelLaunch &launch) const {
  return driver.launchKernel(launch.function, launch.gridX, launch.gridY,
                             launch.gridZ, launch.blockX, launch.blockY,
                             launch.blockZ, launch.sharedBytes, nullptr,
                             launch.parameters, launch.extra);
}

} // namespace transfold::runtime::cuda

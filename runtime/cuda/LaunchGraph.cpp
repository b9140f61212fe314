// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records launches, compares them with those of the preceding call, and
// launches them one by one or as a graph. Graphs go to the default stream, in
// order with copies and with launches outside of graphs.

#include "runtime/cuda/LaunchGraph.h"

#include <cstring>
#include <utility>

namespace transfold::runtime::cuda {

namespace {

thread_local LaunchGraph *graphOfThread = nullptr;

/// A graph of fewer kernels costs as much as separate launches.
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
  for (Stream each : streams)
    if (each)
      driver.streamDestroy(each);
  if (joined)
    driver.eventDestroy(joined);
}

void LaunchGraph::begin() {
  state = exec ? State::Following : State::Recording;
  next = 0;
  place = {};
  joins = 0;
  isSame = true;
}

void LaunchGraph::runBeside(int64_t lane) {
  // Leaving the lanes is a join; changing from one lane to another is not.
  if (!lane && place.lane)
    ++place.joins;
  place.lane = lane ? 1 + static_cast<unsigned>((lane - 1) % lanes) : 0;
}

Result LaunchGraph::launch(const KernelLaunch &launch) {
  switch (state) {
  case State::Following:
    return follow(launch);
  case State::Recording:
    return record(launch);
  case State::Over:
    break;
  }
  return launchNow(launch, place);
}

/// Compares a launch with the next kernel of the graph and updates its
/// parameters; a different kernel ends the graph.
Result LaunchGraph::follow(const KernelLaunch &launch) {
  if (next < nodes.size() && nodes[next].launch.function == launch.function &&
      nodes[next].place == place) {
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

/// Launches a kernel and compares it with that of the preceding call, which
/// tells whether a graph is worthwhile.
Result LaunchGraph::record(const KernelLaunch &launch) {
  if (next == nodes.size())
    nodes.emplace_back();
  Node &node = nodes[next++];
  // A launch whose parameters cannot be recorded is never part of a graph.
  isSame &= node.launch.function == launch.function && node.place == place &&
            sizesOf(launch).areComplete;
  node.place = place;
  writeDown(node, launch);
  return launchNow(launch, place);
}

/// Executes the launches pending for the graph one by one, and discards the
/// graph.
Result LaunchGraph::leave() {
  drop();
  state = State::Recording;
  isSame = false;
  for (size_t i = 0; i < next; ++i)
    if (Result code = launchNow(launchOf(nodes[i]), nodes[i].place))
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
  if (state == State::Following) // fewer kernels than in the graph
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

/// Creates a graph of the recorded kernels.
bool LaunchGraph::make() {
  if (driver.graphCreate(&graph, 0)) {
    graph = nullptr;
    return false;
  }
  if (!addKernels())
    return false;
  if (driver.graphInstantiate(&exec, graph, 0)) {
    exec = nullptr;
    return false;
  }
  ++count.graphs;
  return true;
}

/// Adds the kernels with their dependencies: each depends on the preceding one
/// in its lane, the first one of a lane on everything before the lanes began,
/// and a kernel outside the lanes on all of them.
bool LaunchGraph::addKernels() {
  // Dependencies of the first kernel of each lane.
  std::vector<GraphNode> before;
  std::array<GraphNode, lanes + 1> last = {};
  auto joinLanes = [&] {
    std::vector<GraphNode> ends;
    for (GraphNode &each : last)
      if (GraphNode end = std::exchange(each, nullptr))
        ends.push_back(end);
    if (!ends.empty())
      before = ends;
  };
  Place at;
  for (Node &node : nodes) {
    if (!node.place.lane || !at.lane || node.place.joins != at.joins)
      joinLanes();
    at = node.place;
    GraphNode &own = last[at.lane];
    const KernelLaunch launch = launchOf(node);
    const GraphNode *waitsFor = own ? &own : before.data();
    if (driver.graphAddKernel(&node.node, graph, waitsFor,
                              own ? 1 : before.size(), &launch))
      return false;
    own = node.node;
  }
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

/// The sizes of the parameters; Halide ends its list of parameters with a null
/// pointer.
const LaunchGraph::Sizes &LaunchGraph::sizesOf(const KernelLaunch &launch) {
  const auto [found, isNew] = sizes.try_emplace(launch.function);
  Sizes &known = found->second;
  size_t offset, bytes;
  for (size_t i = 0; isNew && launch.parameters[i]; ++i) {
    if (driver.parameterInfo(launch.function, i, &offset, &bytes) != 0) {
      known.areComplete = false;
      break;
    }
    known.bytes.push_back(bytes);
  }
  return known;
}

/// Whether grid, blocks and shared memory are the same.
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
  for (size_t size : sizesOf(launch).bytes) {
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
  for (size_t size : sizesOf(launch).bytes) {
    const auto *bytes = static_cast<const uint8_t *>(*parameter++);
    node.parameters.insert(node.parameters.end(), bytes, bytes + size);
  }
}

/// The launch of a node; valid until the next call.
KernelLaunch LaunchGraph::launchOf(const Node &node) {
  pointers.clear();
  auto *bytes = const_cast<uint8_t *>(node.parameters.data());
  for (size_t size : sizes[node.launch.function].bytes) {
    pointers.push_back(bytes);
    bytes += size;
  }
  KernelLaunch launch = node.launch;
  launch.parameters = pointers.data();
  return launch;
}

/// The first launch after a join waits for all lanes.
Result LaunchGraph::launchNow(const KernelLaunch &launch, Place at) {
  if (std::exchange(joins, at.joins) != at.joins)
    if (Result code = join())
      return code;
  Stream stream = nullptr;
  if (at.lane) {
    Stream &own = streams[at.lane - 1];
    if (!own)
      if (Result code = driver.streamCreate(&own, 0))
        return code;
    stream = own;
  }
  return driver.launchKernel(launch.function, launch.gridX, launch.gridY,
                             launch.gridZ, launch.blockX, launch.blockY,
                             launch.blockZ, launch.sharedBytes, stream,
                             launch.parameters, launch.extra);
}

/// The default stream waits for all other streams created without flags, and
/// they wait for it, once it has work: an event is recorded in it.
Result LaunchGraph::join() {
  constexpr unsigned withoutTime = 2; // CU_EVENT_DISABLE_TIMING
  if (!joined)
    if (Result code = driver.eventCreate(&joined, withoutTime))
      return code;
  return driver.eventRecord(joined, nullptr);
}

} // namespace transfold::runtime::cuda

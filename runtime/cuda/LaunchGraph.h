// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of a call as one graph of CUDA.
//
//   k₀, k₁, …, kₙ   launched one by one    →    one launch of k₀ → k₁ → … → kₙ
//
// A step of a model launches some hundred kernels, each of which costs the host
// and the device some microseconds. From step to step the kernels are the same,
// and few of their parameters differ: where the next row of a cache lies, and
// how many rows there are. So a call is compared with the one before, launch by
// launch; only what differs is told to the driver, and the graph is launched
// when somebody asks for what it computes. This is exact, since the graph has
// the same kernels with the same parameters, each of which waits for the one
// before it, as in a stream.
//
//   first call      launched, and written down
//   second call     launched; if its kernels were the same, a graph is made
//   further calls   compared with the graph's, and launched as one; from the
//                   first kernel that differs on, one by one, as the first was
//
// Kernels of several sequences that read nothing of each other are in lanes,
// which run beside each other, in the graph as in streams:
//
//   k₀ ┬ lane 1: k₁ → k₂ ┬ k₅
//      └ lane 2: k₃ → k₄ ┘

#ifndef TRANSFOLD_RUNTIME_CUDA_LAUNCHGRAPH_H
#define TRANSFOLD_RUNTIME_CUDA_LAUNCHGRAPH_H

#include "runtime/cuda/Driver.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::cuda {

/// Of one entry of a session: what a call of it launched last. For one thread
/// at a time, with the device's context current wherever it calls the driver.
class LaunchGraph {
public:
  explicit LaunchGraph(const Driver &driver) : driver(driver) {}
  LaunchGraph(const LaunchGraph &) = delete;
  LaunchGraph &operator=(const LaunchGraph &) = delete;
  ~LaunchGraph();

  /// A call begins.
  void begin();
  /// Launches a kernel now, or with the graph.
  Result launch(const KernelLaunch &launch);
  /// Launches until the next call of this wait for those of their lane, from 1
  /// on; those after 0 wait for all. No context has to be current.
  void runBeside(int64_t lane);
  /// Memory that kernels of the graph may still use is freed after it.
  Result free(DevicePointer memory);
  /// Launches what waits. Launches after it are not part of a graph: whoever
  /// asked for this has a result that the next of them may depend on.
  Result flush();
  /// Whether launches wait for flush().
  bool isWaiting() const { return state == State::Following && next; }
  /// Tells apart what waits for what: no two graphs and lanes have the same.
  void *placeInOrder() { return &places[place.lane]; }

  /// What the driver was told, for tests and measurements.
  struct Counts {
    int64_t graphs = 0, graphLaunches = 0, changes = 0;
  };
  const Counts &counts() const { return count; }

private:
  static constexpr unsigned lanes = 8;
  /// Where a launch stands: in a lane, which 0 is none of, after so many joins
  /// of all lanes.
  struct Place {
    unsigned lane = 0;
    int64_t joins = 0;
    bool operator==(const Place &) const = default;
  };
  struct Node {
    KernelLaunch launch;             // without the parameters
    std::vector<uint8_t> parameters; // one after the other, as the driver says
    Place place;
    GraphNode node = nullptr;
  };
  enum class State {
    Recording, // kernels are launched and written down
    Following, // they are compared with those of the graph
    Over       // flushed: kernels are launched
  };
  const Driver &driver;
  State state = State::Over;
  std::vector<Node> nodes;
  size_t next = 0;   // launches of this call so far
  Place place;       // of the next launch
  int64_t joins = 0; // before what was launched last
  std::array<char, lanes + 1> places = {};
  std::array<Stream, lanes> streams = {};
  Event joined = nullptr;
  bool isSame = false; // the kernels so far are those of the call before
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  std::vector<DevicePointer> toFree;
  std::vector<void *> pointers; // into a node's parameters
  Counts count;
  /// Bytes of each parameter, by kernel.
  std::unordered_map<Function, std::vector<size_t>> sizes;

  const std::vector<size_t> &sizesOf(const KernelLaunch &launch);
  bool isEqual(const Node &node, const KernelLaunch &launch);
  void writeDown(Node &node, const KernelLaunch &launch);
  KernelLaunch launchOf(const Node &node);
  Result follow(const KernelLaunch &launch);
  Result record(const KernelLaunch &launch);
  Result launchNow(const KernelLaunch &launch, Place at);
  Result join();
  Result leave();
  bool make();
  bool addKernels();
  void drop();
  Result freeAll();
};

/// The launches of this thread go to a graph as long as this lives; null for
/// none.
class GraphScope {
public:
  explicit GraphScope(LaunchGraph *graph);
  GraphScope(const GraphScope &) = delete;
  GraphScope &operator=(const GraphScope &) = delete;
  ~GraphScope();

private:
  LaunchGraph *before;
};

/// Of this thread; null where there is none.
LaunchGraph *currentGraph();

} // namespace transfold::runtime::cuda

#endif // TRANSFOLD_RUNTIME_CUDA_LAUNCHGRAPH_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of a call as one CUDA graph.
//
//   k₀, k₁, …, kₙ   launched one by one    →    one launch of k₀ → k₁ → … → kₙ
//
// A step of a model launches some hundred kernels, each of which costs the host
// and the device some microseconds. From step to step the kernels are the same,
// and few of their parameters differ: where the next row of a cache lies, and
// the number of rows. Therefore a call is compared with the preceding one,
// launch by launch; only differing parameters are updated in the driver, and
// the graph is launched when its results are needed. This is exact, since the
// graph has the same kernels with the same parameters, each of which depends on
// the one before it, as in a stream.
//
//   first call      launched, and recorded
//   second call     launched; if its kernels are the same, a graph is created
//   further calls   compared with the graph's, and launched as one; from the
//                   first kernel that differs on, one by one, as the first was
//
// Kernels of several sequences that do not read each other's results are in
// lanes, which run concurrently, in the graph as well as in streams:
//
//   k₀ ┬ lane 1: k₁ → k₂ ┬ k₅
//      └ lane 2: k₃ → k₄ ┘

#pragma once

#include "base/NonCopyable.h"
#include "runtime/cuda/Driver.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::cuda {

/// The graph of one entry of a session: the launches of its last call. For one
/// thread at a time, with the device's context current whenever it calls the
/// driver.
class LaunchGraph : NonCopyable {
public:
  explicit LaunchGraph(const Driver &driver) : driver(driver) {}
  ~LaunchGraph();

  /// Begins a call.
  void begin();
  /// Launches a kernel now, or records it for the graph's launch.
  Result launch(const KernelLaunch &launch);
  /// Launches until the next call of this function are in `lane` (from 1 on)
  /// and depend only on those of their lane; after lane 0, they depend on all.
  /// No context has to be current.
  void runBeside(int64_t lane);
  /// Frees memory, after the graph if its kernels may still use it.
  Result free(DevicePointer memory);
  /// Executes the pending launches. Later launches of the call are not part of
  /// a graph: the caller has a result on which they may depend.
  Result flush();
  /// Whether launches wait for flush().
  bool isWaiting() const { return state == State::Following && next; }
  /// A key for the order of launches: different for any two graphs and lanes.
  void *placeInOrder() { return &places[place.lane]; }

  /// Counters of driver calls, for tests and measurements.
  struct Counts {
    int64_t graphs = 0, graphLaunches = 0, changes = 0;
  };
  const Counts &counts() const { return count; }

private:
  static constexpr unsigned lanes = 8;
  /// The position of a launch: its lane (0: none), and the number of preceding
  /// joins of all lanes.
  struct Place {
    unsigned lane = 0;
    int64_t joins = 0;
    bool operator==(const Place &) const = default;
  };
  /// A launch of the last call, with a copy of its parameters: Halide's own are
  /// on its stack.
  struct Node {
    KernelLaunch launch; // without the parameters
    /// One after the other, with the driver's sizes.
    std::vector<uint8_t> parameters;
    Place place;
    GraphNode node = nullptr;
  };
  /// The sizes of a kernel's parameters, in bytes.
  struct Sizes {
    std::vector<size_t> bytes;
    bool areComplete = true; // whether the driver told all of them
  };
  enum class State {
    Recording, // kernels are launched and recorded
    Following, // launches are compared with those of the graph
    Over       // flushed: kernels are launched
  };
  const Driver &driver;
  State state = State::Over;
  std::vector<Node> nodes;
  size_t next = 0;   // number of launches of this call so far
  Place place;       // position of the next launch
  int64_t joins = 0; // number of joins before the last launch
  /// Only their addresses matter: keys for placeInOrder().
  std::array<char, lanes + 1> places = {};
  /// For launches of lanes without a graph; created when they are first used.
  std::array<Stream, lanes> streams = {};
  /// Recorded in the default stream between lanes and what follows them.
  Event joined = nullptr;
  bool isSame = false; // the kernels so far equal those of the preceding call
  Graph graph = nullptr;
  /// The graph as the driver executes it; null if there is none.
  GraphExec exec = nullptr;
  /// Memory that pending launches may use; it is freed after they were made.
  std::vector<DevicePointer> toFree;
  std::vector<void *> pointers; // to a node's parameters
  Counts count;
  std::unordered_map<Function, Sizes> sizes; // of the kernels seen so far

  /// Sizes of the parameters of the launched kernel, as the driver reports
  /// them.
  const Sizes &sizesOf(const KernelLaunch &launch);
  /// Whether a launch of the same kernel has the node's grid and parameters,
  /// byte by byte.
  bool isEqual(const Node &node, const KernelLaunch &launch);
  /// Copies a launch with its parameters to a node.
  void writeDown(Node &node, const KernelLaunch &launch);
  /// The node's launch, whose parameters point into the node.
  KernelLaunch launchOf(const Node &node);
  /// launch() in the state Following, and in the state Recording.
  Result follow(const KernelLaunch &launch);
  Result record(const KernelLaunch &launch);
  /// Launches a kernel without a graph, in the stream of its lane.
  Result launchNow(const KernelLaunch &launch, Place at);
  /// Makes later launches wait for all earlier ones, of whatever lane.
  Result join();
  /// Gives up the graph in the middle of a call.
  Result leave();
  /// Creates `graph` and `exec` from the nodes; false if the driver fails.
  bool make();
  /// Adds the nodes to `graph`; false if the driver fails.
  bool addKernels();
  /// Destroys `graph` and `exec`.
  void drop();
  /// Frees the memory that waits for it; returns the first error.
  Result freeAll();
};

/// While it lives, the launches of this thread go to a graph; null: to none.
class GraphScope : NonCopyable {
public:
  explicit GraphScope(LaunchGraph *graph);
  ~GraphScope();

private:
  /// The graph of the enclosing scope; may be null.
  LaunchGraph *before;
};

/// The graph of this thread; null if there is none.
LaunchGraph *currentGraph();

} // namespace transfold::runtime::cuda

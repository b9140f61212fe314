// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording driver replaces CUDA's.

#include "runtime/cuda/LaunchGraph.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace transfold::runtime::cuda;

namespace {

/// What the driver ran, in order: "a5" is kernel a with parameter 5.
std::string ran;
/// The kernels of graphs, and those that were made executable.
std::vector<std::vector<std::string>> graphs;
int instantiated = 0, destroyed = 0;
uintptr_t streamCount = 0;
/// The dependencies of the kernels of the last graph, by index.
std::string waits;
bool canChange = true;

Function kernel(char name) {
  return reinterpret_cast<Function>(static_cast<uintptr_t>(name));
}

std::string textOf(const KernelLaunch &launch) {
  int32_t value;
  std::memcpy(&value, launch.parameters[0], sizeof(value));
  return static_cast<char>(reinterpret_cast<uintptr_t>(launch.function)) +
         std::to_string(value) +
         (launch.gridX > 1 ? "x" + std::to_string(launch.gridX) : "") + " ";
}

std::vector<std::string> &kernelsOf(const void *graph) {
  return graphs[reinterpret_cast<uintptr_t>(graph) - 1];
}

Driver fakeDriver() {
  ran.clear();
  graphs.clear();
  instantiated = destroyed = 0;
  streamCount = 0;
  waits.clear();
  canChange = true;
  Driver driver = {};
  driver.launchKernel = [](Function function, unsigned x, unsigned y,
                           unsigned z, unsigned, unsigned, unsigned, unsigned,
                           Stream stream, void **parameters, void **) {
    if (stream)
      ran += std::to_string(reinterpret_cast<uintptr_t>(stream)) + ":";
    ran += textOf({function, x, y, z, 1, 1, 1, 0, parameters});
    return 0;
  };
  driver.parameterInfo = [](Function, size_t index, size_t *offset,
                            size_t *bytes) {
    *offset = 0;
    *bytes = sizeof(int32_t);
    EXPECT_EQ(index, 0) << "after the last";
    return 0;
  };
  driver.memoryFree = [](DevicePointer memory) {
    ran += "free" + std::to_string(memory) + " ";
    return 0;
  };
  driver.graphCreate = [](Graph *graph, unsigned) {
    graphs.emplace_back();
    *graph = reinterpret_cast<Graph>(graphs.size());
    return 0;
  };
  driver.graphAddKernel = [](GraphNode *node, Graph graph,
                             const GraphNode *before, size_t count,
                             const KernelLaunch *launch) {
    auto &kernels = kernelsOf(graph);
    kernels.push_back(textOf(*launch));
    waits += std::to_string(kernels.size()) + "(";
    for (size_t i = 0; i < count; ++i)
      waits += std::to_string(reinterpret_cast<uintptr_t>(before[i]));
    waits += ") ";
    *node = reinterpret_cast<GraphNode>(kernels.size());
    return 0;
  };
  driver.graphInstantiate = [](GraphExec *exec, Graph graph,
                               unsigned long long) {
    ++instantiated;
    *exec = reinterpret_cast<GraphExec>(graph);
    return 0;
  };
  driver.graphSetKernel = [](GraphExec exec, GraphNode node,
                             const KernelLaunch *launch) {
    kernelsOf(exec)[reinterpret_cast<uintptr_t>(node) - 1] = textOf(*launch);
    return canChange ? 0 : 1;
  };
  driver.graphLaunch = [](GraphExec exec, Stream) {
    ran += "[ ";
    for (const std::string &each : kernelsOf(exec))
      ran += each;
    ran += "] ";
    return 0;
  };
  driver.graphExecDestroy = [](GraphExec) {
    ++destroyed;
    return 0;
  };
  driver.graphDestroy = [](Graph) { return 0; };
  driver.streamCreate = [](Stream *stream, unsigned) {
    *stream = reinterpret_cast<Stream>(++streamCount);
    return 0;
  };
  driver.streamDestroy = [](Stream) { return 0; };
  driver.eventCreate = [](Event *event, unsigned) {
    *event = reinterpret_cast<Event>(1);
    return 0;
  };
  driver.eventRecord = [](Event, Stream) {
    ran += "join ";
    return 0;
  };
  driver.eventDestroy = [](Event) { return 0; };
  return driver;
}

/// A call that launches kernels named by letters, each with `value`, or with
/// the digit after it. Returns what was executed.
std::string call(LaunchGraph &graph, const std::string &kernels, int value = 0,
                 unsigned grid = 1) {
  ran.clear();
  const GraphScope scope(&graph);
  for (size_t i = 0; i < kernels.size(); ++i) {
    int32_t number = value;
    const char name = kernels[i];
    if (name == '|') { // "|2" is lane 2
      graph.runBeside(kernels[++i] - '0');
      continue;
    }
    if (i + 1 < kernels.size() && std::isdigit(kernels[i + 1]))
      number = kernels[++i] - '0';
    void *parameters[] = {&number, nullptr};
    EXPECT_EQ(currentGraph(), &graph);
    EXPECT_EQ(graph.launch({kernel(name), grid, 1, 1, 1, 1, 1, 0, parameters}),
              0);
  }
  EXPECT_EQ(graph.flush(), 0);
  return ran;
}

/// A graph of the fake driver.
class LaunchGraphTest : public testing::Test {
protected:
  Driver driver = fakeDriver();
  LaunchGraph graph{driver};

  /// After two calls with these kernels, the next one is a graph.
  void callTwice(const std::string &kernels) {
    for (int i = 0; i < 2; ++i)
      call(graph, kernels, 1);
  }
};

TEST(LaunchGraphs, CallsThatAreAlikeBecomeAGraph) {
  const Driver driver = fakeDriver();
  {
    LaunchGraph graph(driver);
    EXPECT_EQ(call(graph, "abcab"), "a0 b0 c0 a0 b0 ");
    EXPECT_EQ(call(graph, "abcab", 1), "a1 b1 c1 a1 b1 ");
    EXPECT_EQ(instantiated, 1);
    EXPECT_EQ(waits, "1() 2(1) 3(2) 4(3) 5(4) ");
    EXPECT_EQ(call(graph, "abcab", 1), "[ a1 b1 c1 a1 b1 ] ");
    EXPECT_EQ(graph.counts().changes, 0);
    EXPECT_EQ(call(graph, "abc7ab", 1), "[ a1 b1 c7 a1 b1 ] ");
    EXPECT_EQ(graph.counts().changes, 1);
    EXPECT_EQ(call(graph, "abc7ab", 1, 3), "[ a1x3 b1x3 c7x3 a1x3 b1x3 ] ");
    EXPECT_EQ(call(graph, "abcab", 2), "[ a2 b2 c2 a2 b2 ] ");
    EXPECT_EQ(instantiated, 1);
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(currentGraph(), nullptr);
}

TEST(LaunchGraphs, UnknownParametersMakeNoGraph) {
  Driver driver = fakeDriver();
  driver.parameterInfo = [](Function, size_t, size_t *, size_t *) {
    return 1; // such as CUDA_ERROR_INVALID_VALUE
  };
  LaunchGraph graph(driver);
  for (int value = 0; value < 3; ++value)
    call(graph, "abcab", value);
  EXPECT_EQ(call(graph, "abcab", 7), "a7 b7 c7 a7 b7 ");
  EXPECT_EQ(instantiated, 0);
}

TEST_F(LaunchGraphTest, OtherKernelsAreLaunchedInOrder) {
  for (int i = 0; i < 3; ++i)
    call(graph, "abcd", i);
  EXPECT_EQ(graph.counts().graphLaunches, 1);
  // Another kernel, fewer, more: pending launches run first, with their own
  // parameters.
  EXPECT_EQ(call(graph, "abxd", 4), "a4 b4 x4 d4 ");
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(call(graph, "abcd", 5), "a5 b5 c5 d5 ");
  EXPECT_EQ(call(graph, "abcd", 6), "a6 b6 c6 d6 ");
  EXPECT_EQ(call(graph, "abcd", 7), "[ a7 b7 c7 d7 ] ");
  EXPECT_EQ(call(graph, "abc", 8), "a8 b8 c8 ");
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(call(graph, "abcd", 9), "a9 b9 c9 d9 ");
  EXPECT_EQ(call(graph, "abcd", 9), "a9 b9 c9 d9 ");
  EXPECT_EQ(call(graph, "abcde", 9), "a9 b9 c9 d9 e9 ");
}

TEST_F(LaunchGraphTest, LanesRunBesideEachOther) {
  const std::string kernels = "a|1bc|2bc|9d|0e|1f|2f|0|1g|2g|0";
  const std::string one = "a1 1:b1 1:c1 2:b1 2:c1 1:d1 join e1 1:f1 2:f1 join "
                          "1:g1 2:g1 ";
  EXPECT_EQ(call(graph, kernels, 1), one);
  EXPECT_EQ(call(graph, kernels, 1), one);
  // The ninth is in the lane of the first. A launch after lanes waits for all
  // of them; one without a lane waits like those in lanes.
  EXPECT_EQ(waits, "1() 2(1) 3(2) 4(1) 5(4) 6(3) 7(65) 8(7) 9(7) 10(89) "
                   "11(89) ");
  EXPECT_EQ(call(graph, kernels, 2), "[ a2 b2 c2 b2 c2 d2 e2 f2 f2 g2 g2 ] ");
  // The same kernels in other lanes are another graph.
  EXPECT_EQ(call(graph, "abcbcdeffgg", 3), "a3 b3 c3 b3 c3 d3 e3 f3 f3 g3 g3 ");
  call(graph, kernels, 4);
  call(graph, kernels, 4);
  EXPECT_EQ(call(graph, "a|1bc|2bc|9d|0e|1f|2f|0|1x", 5),
            "a5 1:b5 1:c5 2:b5 2:c5 1:d5 join e5 1:f5 2:f5 join 1:x5 ");
}

TEST_F(LaunchGraphTest, FewKernelsAreNoGraph) {
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(call(graph, "ab", 1), "a1 b1 ");
  EXPECT_EQ(instantiated, 0);
}

TEST_F(LaunchGraphTest, WhatTheDriverCannotChangeIsLaunched) {
  callTwice("abcd");
  canChange = false;
  EXPECT_EQ(call(graph, "ab2cd", 1), "a1 b2 c1 d1 ");
  EXPECT_EQ(destroyed, 1);
}

TEST_F(LaunchGraphTest, LaunchesAfterAResultAreNotPartOfIt) {
  callTwice("abcd");
  ran.clear();
  const GraphScope scope(&graph);
  int32_t value = 1;
  void *parameters[] = {&value, nullptr};
  for (const char name : {'a', 'b', 'c', 'd'}) {
    EXPECT_EQ(graph.launch({kernel(name), 1, 1, 1, 1, 1, 1, 0, parameters}), 0);
    EXPECT_TRUE(graph.isWaiting());
  }
  EXPECT_EQ(ran, "");
  EXPECT_EQ(graph.flush(), 0);
  EXPECT_FALSE(graph.isWaiting());
  EXPECT_EQ(graph.launch({kernel('e'), 1, 1, 1, 1, 1, 1, 0, parameters}), 0);
  EXPECT_EQ(graph.flush(), 0);
  EXPECT_EQ(ran, "[ a1 b1 c1 d1 ] e1 ");
}

TEST_F(LaunchGraphTest, MemoryIsFreedAfterTheGraph) {
  callTwice("abcd");
  ran.clear();
  const GraphScope scope(&graph);
  int32_t value = 1;
  void *parameters[] = {&value, nullptr};
  EXPECT_EQ(graph.free(1), 0);
  EXPECT_EQ(graph.launch({kernel('a'), 1, 1, 1, 1, 1, 1, 0, parameters}), 0);
  EXPECT_EQ(graph.free(2), 0);
  EXPECT_EQ(ran, "free1 ");
  EXPECT_EQ(graph.launch({kernel('x'), 1, 1, 1, 1, 1, 1, 0, parameters}), 0);
  EXPECT_EQ(ran, "free1 a1 free2 x1 ");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CUDA's driver interface that this runtime uses, with the types of
// cuda.h, which is not needed to build transfold. A function that the driver
// does not have is null.

#pragma once

#include <cstddef>
#include <cstdint>

namespace transfold::runtime::cuda {

/// 0, or the driver's error code.
using Result = int;
/// The driver's opaque handles.
using DevicePointer = unsigned long long;
struct OpaqueFunction;
using Function = OpaqueFunction *;
struct OpaqueStream;
using Stream = OpaqueStream *;
struct OpaqueEvent;
using Event = OpaqueEvent *;
struct OpaqueGraph;
using Graph = OpaqueGraph *;
struct OpaqueGraphExec;
using GraphExec = OpaqueGraphExec *;
struct OpaqueGraphNode;
using GraphNode = OpaqueGraphNode *;

/// The parameters of a kernel launch: CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelLaunch {
  Function function = nullptr;
  unsigned gridX = 0, gridY = 0, gridZ = 0;
  unsigned blockX = 0, blockY = 0, blockZ = 0;
  unsigned sharedBytes = 0;
  void **parameters = nullptr;
  void **extra = nullptr;  // null, as in Halide's launches
  void *kernel = nullptr;  // alternative to `function`; null
  void *context = nullptr; // null: the current context
};

/// Functions of the driver.
/// Functions of the driver; the comments name what is not evident from cuda.h.
struct Driver {
  Result (*launchKernel)(Function, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, Stream, void **,
                         void **);
  /// Offset and size of a kernel's parameter; an error if there is no such
  /// parameter. Since CUDA 12.4.
  Result (*parameterInfo)(Function, size_t index, size_t *offset,
                          size_t *bytes);
  Result (*moduleLoad)(void **module, const void *image, unsigned options,
                       int *names, void **values);
  Result (*memoryFree)(DevicePointer);
  Result (*copyToDevice)(DevicePointer, const void *, size_t);
  Result (*copyToHost)(void *, DevicePointer, size_t);
  Result (*copyWithin)(DevicePointer, DevicePointer, size_t);
  Result (*streamCreate)(Stream *, unsigned flags);
  Result (*streamDestroy)(Stream);
  Result (*eventCreate)(Event *, unsigned flags);
  Result (*eventRecord)(Event, Stream);
  Result (*eventDestroy)(Event);
  Result (*contextSynchronize)();
  Result (*graphCreate)(Graph *, unsigned flags);
  Result (*graphAddKernel)(GraphNode *, Graph, const GraphNode *dependencies,
                           size_t count, const KernelLaunch *);
  Result (*graphInstantiate)(GraphExec *, Graph, unsigned long long flags);
  Result (*graphSetKernel)(GraphExec, GraphNode, const KernelLaunch *);
  Result (*graphLaunch)(GraphExec, Stream);
  Result (*graphExecDestroy)(GraphExec);
  Result (*graphDestroy)(Graph);

  /// Whether the driver is loaded and has all functions that graphs need.
  bool hasGraphs() const {
    return launchKernel && parameterInfo && graphCreate && graphAddKernel &&
           graphInstantiate && graphSetKernel && graphLaunch &&
           graphExecDestroy && graphDestroy && streamCreate && streamDestroy &&
           eventCreate && eventRecord && eventDestroy;
  }
};

/// The driver of this process; its functions are null until Halide's runtime
/// has requested them.
Driver &driver();

} // namespace transfold::runtime::cuda

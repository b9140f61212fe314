// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that Halide's runtime gets when it looks up functions of CUDA's
// driver: the driver's own, except for those before which the pending launches
// of a graph (LaunchGraph.h) must be executed. Halide's definitions of the two
// functions at the end are weak; these replace them.

#include "runtime/cuda/LaunchGraph.h"

#include <dlfcn.h>

#include <string_view>
#include <type_traits>

namespace transfold::runtime::cuda {

Driver &driver() {
  static Driver functions = {};
  return functions;
}

namespace {

/// Executes the pending launches of this thread.
Result flush() {
  LaunchGraph *graph = currentGraph();
  return graph ? graph->flush() : 0;
}

/// A launch goes to the graph of this thread if there is one. Without a graph
/// it goes to the default stream, whichever stream Halide names. `extra` is
/// another form of parameters, which Halide does not use and graphs here do not
/// support.
Result launchKernel(Function function, unsigned gridX, unsigned gridY,
                    unsigned gridZ, unsigned blockX, unsigned blockY,
                    unsigned blockZ, unsigned sharedBytes, Stream,
                    void **parameters, void **extra) {
  if (LaunchGraph *graph = currentGraph(); graph && !extra)
    return graph->launch({function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                          sharedBytes, parameters});
  return driver().launchKernel(function, gridX, gridY, gridZ, blockX, blockY,
                               blockZ, sharedBytes, nullptr, parameters, extra);
}

/// Halide limits kernels to 64 registers per thread when the driver compiles
/// them; our schedules use as many as they need, up to 255.
Result moduleLoad(void **module, const void *image, unsigned, int *, void **) {
  return driver().moduleLoad(module, image, 0, nullptr, nullptr);
}

/// Kernels that have not been launched yet may use the memory, so that a graph
/// frees it itself.
Result memoryFree(DevicePointer memory) {
  LaunchGraph *graph = currentGraph();
  return graph ? graph->free(memory) : driver().memoryFree(memory);
}

/// Calls the function at `member` of Driver after the pending launches.
template <auto member, typename... Arguments>
Result afterFlush(Arguments... arguments) {
  if (Result code = flush())
    return code;
  return (driver().*member)(arguments...);
}

/// The same for functions with a stream as last argument. Streams only separate
/// the memory of sessions (see below): all work is in the order of the default
/// stream.
template <auto member, typename... Arguments>
Result withoutStream(Arguments... arguments, Stream) {
  return afterFlush<member, Arguments...>(arguments...);
}

/// Lanes have streams of their own, so this waits for all of them.
Result streamSynchronize(Stream) {
  return afterFlush<&Driver::contextSynchronize>();
}

/// The driver's library, by the name that its package installs; the name
/// without a number comes with the development packages.
void *library() {
  static void *const found = [] {
    for (const char *name : {"libcuda.so.1", "libcuda.so"})
      if (void *library = dlopen(name, RTLD_LAZY))
        return library;
    return static_cast<void *>(nullptr);
  }();
  return found;
}

/// A function of the driver; null if it is absent.
void *symbolOf(const char *name) {
  if (void *found =
          dlsym(RTLD_DEFAULT, name)) // the process has already loaded it
    return found;
  return library() ? dlsym(library(), name) : nullptr;
}

/// Sets a function of the driver unless it is known already.
template <typename Pointer> void find(Pointer &function, const char *name) {
  if (!function)
    function = reinterpret_cast<Pointer>(symbolOf(name));
}

/// Finds the functions that Halide's runtime does not request.
void findGraphFunctions() {
  Driver &all = driver();
  find(all.parameterInfo, "cuFuncGetParamInfo");
  find(all.graphCreate, "cuGraphCreate");
  find(all.graphAddKernel, "cuGraphAddKernelNode_v2");
  find(all.graphInstantiate, "cuGraphInstantiateWithFlags");
  find(all.graphSetKernel, "cuGraphExecKernelNodeSetParams_v2");
  find(all.graphLaunch, "cuGraphLaunch");
  find(all.graphExecDestroy, "cuGraphExecDestroy");
  find(all.graphDestroy, "cuGraphDestroy");
  find(all.streamCreate, "cuStreamCreate");
  find(all.streamDestroy, "cuStreamDestroy_v2");
  find(all.eventCreate, "cuEventCreate");
  find(all.eventRecord, "cuEventRecord");
  find(all.eventDestroy, "cuEventDestroy_v2");
}

/// Keeps the driver's function, which `ours` calls, and returns `ours`; null if
/// the driver does not have the function.
template <typename Pointer>
void *hook(Pointer &original, void *found, std::type_identity_t<Pointer> ours) {
  original = reinterpret_cast<Pointer>(found);
  return found ? reinterpret_cast<void *>(ours) : nullptr;
}

/// The function that Halide's runtime gets for a function of the driver.
void *hooked(std::string_view name, void *found) {
  Driver &all = driver();
  if (name == "cuLaunchKernel") {
    findGraphFunctions();
    return hook(all.launchKernel, found, launchKernel);
  }
  if (name == "cuModuleLoadDataEx")
    return hook(all.moduleLoad, found, moduleLoad);
  if (name == "cuMemFree_v2")
    return hook(all.memoryFree, found, memoryFree);
  if (name == "cuMemcpyHtoD_v2")
    return hook(all.copyToDevice, found, afterFlush<&Driver::copyToDevice>);
  if (name == "cuMemcpyDtoH_v2")
    return hook(all.copyToHost, found, afterFlush<&Driver::copyToHost>);
  if (name == "cuMemcpyDtoD_v2")
    return hook(all.copyWithin, found, afterFlush<&Driver::copyWithin>);
  if (name == "cuStreamSynchronize")
    return found ? reinterpret_cast<void *>(streamSynchronize) : nullptr;
  if (name == "cuCtxSynchronize")
    return hook(all.contextSynchronize, found,
                afterFlush<&Driver::contextSynchronize>);
  // Halide uses these functions only with a stream that is not null.
  if (name == "cuMemcpyHtoDAsync_v2")
    return reinterpret_cast<void *>(
        withoutStream<&Driver::copyToDevice, DevicePointer, const void *,
                      size_t>);
  if (name == "cuMemcpyDtoHAsync_v2")
    return reinterpret_cast<void *>(
        withoutStream<&Driver::copyToHost, void *, DevicePointer, size_t>);
  if (name == "cuMemcpyDtoDAsync_v2")
    return reinterpret_cast<void *>(
        withoutStream<&Driver::copyWithin, DevicePointer, DevicePointer,
                      size_t>);
  return found;
}

} // namespace

} // namespace transfold::runtime::cuda

extern "C" {

void *halide_cuda_get_symbol(void *, const char *name) {
  using namespace transfold::runtime::cuda;
  return hooked(name, symbolOf(name));
}

/// Halide reuses memory that was freed on a stream for the next allocation on
/// the same stream, since kernels of a stream are ordered. The launches of a
/// session wait for its graph while those of other sessions proceed, and lanes
/// run concurrently, so each of them has memory of its own.
int halide_cuda_get_stream(void *, void *, void **stream) {
  auto *graph = transfold::runtime::cuda::currentGraph();
  *stream = graph ? graph->placeInOrder() : nullptr;
  return 0;
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are linked in memory, with a runtime of a few functions that need no
// thread pool.

#include "compiler/kernels/build/LoadKernels.h"

#include "compiler/kernels/build/KernelSymbol.h"
#include "runtime/kernels/Prefetches.h"

#include <HalideRuntime.h>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include <cstdlib>
#include <string>
#include <utility>

using namespace llvm;
using namespace transfold::kernels;

//===----------------------------------------------------------------------===//
// The runtime functions that kernels call
//===----------------------------------------------------------------------===//

// halide_do_par_for, in the calling thread.
static int runTasks(void *context, halide_task_t task, int first, int count,
                    uint8_t *closure) {
  for (int i = 0; i < count; ++i)
    if (int code = task(context, first + i, closure))
      return code;
  return 0;
}

// halide_malloc: aligned, and with 64 bytes to spare.
static void *allocate(void *, size_t bytes) {
  return std::aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

/// halide_free.
static void release(void *, void *memory) { std::free(memory); }

/// transfold_prefetches, as in a program.
static int prefetches() { return transfold::runtime::arePrefetchesFaster(); }

/// Called with any arguments, which it ignores: the error is reported by the
/// code only.
static int failedCheck() { return halide_error_code_generic_error; }

namespace {
/// Defines every function that reports a failed check of Halide:
/// halide_error_access_out_of_bounds, ….
class FailedChecks : public orc::DefinitionGenerator {
public:
  Error tryToGenerate(orc::LookupState &, orc::LookupKind,
                      orc::JITDylib &library, orc::JITDylibLookupFlags,
                      const orc::SymbolLookupSet &names) override {
    orc::SymbolMap symbols;
    for (const auto &[name, flags] : names)
      if ((*name).starts_with("halide_error"))
        symbols[name] = {orc::ExecutorAddr::fromPtr(&failedCheck),
                         JITSymbolFlags::Exported};
    return symbols.empty() ? Error::success()
                           : library.define(orc::absoluteSymbols(symbols));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loading and running
//===----------------------------------------------------------------------===//

LoadedKernels::LoadedKernels(std::unique_ptr<orc::LLJIT> jit)
    : jit(std::move(jit)) {}
LoadedKernels::LoadedKernels(LoadedKernels &&) noexcept = default;
LoadedKernels::~LoadedKernels() = default;

Expected<LoadedKernels> LoadedKernels::load(ArrayRef<BuiltKernel> built) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  orc::JITDylib &library = (*jit)->getMainJITDylib();
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  orc::SymbolMap symbols;
  auto define = [&](StringRef name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(function), JITSymbolFlags::Exported};
  };
  define("halide_do_par_for", &runTasks);
  define("halide_malloc", &allocate);
  define("halide_free", &release);
  define("transfold_prefetches", &prefetches);
  if (Error error = library.define(orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  library.addGenerator(std::make_unique<FailedChecks>());
  library.addGenerator(std::move(*process));
  for (const BuiltKernel &kernel : built)
    if (Error error = (*jit)->addObjectFile(
            MemoryBuffer::getMemBufferCopy(kernel.bytes, kernel.name)))
      return std::move(error);
  return LoadedKernels(std::move(*jit));
}

/// A call with as many pointers as there are indices.
template <size_t... I>
static int call(void *address, ArrayRef<halide_buffer_t *> buffers,
                std::index_sequence<I...>) {
  auto function = reinterpret_cast<int (*)(
      decltype((void)I, (halide_buffer_t *)nullptr)...)>(address);
  return function(buffers[I]...);
}

// A call with `buffers.size()` arguments, which are at most `count`.
template <size_t count>
static int callWith(void *address, ArrayRef<halide_buffer_t *> buffers) {
  if (buffers.size() == count)
    return call(address, buffers, std::make_index_sequence<count>());
  if constexpr (count > 1)
    return callWith<count - 1>(address, buffers);
  return halide_error_code_internal_error;
}

int LoadedKernel::operator()(ArrayRef<halide_buffer_t *> buffers) const {
  return callWith<16>(address, buffers);
}

Expected<LoadedKernel> LoadedKernels::find(StringRef kernel) const {
  auto address = jit->lookup(symbolOf(kernel));
  if (!address)
    return address.takeError();
  return LoadedKernel{address->toPtr<void *>()};
}

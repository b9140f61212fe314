// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a small encoder (384 and 1536 columns, 12 heads of 32 channels)
// and recurrences of small models (Mamba-2's and the gated delta rule) on one
// core, compared with the peak of that core, which is measured again for every
// line: other programs and clock rates affect both alike.
//
//   bench-kernels [--target=TARGET] [--seconds=S]

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/build/LoadKernels.h"
#include "runtime/commands/bench/Peak.h"

#include <HalideRuntime.h>

#include <fmt/format.h>
#include <llvm/Support/CommandLine.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <cstdlib>
#include <memory>

using namespace transfold;

static llvm::cl::opt<std::string> target("target", llvm::cl::init("host"),
                                         llvm::cl::desc("as Halide writes it"));
static llvm::cl::opt<double> seconds("seconds", llvm::cl::init(0.3),
                                     llvm::cl::desc("for each line"));

namespace {

/// A dense float buffer filled with small values; `extents` lists the slowest
/// axis first.
class Buffer {
public:
  explicit Buffer(std::vector<int> extents) {
    int count = 1;
    for (size_t i = extents.size(); i-- > 0; count *= extents[i])
      dimensions.emplace_back(0, extents[i], count);
    numbers.reset(static_cast<float *>(
        std::aligned_alloc(64, (size_t(count) * 4 + 127) / 64 * 64)));
    for (int i = 0; i < count; ++i)
      numbers.get()[i] = static_cast<float>(i * 7919 % 2001 - 1000) / 4000;
    buffer.host = reinterpret_cast<uint8_t *>(numbers.get());
    buffer.type = halide_type_t(halide_type_float, 32);
    buffer.dimensions = static_cast<int>(dimensions.size());
    buffer.dim = dimensions.data();
  }
  Buffer(const Buffer &) = delete;

  halide_buffer_t *get() { return &buffer; }

private:
  struct Free {
    void operator()(float *memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> numbers;
  std::vector<halide_dimension_t> dimensions;
  halide_buffer_t buffer = {};
};

/// A kernel, built in the same way as by the compiler.
class Kernel {
public:
  explicit Kernel(const std::string &text) {
    context.loadDialect<xf::XfDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::PassManager passes(&context);
    passes.addPass(kernels::createAssignSchedules({target}));
    if (!module || failed(passes.run(*module)))
      std::exit(1);
    auto op = *module->getOps<xf::KernelOp>().begin();
    if (auto panels = op.getStorage(1).getPanels())
      panelWidth = static_cast<int>(panels.getWidth());
    auto built = kernels::buildKernels(*module);
    if (failed(built))
      std::exit(1);
    loaded.emplace(llvm::cantFail(kernels::LoadedKernels::load(*built)));
    function = llvm::cantFail(loaded->find(op.getSymName()));
  }

  /// The shortest run of as many as fit into `seconds`.
  double measure(llvm::ArrayRef<halide_buffer_t *> buffers) const {
    double best = 1e9, end = runtime::now() + seconds;
    do {
      double start = runtime::now();
      if (int code = function(buffers)) {
        fmt::print(stderr, "the kernel failed with {}\n", code);
        std::exit(1);
      }
      best = std::min(best, runtime::now() - start);
    } while (runtime::now() < end);
    return best;
  }

  int panelWidth = 0;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<kernels::LoadedKernels> loaded;
  kernels::LoadedKernel function;
};

void report(const std::string &name, double time, double operations) {
  double peak = runtime::measurePeak(runtime::Products::Float32) * 1e-9,
         rate = operations / time * 1e-9;
  fmt::print("{:<34}{:>10.1f} µs {:>7.1f} GF/s", name, time * 1e6, rate);
  if (peak > 0)
    fmt::print("  of {:>6.1f}  {:>5.1f} %", peak, 100 * rate / peak);
  fmt::print("\n");
  std::fflush(stdout);
}

void benchContraction(int depth, int columns, bool hasGelu) {
  std::string x = fmt::format("!xf.real<n, {}>", depth);
  std::string w = fmt::format("!xf.real<{}, {}>", depth, columns);
  std::string b = fmt::format("!xf.real<{}>", columns);
  std::string y = fmt::format("!xf.real<n, {}>", columns);
  Kernel kernel(fmt::format(
      R"mlir(
xf.kernel @contraction(%x: {0}, %W: {1} {{xf.storage = #xf.storage<f32, <32>>}}, %b: {2}) -> {3}
    attributes {{anchor = #xf.anchor<contraction>}} {{
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : {0}, {1}
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : {3}, {2}
  %2 = xf.{4} %1 : {3}
  xf.return %2 : {3}
}})mlir",
      x, w, b, y, hasGelu ? "gelu" : "relu"));
  int width = kernel.panelWidth;
  Buffer weights({(columns + width - 1) / width, depth, width}),
      bias({columns});
  for (int rows : {16, 64, 128, 512}) {
    Buffer input({rows, depth}), output({rows, columns});
    report(
        fmt::format("{} × {}, {}, {} rows", depth, columns,
                    hasGelu ? "gelu" : "relu", rows),
        kernel.measure({input.get(), weights.get(), bias.get(), output.get()}),
        2.0 * depth * columns * rows);
  }
}

void benchAttention(int heads, int channels) {
  std::string q = fmt::format("!xf.real<{}, n, {}>", heads, channels);
  std::string k = fmt::format("!xf.real<{}, m, {}>", heads, channels);
  std::string s = fmt::format("!xf.real<{}, n, m>", heads);
  Kernel kernel(fmt::format(R"mlir(
xf.kernel @attention(%q: {0}, %k: {1}, %v: {1}) -> {0}
    attributes {{anchor = #xf.anchor<attention>}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : {0}, {1}
  %1 = xf.scale %0 by <"1/sqrt({3})"> "1 / √d_k" : {2}
  %2 = xf.softmax %1 : {2}
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : {2}, {1}
  xf.return %3 : {0}
}})mlir",
                            q, k, s, channels));
  for (int n : {128, 512}) {
    Buffer queries({n, heads, channels}), keys({n, heads, channels}),
        values({n, heads, channels}), output({n, heads, channels});
    report(
        fmt::format("attention, {} heads of {}, n = {}", heads, channels, n),
        kernel.measure({queries.get(), keys.get(), values.get(), output.get()}),
        4.0 * heads * channels * n * n);
  }
}

/// The recurrence of a state of `keys` × `values` numbers for each head. Each
/// of the `products` of an entry at a position counts as a multiply-add.
void benchScan(const std::string &name, int heads, int keys, int values,
               int products, const std::string &equations) {
  std::string k = fmt::format("!xf.real<{}, n, {}>", heads, keys);
  std::string v = fmt::format("!xf.real<{}, n, {}>", heads, values);
  std::string a = fmt::format("!xf.real<n, {}>", heads);
  std::string s = fmt::format("!xf.real<{}, {}, {}>", heads, keys, values);
  std::string region = equations;
  for (auto [short_, long_] :
       {std::pair("S", fmt::format("<{}, {}, {}>", heads, keys, values)),
        std::pair("K", fmt::format("<{}, {}>", heads, keys)),
        std::pair("V", fmt::format("<{}, {}>", heads, values)),
        std::pair("H", fmt::format("<{}>", heads))})
    for (size_t at;
         (at = region.find(fmt::format("${}", short_))) != std::string::npos;)
      region.replace(at, 2, long_);
  Kernel kernel(fmt::format(R"mlir(
xf.kernel @scan(%K: {0}, %Q: {0}, %V: {1}, %A: {2}, %B: {2}, %S0: {3}) -> ({1}, {3})
    attributes {{anchor = #xf.anchor<scan>}} {{
  %Y, %last = xf.scan (%k in %K axis 1, %q in %Q axis 1, %v in %V axis 1,
                       %a in %A axis 0, %b in %B axis 0) from (%s = %S0)
      : ({0}, {0}, {1}, {2}, {2}), ({3}) -> ({1} axis 1) {{
    {4}
    xf.yield %y, %next : !xf.real<{5}, {7}>, !xf.real<{5}, {6}, {7}>
  }}
  xf.return %Y, %last : {1}, {3}
}})mlir",
                            k, v, a, s, region, heads, keys, values));
  for (int n : {1, 512}) {
    Buffer allKeys({n, heads, keys}), queries({n, heads, keys}),
        allValues({n, heads, values}), decays({n, heads}), gates({n, heads}),
        first({heads, keys, values}), output({n, heads, values}),
        last({heads, keys, values});
    report(fmt::format("{}, {} heads of {} × {}, n = {}", name, heads, keys,
                       values, n),
           kernel.measure({allKeys.get(), queries.get(), allValues.get(),
                           decays.get(), gates.get(), first.get(), output.get(),
                           last.get()}),
           2.0 * products * heads * keys * values * n);
  }
}

const char *const mamba2 = R"mlir(
    %w = xf.multiply %b[i], %v[i, c] -> [i, c] : $H, $V
    %kv = xf.multiply %k[i, a], %w[i, c] -> [i, a, c] : $K, $V
    %old = xf.multiply %a[i], %s[i, a, c] -> [i, a, c] : $H, $S
    %next = xf.add %old[i, a, c], %kv[i, a, c] -> [i, a, c] : $S, $S
    %y = xf.contract %q[i, a], %next[i, a, c] -> [i, c] : $K, $S)mlir";

const char *const deltaRule = R"mlir(
    %old = xf.multiply %a[i], %s[i, a, c] -> [i, a, c] : $H, $S
    %known = xf.contract %k[i, a], %old[i, a, c] -> [i, c] : $K, $S
    %news = xf.subtract %v[i, c], %known[i, c] -> [i, c] : $V, $V
    %w = xf.multiply %b[i], %news[i, c] -> [i, c] : $H, $V
    %kv = xf.multiply %k[i, a], %w[i, c] -> [i, a, c] : $K, $V
    %next = xf.add %old[i, a, c], %kv[i, a, c] -> [i, a, c] : $S, $S
    %y = xf.contract %q[i, a], %next[i, a, c] -> [i, c] : $K, $S)mlir";

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "kernels beside a core's peak\n");
  benchContraction(384, 384, false);
  benchContraction(384, 1536, true);
  benchContraction(1536, 384, false);
  benchAttention(12, 32);
  benchScan("Mamba-2", 24, 128, 64, 3, mamba2);
  benchScan("gated delta rule", 16, 128, 128, 5, deltaRule);
}

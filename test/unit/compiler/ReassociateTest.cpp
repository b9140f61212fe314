// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in another order have the same results: random chains of matrices
// and families, and an attention whose heads are absorbed.

#include "compiler/fold/Passes.h"
#include "compiler/weights/Passes.h"
#include "test/unit/compiler/Xf.h"

#include <fmt/format.h>
#include <mlir/Pass/PassManager.h>

#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

/// The text of an entry that multiplies x[n, a1] with weights, in a random
/// order of products; some weights are families, with the label i.
class RandomChain {
public:
  explicit RandomChain(unsigned seed) : random(seed) {
    const int matrices = 3 + upTo(3);
    sizes.push_back(0); // n
    for (int k = 0; k < matrices; ++k)
      sizes.push_back(1 + upTo(7));
    std::string stored;
    for (int k = 1; k < matrices; ++k) {
      families.push_back(upTo(3) == 0);
      stored += fmt::format(
          "xf.stored @W{0} : !xf.real<{1}{2}, {3}> from \"W{0}\" as "
          "<({4}[{2}:{3}], "
          "[{3}:1])>\n",
          k, families.back() ? "2, " : "", sizes[k], sizes[k + 1],
          families.back() ? fmt::format("[2:{}], ", sizes[k] * sizes[k + 1])
                          : "");
      body += fmt::format("  %W{0} = xf.weight @W{0} : {1}\n", k,
                          shape(k, k, families.back()));
    }
    const Part all = product(0, matrices - 1);
    text = stored + fmt::format("xf.entry @run(%x: !xf.real<n, {}>) -> "
                                "!xf.real{} {{\n{}  xf.return {} : "
                                "!xf.real{}\n}}\n",
                                sizes[1], shape(0, matrices - 1, all.isFamily),
                                body, all.name,
                                shape(0, matrices - 1, all.isFamily));
  }

  std::string text;

private:
  /// The product of some consecutive matrices.
  struct Part {
    std::string name;
    bool isFamily;
  };

  int upTo(int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  }

  std::string size(int k) const {
    return sizes[k] == 0 ? "n" : std::to_string(sizes[k]);
  }
  std::string shape(int first, int last, bool isFamily) const {
    return fmt::format("<{}{}, {}>", isFamily ? "2, " : "", size(first),
                       size(last + 1));
  }
  static std::string labels(int first, int last, bool isFamily) {
    return fmt::format("[{}a{}, a{}]", isFamily ? "i, " : "", first, last + 1);
  }

  Part product(int first, int last) {
    if (first == last)
      return first == 0 ? Part{"%x", false}
                        : Part{fmt::format("%W{}", first), families[first - 1]};
    const int middle = first + upTo(last - first - 1);
    const Part left = product(first, middle), right = product(middle + 1, last);
    const Part made = {fmt::format("%p{}", ++count),
                       left.isFamily || right.isFamily};
    body += fmt::format(
        "  {} = xf.contract {}{}, {}{} -> {} : {}, {}\n", made.name, left.name,
        labels(first, middle, left.isFamily), right.name,
        labels(middle + 1, last, right.isFamily),
        labels(first, last, made.isFamily), shape(first, middle, left.isFamily),
        shape(middle + 1, last, right.isFamily));
    return made;
  }

  std::mt19937 random;
  std::vector<int> sizes; // 0 stands for n
  std::vector<bool> families;
  std::string body;
  int count = 0;
};

class ReassociateTest : public test::XfTest {
protected:
  /// Runs the pass and compares the results; returns the number of ledger
  /// lines.
  unsigned check(StringRef text, std::vector<std::vector<int64_t>> shapes) {
    auto module = parse(text);
    if (!module)
      return 0;
    test::RandomCheckpoint checkpoint;
    for (auto stored : module->getOps<xf::StoredOp>()) {
      int64_t count = 1;
      for (int64_t size : stored.getLayout().getSizes())
        count *= size;
      checkpoint.add(stored.getSource()->getName().str(), count);
    }
    std::vector<Tensor> arguments;
    for (const std::vector<int64_t> &shape : shapes)
      arguments.push_back(randomTensor(shape));
    auto expected = run(*module, arguments, &checkpoint);
    PassManager passes(&context);
    passes.addPass(fold::createReassociate());
    passes.addPass(weights::createDeriveWeights());
    EXPECT_TRUE(succeeded(passes.run(*module)));
    auto found = run(*module, arguments, &checkpoint);
    EXPECT_EQ(found.size(), expected.size());
    for (auto [a, b] : llvm::zip(found, expected)) {
      double largest = 1;
      for (double x : b.data)
        largest = std::max(largest, std::fabs(x));
      expectNear(a, b, 1e-12 * largest);
    }
    auto lines = module->getOps<xf::MovedOp>();
    return static_cast<unsigned>(std::distance(lines.begin(), lines.end()));
  }
};

TEST_F(ReassociateTest, RandomChainsKeepTheirResults) {
  unsigned changed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomChain chain(seed);
    auto module = parse(chain.text);
    ASSERT_TRUE(module);
    auto entry = *module->getOps<xf::EntryOp>().begin();
    int64_t columns =
        *xf::getNumber(xf::getShape(entry.getArgumentTypes()[0])[1]);
    changed += check(chain.text, {{1 + seed % 4, columns}});
    if (HasFailure())
      return;
  }
  EXPECT_GT(changed, 100U);
}

TEST_F(ReassociateTest, AbsorbedHeadsKeepTheirResults) {
  EXPECT_EQ(check(R"mlir(
xf.stored @W : !xf.real<2, 5, 9> from "W" as <([2:45], [5:1], [9:5])>
xf.entry @decode(%c: !xf.real<n, 5> {xf.causal}, %Q: !xf.real<2, n, 7> {xf.causal},
                 %R: !xf.real<n, 4> {xf.causal}) -> !xf.real<2, n, 6> {
  %W = xf.weight @W : <2, 5, 9>
  %u = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 5>, <2, 5, 9>
  %k = xf.slice %u axis 2 from 0 : <2, n, 9> -> <2, n, 3>
  %r = xf.rearrange %R[(o n), c] -> [o, n, c] : <n, 4> -> <1, n, 4>
  %a = xf.repeat %r axis 0 times 2 : <1, n, 4>
  %K = xf.append %k, %a axis 2 : <2, n, 3>, <2, n, 4> -> <2, n, 7>
  %V = xf.slice %u axis 2 from 3 : <2, n, 9> -> <2, n, 6>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <2, n, 7>, <2, n, 7>
  %P = xf.softmax %S where [j <= i] : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <2, n, n>, <2, n, 6>
  xf.return %H : !xf.real<2, n, 6>
}
)mlir",
                  {{6, 5}, {2, 6, 7}, {6, 4}}),
            1U);
}

// The part that heads share comes first, and only columns of it are keys; the
// weights have another order of axes.
TEST_F(ReassociateTest, SharedColumnsBeforeThoseOfHeadsKeepTheirResults) {
  EXPECT_EQ(check(R"mlir(
xf.stored @W : !xf.real<3, 2, 5> from "W" as <([3:10], [2:5], [5:1])>
xf.stored @U : !xf.real<5, 6, 2> from "U" as <([5:12], [6:2], [2:1])>
xf.entry @decode(%c: !xf.real<n, 5> {xf.causal}, %Q: !xf.real<2, n, 6> {xf.causal},
                 %R: !xf.real<n, 4> {xf.causal}) -> !xf.real<2, n, 6> {
  %W = xf.weight @W : <3, 2, 5>
  %U = xf.weight @U : <5, 6, 2>
  %r = xf.rearrange %R[(o n), c] -> [o, n, c] : <n, 4> -> <1, n, 4>
  %a = xf.repeat %r axis 0 times 2 : <1, n, 4>
  %b = xf.slice %a axis 2 from 1 : <2, n, 4> -> <2, n, 3>
  %k = xf.contract %W[k, i, r], %c[n, r] -> [i, n, k] : <3, 2, 5>, <n, 5>
  %K = xf.append %b, %k axis 2 : <2, n, 3>, <2, n, 3> -> <2, n, 6>
  %V = xf.contract %c[n, r], %U[r, k, i] -> [i, n, k] : <n, 5>, <5, 6, 2>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <2, n, 6>, <2, n, 6>
  %P = xf.softmax %S where [j <= i] : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <2, n, n>, <2, n, 6>
  xf.return %H : !xf.real<2, n, 6>
}
)mlir",
                  {{6, 5}, {2, 6, 6}, {6, 4}}),
            1U);
}

} // namespace

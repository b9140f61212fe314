// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes preserve semantics: the results are the same before and after each of
// them.

#include "compiler/fuse/Passes.h"
#include "compiler/weights/Passes.h"
#include "test/unit/compiler/RandomProgram.h"
#include "test/unit/compiler/Xf.h"

#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

class PassSemanticsTest : public test::XfTest {
protected:
  /// Runs the entry before and after each pass, for short and longer sequences.
  /// Integer arguments are below 7. For devices, the lists of rows per expert
  /// are made on the device.
  void check(StringRef text, bool isForDevice = false) {
    auto module = parse(text);
    ASSERT_TRUE(module);
    test::RandomCheckpoint checkpoint;
    fill(*module, checkpoint);
    auto entry = *module->getOps<xf::EntryOp>().begin();
    std::vector<std::vector<Tensor>> inputs, expected;
    for (int64_t n : {1, 2, 5}) {
      std::vector<Tensor> arguments;
      for (Type type : entry.getArgumentTypes())
        arguments.push_back(argument(type, n));
      inputs.push_back(arguments);
      expected.push_back(run(*module, arguments, &checkpoint));
    }
    std::unique_ptr<Pass> passes[] = {
        createCanonicalizerPass(),
        createCSEPass(),
        isForDevice ? fuse::createListChosen() : fuse::createUnrollFamilies(),
        isForDevice ? fuse::createUnrollFamilies()
                    : fuse::createComputeChosen(),
        fuse::createMergeFamilies(),
        createCSEPass(),
        fuse::createFormKernels(),
        weights::createPlaceWeights()};
    for (auto &pass : passes) {
      std::string name = pass->getName().str();
      PassManager manager(&context);
      manager.addPass(std::move(pass));
      ASSERT_TRUE(succeeded(manager.run(*module))) << name;
      for (auto [arguments, results] : llvm::zip(inputs, expected)) {
        auto found = run(*module, arguments, &checkpoint);
        ASSERT_EQ(found.size(), results.size());
        for (auto [a, b] : llvm::zip(found, results)) {
          SCOPED_TRACE("after " + name);
          double largest = 1;
          for (double x : b.data)
            largest = std::max(largest, std::fabs(x));
          expectNear(a, b, 1e-12 * largest);
          if (HasFatalFailure())
            return;
        }
      }
    }
    for (auto left : module->getOps<xf::EntryOp>())
      left.walk([&](Operation *op) {
        EXPECT_TRUE((isa<xf::EntryOp, xf::LayersOp, xf::YieldOp, xf::ReturnOp,
                         xf::LaunchOp, xf::WeightOp, xf::RearrangeOp>(op)))
            << "outside a kernel: " << op->getName().getStringRef().str();
      });
  }

private:
  void fill(ModuleOp module, test::RandomCheckpoint &checkpoint) {
    for (auto stored : module.getOps<xf::StoredOp>()) {
      int64_t last = stored.getLayout().getOffset();
      for (auto [size, stride] : llvm::zip(stored.getLayout().getSizes(),
                                           stored.getLayout().getStrides()))
        last += (size - 1) * stride;
      int64_t members =
          stored.getExtents().empty() ? 1 : stored.getExtents()[0];
      for (int64_t l = 0; l < members; ++l) {
        std::string name = stored.getSource()->getName().str();
        if (size_t at = name.find("{l}"); at != std::string::npos)
          name.replace(at, 3, std::to_string(l));
        checkpoint.add(name, last + 1);
      }
    }
  }

  Tensor argument(Type type, int64_t n) {
    std::vector<int64_t> shape;
    for (Attribute axis : xf::getShape(type)) {
      auto number = xf::getNumber(axis);
      shape.push_back(number                       ? *number
                      : xf::printAxis(axis) == "m" ? n + 2
                                                   : n);
    }
    return randomTensor(shape, isa<xf::IntegralType>(type) ? 7 : 0);
  }
};

TEST_F(PassSemanticsTest, EncoderOfTwoLayers) {
  check(R"mlir(
xf.stored @E : !xf.real<7, 6> from "E" as <([7:6], [6:1])>
xf.stored @P : !xf.real<9, 6> from "P" as <([9:6], [6:1])>
xf.stored @T : !xf.real<2, 6> from "T" as <([2:6], [6:1])>
xf.stored @W_Q[l = 2] : !xf.real<2, 6, 3> from "q{l}" as <([2:18], [6:1], [3:6])>
xf.stored @b_Q[l = 2] : !xf.real<2, 3> from "bq{l}" as <([2:3], [3:1])>
xf.stored @W_K[l = 2] : !xf.real<2, 6, 3> from "k{l}" as <([2:3], [6:6], [3:1])>
xf.stored @W_O[l = 2] : !xf.real<6, 6> from "o{l}" as <([6:1], [6:6])>
xf.stored @g[l = 2] : !xf.real<6> from "g{l}" plus <"1"> as <([6:1])>
xf.entry @encode(%tokens: !xf.integer<n>) -> (!xf.real<n, 6>, !xf.real<6>) {
  %E = xf.weight @E : <7, 6>
  %P = xf.weight @P : <9, 6>
  %T = xf.weight @T : <2, 6>
  %zero = xf.integers 1 : <n>
  %e = xf.gather %E[%tokens] : <7, 6>, <n>
  %t = xf.gather %T[%zero] : <2, 6>, <n>
  %p = xf.slice %P axis 0 from 2 : <9, 6> -> <n, 6>
  %x1 = xf.add %e[n, c], %p[n, c] -> [n, c] : <n, 6>, <n, 6>
  %x2 = xf.add %t[n, c], %x1[n, c] -> [n, c] : <n, 6>, <n, 6>
  %x0 = xf.standardize %x2 epsilon <"1e-12"> : <n, 6>
  %y = xf.layers %l < 2 (%x = %x0) : !xf.real<n, 6> {
    %W_Q = xf.weight @W_Q[%l] : <2, 6, 3>
    %W_K = xf.weight @W_K[%l] : <2, 6, 3>
    %b = xf.weight @b_Q[%l] : <2, 3>
    %W_O = xf.weight @W_O[%l] : <6, 6>
    %g = xf.weight @g[%l] : <6>
    %Q0 = xf.contract %x[n, k], %W_Q[i, k, c] -> [i, n, c] : <n, 6>, <2, 6, 3>
    %Q = xf.add %b[i, c], %Q0[i, n, c] -> [i, n, c] : <2, 3>, <2, n, 3>
    %K = xf.contract %W_K[i, k, c], %x[n, k] -> [i, n, c] : <2, 6, 3>, <n, 6>
    %V = xf.contract %x[n, k], %W_K[i, k, c] -> [i, n, c] : <n, 6>, <2, 6, 3>
    %S = xf.contract %Q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 3>, <2, n, 3>
    %s = xf.scale %S by <"1/sqrt(3)"> "1 / √d_k" : <2, n, n>
    %w = xf.softmax %s : <2, n, n>
    %H = xf.contract %w[i, n, m], %V[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 3>
    %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, n, 3> -> <n, 6>
    %o = xf.contract %h[n, k], %W_O[k, c] -> [n, c] : <n, 6>, <6, 6>
    %r = xf.add %x[n, c], %o[n, c] -> [n, c] : <n, 6>, <n, 6>
    %z = xf.unit_rms %r epsilon <"1e-6"> : <n, 6>
    %z2 = xf.multiply %z[n, c], %g[c] -> [n, c] : <n, 6>, <6>
    xf.yield %z2 : !xf.real<n, 6>
  }
  %m = xf.mean %y over 0 : <n, 6>
  %u = xf.unit %m : <6>
  xf.return %y, %u : !xf.real<n, 6>, !xf.real<6>
})mlir");
}

TEST_F(PassSemanticsTest, RandomPrograms) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    check(test::RandomProgram(seed).text());
    if (HasFatalFailure())
      return;
  }
}

TEST_F(PassSemanticsTest, CrossAttentionWithGroupsAndMask) {
  check(R"mlir(
xf.stored @W_Q : !xf.real<4, 6, 3> from "q" as <([4:3], [6:12], [3:1])>
xf.stored @W_K : !xf.real<2, 6, 3> from "k" as <([2:18], [6:3], [3:1]) + 5>
xf.stored @s : !xf.real<4> from "s" as <([4:1])>
xf.stored @t : !xf.real<4, 3> from "t" as <([4:1], [3:4])>
xf.entry @f(%x: !xf.real<n, 6>, %y: !xf.real<m, 6>, %mask: !xf.real<m>) -> !xf.real<n, 12> {
  %W_Q = xf.weight @W_Q : <4, 6, 3>
  %W_K = xf.weight @W_K : <2, 6, 3>
  %s = xf.weight @s : <4>
  %t = xf.weight @t : <4, 3>
  %half = xf.constant <"1/2"> : <>
  %q0 = xf.contract %x[n, k], %W_Q[i, k, c] -> [i, n, c] : <n, 6>, <4, 6, 3>
  %q1 = xf.multiply %q0[i, n, c], %s[i] -> [i, n, c] : <4, n, 3>, <4>
  %q2 = xf.subtract %t[i, c], %q1[i, n, c] -> [i, n, c] : <4, 3>, <4, n, 3>
  %q = xf.tanh %q2 : <4, n, 3>
  %k0 = xf.contract %y[m, k], %W_K[j, k, c] -> [j, m, c] : <m, 6>, <2, 6, 3>
  %k = xf.repeat %k0 axis 0 times 2 : <2, m, 3>
  %S = xf.contract %k[i, m, c], %q[i, n, c] -> [i, n, m] : <4, m, 3>, <4, n, 3>
  %S1 = xf.multiply %S[i, n, m], %half[] -> [i, n, m] : <4, n, m>, <>
  %S2 = xf.add %S1[i, n, m], %mask[m] -> [i, n, m] : <4, n, m>, <m>
  %w = xf.softmax %S2 : <4, n, m>
  %H = xf.contract %w[i, n, m], %k[i, m, c] -> [i, n, c] : <4, n, m>, <4, m, 3>
  %h = xf.rearrange %H[i, n, c] -> [n, (c i)] : <4, n, 3> -> <n, 12>
  %r = xf.divide %h[n, c], %half[] -> [n, c] : <n, 12>, <>
  xf.return %r : !xf.real<n, 12>
})mlir");
}

TEST_F(PassSemanticsTest, ColumnsInEveryOrder) {
  check(R"mlir(
xf.stored @W : !xf.real<2, 4, 3> from "w" as <([2:12], [4:3], [3:1])>
xf.stored @A : !xf.real<3, 4> from "a" plus <"sqrt(2)"> as <([3:4], [4:1])>
xf.stored @W.merged : !xf.real<4, 6> from "other" as <([4:3], [2:12, 3:1])>
xf.entry @f(%x: !xf.real<4, n>, %z: !xf.real<5, n, 4>) -> (!xf.real<2, n, 3>, !xf.real<3, 2, n>, !xf.real<n, 3>, !xf.real<2, 5, n, 3>, !xf.real<n, 6>) {
  %W = xf.weight @W : <2, 4, 3>
  %A = xf.weight @A : <3, 4>
  %O = xf.weight @W.merged : <4, 6>
  %a = xf.contract %x[k, n], %W[i, k, c] -> [i, n, c] : <4, n>, <2, 4, 3>
  %b = xf.contract %W[i, k, c], %x[k, n] -> [c, i, n] : <2, 4, 3>, <4, n>
  %b1 = xf.relu %b : <3, 2, n>
  %b2 = xf.gelu %b1 : <3, 2, n>
  %c = xf.contract %x[k, n], %A[c, k] -> [n, c] : <4, n>, <3, 4>
  %c1 = xf.power %c to <"2"> : <n, 3>
  %d = xf.contract %z[j, n, k], %W[i, k, c] -> [i, j, n, c] : <5, n, 4>, <2, 4, 3>
  %e = xf.contract %x[k, n], %O[k, c] -> [n, c] : <4, n>, <4, 6>
  xf.return %a, %b2, %c1, %d, %e : !xf.real<2, n, 3>, !xf.real<3, 2, n>, !xf.real<n, 3>, !xf.real<2, 5, n, 3>, !xf.real<n, 6>
})mlir");
}

TEST_F(PassSemanticsTest, WhatIsReadTwiceAndWhatStaysOutside) {
  check(R"mlir(
xf.stored @P : !xf.real<9, 4> from "p" as <([9:4], [4:1])>
xf.stored @V : !xf.real<2, 4, 4> from "v" as <([2:16], [4:4], [4:1])>
xf.entry @f(%x: !xf.real<n, 4>, %t: !xf.integer<n>) -> (!xf.real<n, 4>, !xf.real<n, 4>, !xf.real<4>, !xf.real<2, n, 4>, !xf.real<n, 8>, !xf.real<4>) {
  %P = xf.weight @P : <9, 4>
  %V = xf.weight @V : <2, 4, 4>
  %two = xf.constant <"2"> : <>
  %p = xf.slice %P axis 0 from 0 : <9, 4> -> <n, 4>
  %a = xf.add %x[n, c], %p[n, c] -> [n, c] : <n, 4>, <n, 4>
  %b = xf.multiply %a[n, c], %a[n, c] -> [n, c] : <n, 4>, <n, 4>
  %c = xf.divide %p[n, c], %two[] -> [n, c] : <n, 4>, <>
  %m = xf.max %b over 0 : <n, 4>
  %m1 = xf.scale %m by <"-3"> "-3" : <4>
  %h = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 4> -> <2, n, 2>
  %k = xf.rearrange %h[i, n, c] -> [n, (c i)] : <2, n, 2> -> <n, 4>
  %w = xf.append %h, %h axis 2 : <2, n, 2>, <2, n, 2> -> <2, n, 4>
  %v = xf.contract %w[i, n, k], %V[i, k, c] -> [i, n, c] : <2, n, 4>, <2, 4, 4>
  %v1 = xf.sigmoid %v : <2, n, 4>
  %r = xf.append %c, %k axis 1 : <n, 4>, <n, 4> -> <n, 8>
  %l = xf.select %x axis 0 at -1 : <n, 4>
  %l1 = xf.negate %l : <4>
  xf.return %a, %b, %m1, %v1, %r, %l1 : !xf.real<n, 4>, !xf.real<n, 4>, !xf.real<4>, !xf.real<2, n, 4>, !xf.real<n, 8>, !xf.real<4>
})mlir");
}

TEST_F(PassSemanticsTest, SoftmaxThatIsNoAttention) {
  // Two in a row, one summed along the other axis, one over few experts.
  check(R"mlir(
xf.stored @W : !xf.real<4, 3> from "w" as <([4:3], [3:1])>
xf.stored @X : !xf.real<3, 4> from "x" as <([3:4], [4:1])>
xf.entry @f(%x: !xf.real<n, 4>) -> (!xf.real<n, 4>, !xf.real<3, 4>) {
  %W = xf.weight @W : <4, 3>
  %X = xf.weight @X : <3, 4>
  %a = xf.contract %x[n, k], %W[k, e] -> [n, e] : <n, 4>, <4, 3>
  %b = xf.softmax %a : <n, 3>
  %c = xf.contract %b[n, e], %X[e, k] -> [n, k] : <n, 3>, <3, 4>
  %d = xf.scale %c by <"3"> "3" : <n, 4>
  %e = xf.softmax %d : <n, 4>
  %f = xf.contract %e[n, k], %W[k, e] -> [n, e] : <n, 4>, <4, 3>
  %g = xf.softmax %f : <n, 3>
  %h = xf.contract %g[n, e], %X[e, k] -> [n, k] : <n, 3>, <3, 4>
  %i = xf.contract %x[n, k], %W[k, e] -> [n, e] : <n, 4>, <4, 3>
  %j = xf.exp %i : <n, 3>
  %k = xf.softmax %j : <n, 3>
  %l = xf.contract %k[n, e], %x[n, k] -> [e, k] : <n, 3>, <n, 4>
  xf.return %h, %l : !xf.real<n, 4>, !xf.real<3, 4>
})mlir");
}

TEST_F(PassSemanticsTest, DecoderByPosition) {
  check(R"mlir(
xf.stored @W_Q[l = 2] : !xf.real<4, 8, 4> from "q{l}" as <([4:4], [8:16], [4:1])>
xf.stored @W_K[l = 2] : !xf.real<2, 8, 4> from "k{l}" as <([2:32], [8:4], [4:1])>
xf.stored @W_O[l = 2] : !xf.real<16, 8> from "o{l}" as <([16:1], [8:16])>
xf.stored @B : !xf.real<5, 4> from "B" as <([5:4], [4:1])>
xf.entry @decode(%x0: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %cos = xf.tabulate "[t, c] = cos(t / 100^(c / 2))"() : () -> !xf.real<n, 2>
  %sin = xf.tabulate "[t, c] = sin(t / 100^(c / 2))"() : () -> !xf.real<n, 2>
  %PE = xf.tabulate "[t, c] = sin(t / 10 + c)"() : () -> !xf.real<n, 8>
  %x1 = xf.add %x0[n, c], %PE[n, c] -> [n, c] : <n, 8>, <n, 8>
  %y = xf.layers %l < 2 (%x = %x1) : !xf.real<n, 8> {
    %W_Q = xf.weight @W_Q[%l] : <4, 8, 4>
    %W_K = xf.weight @W_K[%l] : <2, 8, 4>
    %W_O = xf.weight @W_O[%l] : <16, 8>
    %B = xf.weight @B : <5, 4>
    %q0 = xf.contract %x[n, k], %W_Q[i, k, c] -> [i, n, c] : <n, 8>, <4, 8, 4>
    %q1 = xf.rotate %q0 by %cos, %sin : <4, n, 4>, <n, 2>
    %q = xf.scale %q1 by <"6/5"> "6 / 5" : <4, n, 4>
    %k0 = xf.contract %x[n, k], %W_K[i, k, c] -> [i, n, c] : <n, 8>, <2, 8, 4>
    %k1 = xf.unit_rms %k0 epsilon <"1e-6"> : <2, n, 4>
    %k2 = xf.rotate %k1 by %cos, %sin : <2, n, 4>, <n, 2>
    %k = xf.repeat %k2 axis 0 times 2 : <2, n, 4>
    %v = xf.repeat %k0 axis 0 times 2 : <2, n, 4>
    %S = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <4, n, 4>, <4, n, 4>
    %b = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 4), a]"(%B) : (!xf.real<5, 4>) -> !xf.real<4, n, n>
    %T = xf.add %S[i, n, m], %b[i, n, m] -> [i, n, m] : <4, n, n>, <4, n, n>
    %P = xf.softmax %T where [j <= i, i - j <= 2] : <4, n, n>
    %H = xf.contract %P[i, n, m], %v[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 4>
    %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 4> -> <n, 16>
    %o = xf.contract %h[n, k], %W_O[k, c] -> [n, c] : <n, 16>, <16, 8>
    %r = xf.add %x[n, c], %o[n, c] -> [n, c] : <n, 8>, <n, 8>
    xf.yield %r : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
})mlir");
}

TEST_F(PassSemanticsTest, LengthsAsNumbers) {
  check(R"mlir(
xf.stored @W : !xf.real<4, 4> from "w" as <([4:4], [4:1])>
xf.entry @f(%x: !xf.real<n, 4>, %y: !xf.real<m, 4>) -> (!xf.real<n, 4>, !xf.real<4>, !xf.real<n, 4>, !xf.real<m>) {
  %W = xf.weight @W : <4, 4>
  %n = xf.length %x axis 0 : !xf.real<n, 4>
  %m = xf.length %y axis 0 : !xf.real<m, 4>
  %r = xf.tabulate "[] = √(%0[]) / %1[]"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<>
  %a0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 4>
  %a = xf.divide %a0[n, c], %m[] -> [n, c] : <n, 4>, <>
  %b0 = xf.sum %x over 0 : <n, 4>
  %b = xf.divide %b0[c], %n[] -> [c] : <4>, <>
  %s0 = xf.contract %x[n, k], %y[m, k] -> [n, m] : <n, 4>, <m, 4>
  %s1 = xf.multiply %s0[n, m], %r[] -> [n, m] : <n, m>, <>
  %t = xf.tabulate "[i, j] = (j - i) / %0[]"(%m) : (!xf.real<>) -> !xf.real<n, m>
  %s2 = xf.add %s1[n, m], %t[n, m] -> [n, m] : <n, m>, <n, m>
  %p = xf.softmax %s2 : <n, m>
  %c = xf.contract %p[n, m], %y[m, k] -> [n, k] : <n, m>, <m, 4>
  %d = xf.layers %l < 2 (%z = %c) : !xf.real<n, 4> {
    %u = xf.multiply %z[n, c], %n[] -> [n, c] : <n, 4>, <>
    %v = xf.tanh %u : <n, 4>
    xf.yield %v : !xf.real<n, 4>
  }
  %e = xf.tabulate "[i] = %0[] - i"(%n) : (!xf.real<>) -> !xf.real<m>
  xf.return %a, %b, %d, %e : !xf.real<n, 4>, !xf.real<4>, !xf.real<n, 4>, !xf.real<m>
})mlir");
}

TEST_F(PassSemanticsTest, LengthsBesideChosenRows) {
  // The listed rows are those of all sequences: their kernels use no property
  // of a single sequence.
  check(R"mlir(
xf.stored @W_g : !xf.real<4, 2> from "g" as <([4:2], [2:1])>
xf.stored @W_0 : !xf.real<4, 4> from "w0" as <([4:4], [4:1])>
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %W_g = xf.weight @W_g : <4, 2>
  %W_0 = xf.weight @W_0 : <4, 4>
  %n = xf.length %x axis 0 : !xf.real<n, 4>
  %Z = xf.contract %x[n, k], %W_g[k, e] -> [n, e] : <n, 4>, <4, 2>
  %top = xf.topk_mask 1 of %Z : <n, 2>
  %p = xf.softmax %Z : <n, 2>
  %G = xf.multiply %p[n, e], %top[n, e] -> [n, e] : <n, 2>, <n, 2>
  %g0 = xf.select %G axis 1 at 0 : <n, 2>
  %g = xf.multiply %g0[n], %n[] -> [n] : <n>, <>
  %u = xf.multiply %x[n, k], %n[] -> [n, k] : <n, 4>, <>
  %y = xf.contract %u[n, k], %W_0[k, c] -> [n, c] : <n, 4>, <4, 4>
  %z = xf.multiply %g[n], %y[n, c] -> [n, c] : <n>, <n, 4>
  %r = xf.divide %z[n, c], %n[] -> [n, c] : <n, 4>, <>
  xf.return %r : !xf.real<n, 4>
})mlir");
}

// Entries past the end of a list are NaN here.
TEST_F(PassSemanticsTest, ExpertsOfADevice) {
  check(R"mlir(
xf.stored @W_g : !xf.real<4, 3> from "g" as <([4:3], [3:1])>
xf.stored @W : !xf.real<3, 4, 6> from "w" as <([3:24], [4:1], [6:4])>
xf.stored @V : !xf.real<3, 6, 4> from "v" as <([3:24], [6:4], [4:1])>
xf.stored @b : !xf.real<3, 4> from "b" as <([3:4], [4:1])>
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %W_g = xf.weight @W_g : <4, 3>
  %W = xf.weight @W : <3, 4, 6>
  %V = xf.weight @V : <3, 6, 4>
  %b = xf.weight @b : <3, 4>
  %q = xf.round %x to bf16 : <n, 4>
  %u = xf.contract %q[n, k], %W[e, k, f] -> [e, n, f] : <n, 4>, <3, 4, 6>
  %a = xf.gelu %u : <3, n, 6>
  %y = xf.contract %a[e, n, f], %V[e, f, d] -> [e, n, d] : <3, n, 6>, <3, 6, 4>
  %yb = xf.add %y[e, n, d], %b[e, d] -> [e, n, d] : <3, n, 4>, <3, 4>
  %yn = xf.unit_rms %yb epsilon <"1e-5"> : <3, n, 4>
  %Z = xf.contract %x[n, k], %W_g[k, e] -> [n, e] : <n, 4>, <4, 3>
  %top = xf.topk_mask 2 of %Z : <n, 3>
  %G = xf.softmax %Z among %top : <n, 3>
  %z = xf.multiply %G[n, e], %yn[e, n, d] -> [e, n, d] : <n, 3>, <3, n, 4>
  %s = xf.sum %z over 0 : <3, n, 4>
  %r = xf.add %x[n, k], %s[n, k] -> [n, k] : <n, 4>, <n, 4>
  xf.return %r : !xf.real<n, 4>
})mlir",
        /*isForDevice=*/true);
}

TEST_F(PassSemanticsTest, ExpertsAndConvolution) {
  check(R"mlir(
xf.stored @W_g : !xf.real<4, 2> from "g" as <([4:2], [2:1])>
xf.stored @W_0 : !xf.real<4, 6> from "w0" as <([4:6], [6:1])>
xf.stored @W_1 : !xf.real<4, 6> from "w1" as <([4:1], [6:4])>
xf.stored @V_0 : !xf.real<6, 4> from "v0" as <([6:4], [4:1])>
xf.stored @V_1 : !xf.real<6, 4> from "v1" as <([6:1], [4:6])>
xf.stored @C : !xf.real<3, 4, 5> from "c" as <([3:1], [4:3], [5:12])>
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 5> {
  %W_g = xf.weight @W_g : <4, 2>
  %W_0 = xf.weight @W_0 : <4, 6>
  %W_1 = xf.weight @W_1 : <4, 6>
  %V_0 = xf.weight @V_0 : <6, 4>
  %V_1 = xf.weight @V_1 : <6, 4>
  %C = xf.weight @C : <3, 4, 5>
  %W = xf.stack %W_0, %W_1 : (!xf.real<4, 6>, !xf.real<4, 6>) -> !xf.real<2, 4, 6>
  %V = xf.stack %V_0, %V_1 : (!xf.real<6, 4>, !xf.real<6, 4>) -> !xf.real<2, 6, 4>
  %Z = xf.contract %x[n, k], %W_g[k, e] -> [n, e] : <n, 4>, <4, 2>
  %top = xf.topk_mask 1 of %Z : <n, 2>
  %p = xf.softmax %Z : <n, 2>
  %G = xf.multiply %p[n, e], %top[n, e] -> [n, e] : <n, 2>, <n, 2>
  %u = xf.contract %x[n, k], %W[e, k, f] -> [e, n, f] : <n, 4>, <2, 4, 6>
  %a = xf.gelu %u : <2, n, 6>
  %y = xf.contract %a[e, n, f], %V[e, f, d] -> [e, n, d] : <2, n, 6>, <2, 6, 4>
  %z = xf.multiply %G[n, e], %y[e, n, d] -> [e, n, d] : <n, 2>, <2, n, 4>
  %s = xf.sum %z over 0 : <2, n, 4>
  %w = xf.unfold %s stride 1 pad 1 : <n, 4> -> <n, 3, 4>
  %r = xf.rearrange %w[t, k, c] -> [t, (k c)] : <n, 3, 4> -> <n, 12>
  %K = xf.rearrange %C[k, c, d] -> [(k c), d] : <3, 4, 5> -> <12, 5>
  %q = xf.contract %r[t, k], %K[k, d] -> [t, d] : <n, 12>, <12, 5>
  xf.return %q : !xf.real<n, 5>
})mlir");
}

} // namespace

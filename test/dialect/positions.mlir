// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// Masks, definitions by index, rotations, windows, families: parsing the
// printed form gives the same.

// CHECK-LABEL: xf.entry @masks
xf.entry @masks(%S: !xf.real<4, n, m>, %s: !xf.real<4>) {
  // CHECK: xf.softmax %{{.*}} where [j <= i, i - j <= 4095] : <4, n, m>
  %0 = xf.softmax %S where [j <= i, i - j <= 4095] : <4, n, m>
  // The form in which it is written does not matter.
  // CHECK: xf.softmax %{{.*}} where [j <= i, 2 * i - j <= 3, j == i, j + 1 <= i, i <= 7, 2 <= j] : <4, n, m>
  %1 = xf.softmax %S where [0 <= i - j, i + i <= j + 3, j == i, j <= i - 1, i <= 7, 2 <= j] : <4, n, m>
  // Without a position on one side, or on both.
  // CHECK: xf.softmax %{{.*}} where [-5 <= 0, 3 == 0, i <= -1, 4294967296 <= j] : <4, n, m>
  %4 = xf.softmax %S where [-5 <= 0, 0 == -3, i <= -1, 4294967296 <= j] : <4, n, m>
  // CHECK: xf.softmax %{{.*}} among %{{.*}} times %{{.*}} : <4, n, m>
  %one = xf.constant <"1"> : <>
  %5 = xf.softmax %S among %S times %one : <4, n, m>
  // CHECK: xf.softmax %{{.*}} where [j <= i] sink %{{.*}} : <4> exp2 %{{.*}} : <4, n, m>
  // CHECK: xf.softmax %{{.*}} among %{{.*}} sink %{{.*}} : <> times %{{.*}} : <4, n, m>
  %7 = xf.softmax %S where [j <= i] sink %s : <4> exp2 %one : <4, n, m>
  %8 = xf.softmax %S among %S sink %one : <> times %one : <4, n, m>
  // CHECK: xf.softmax %{{.*}} : <4, n, m>
  %2 = xf.softmax %S : <4, n, m>
  // CHECK: xf.transfer %{{.*}} {mask = #xf.mask<"-5 <= 0">}
  %6 = xf.transfer %S to "cpu" {mask = #xf.mask<"0 <= 5">} : !xf.real<4, n, m>
  // CHECK: xf.transfer %{{.*}} {mask = #xf.mask<"j <= i and i - j <= 7">}
  %3 = xf.transfer %S to "cpu" {mask = #xf.mask<"j <= i and i - j < 8">} : !xf.real<4, n, m>
  xf.return
}

// CHECK-LABEL: xf.entry @definitions
xf.entry @definitions(%bias: !xf.real<17, 4>, %rows: !xf.real<4, n>, %tokens: !xf.integer<m>) {
  // CHECK: xf.tabulate "[t, c] = sin(t / 10000^(2 * c / 8)) if c < 4 else cos(t * 0.5)"() : () -> !xf.real<n, 8>
  %0 = xf.tabulate "[t, c] = sin(t / 10000^(2 * c / 8)) if c < 4 else (cos(t * 5e-1))"() : () -> !xf.real<n, 8>
  // CHECK: xf.tabulate "[a, i, j] = %0[clamp(j - i + 8, 0, 16), a]"(%{{.*}}) : (!xf.real<17, 4>) -> !xf.real<4, n, m>
  %1 = xf.tabulate "[a, i, j] = %0[clamp((j - i) + 8, 0, 16), a]"(%bias) : (!xf.real<17, 4>) -> !xf.real<4, n, m>
  // Parentheses are kept if they change the meaning.
  // CHECK: xf.tabulate "[i] = -(i - (2 - i)) * (i + 1)^(-2) + (i mod 3 if not i < 2 and i != 4 or i == 9 else i div 2)"()
  %2 = xf.tabulate "[i] = -(i - (2 - i)) * (i + 1)^-2 + (i mod 3 if ((not (i < 2)) and i != 4) or i == 9 else i div 2)"() : () -> !xf.real<n>
  // CHECK: xf.tabulate "[] = √(2)"() : () -> !xf.real<>
  %3 = xf.tabulate "[] = sqrt(2)"() : () -> !xf.real<>
  // A length is an array without axes.
  // CHECK: %[[N:.*]] = xf.length %{{.*}} axis 1 : !xf.real<4, n>
  // CHECK: xf.length %{{.*}} axis 0 : !xf.integer<m>
  // CHECK: xf.tabulate "[i] = i - %0[]"(%[[N]]) : (!xf.real<>) -> !xf.real<n>
  %5 = xf.length %rows axis 1 : !xf.real<4, n>
  %6 = xf.length %tokens axis 0 : !xf.integer<m>
  %7 = xf.tabulate "[i] = i - %0[]"(%5) : (!xf.real<>) -> !xf.real<n>
  // CHECK: {definition = #xf.definition<"[i, j] = j - i">}
  %4 = xf.transfer %bias to "cpu" {definition = #xf.definition<"[i, j] = j - i">} : !xf.real<17, 4>
  xf.return
}

// CHECK-LABEL: xf.entry @others
xf.entry @others(%x: !xf.real<2, n, 8>, %cos: !xf.real<n, 4>, %mel: !xf.real<30, 5>, %rows: !xf.real<n, 5>, %W: !xf.real<5, 6>, %row: !xf.real<30>) {
  // CHECK: xf.rotate %{{.*}} by %{{.*}}, %{{.*}} : <2, n, 8>, <n, 4>
  %0 = xf.rotate %x by %cos, %cos : <2, n, 8>, <n, 4>
  // CHECK: xf.unfold %{{.*}} stride 2 pad 1 : <30, 5> -> <15, 3, 5>
  %1 = xf.unfold %mel stride 2 pad 1 : <30, 5> -> <15, 3, 5>
  // CHECK: xf.unfold %{{.*}} stride 1 pad 1 : <n, 5> -> <n, 3, 5>
  %2 = xf.unfold %rows stride 1 pad 1 : <n, 5> -> <n, 3, 5>
  // CHECK: xf.unfold %{{.*}} stride 2 pad 3 reflected : <30> -> <15, 8>
  %reflected = xf.unfold %row stride 2 pad 3 reflected : <30> -> <15, 8>
  // A length that follows from another has its value as name.
  // CHECK: %[[H:.*]] = xf.unfold %{{.*}} stride 2 pad 1 : <n, 5> -> <"(n + 1) div 2", 3, 5>
  %halves = xf.unfold %rows stride 2 pad 1 : <n, 5> -> <"(n + 1) div 2", 3, 5>
  // CHECK: xf.append %{{.*}}, %{{.*}} axis 0 : <n, 5>, <30, 5> -> <"n + 30", 5>
  %longer = xf.append %rows, %mel axis 0 : <n, 5>, <30, 5> -> <"n + 30", 5>
  // CHECK: xf.stack %{{.*}}, %{{.*}} : (!xf.real<5, 6>, !xf.real<5, 6>) -> !xf.real<2, 5, 6>
  %3 = xf.stack %W, %W : (!xf.real<5, 6>, !xf.real<5, 6>) -> !xf.real<2, 5, 6>
  // CHECK: xf.topk_mask 2 of %{{.*}} : <n, 5>
  %4 = xf.topk_mask 2 of %rows : <n, 5>
  xf.return
}

// CHECK: xf.stored @half : !xf.real<4> from "h" in bf16 as <([4:1])>
xf.stored @half : !xf.real<4> from "h" in bf16 as <([4:1])>

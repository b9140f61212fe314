// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Invalid masks, definitions by index, rotations, windows and families.

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{'k' is not a position; expected i or j}}
  %0 = xf.softmax %S where [k <= i] : <n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{a mask must have a comparison; omit the mask otherwise}}
  %0 = xf.softmax %S where [] : <n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{expected '='}}
  %0 = xf.softmax %S where [j < i] : <n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{'j <= i or i < 3' is not a list of linear comparisons of i and j}}
  %0 = xf.transfer %S to "cpu" {mask = #xf.mask<"j <= i or i < 3">} : !xf.real<n, m>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8>) {
  // expected-error @+1 {{a mask needs queries and keys: two axes at least}}
  %0 = xf.softmax %x where [j <= i] : <8>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{constants of a mask must be at most 1073741824 as factors of positions, and at most 1152921504606846976 otherwise}}
  %0 = xf.softmax %S where [1073741825 * j <= i] : <n, m>
  xf.return
}

// -----

// expected-note @+1 {{prior use here}}
xf.entry @f(%S: !xf.real<n, m>, %c: !xf.real<n, 4>) {
  // expected-error @+1 {{use of value '%c' expects different type than prior uses: '!xf.real<n, m>' vs '!xf.real<n, 4>'}}
  %0 = xf.softmax %S among %c : <n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>) {
  // expected-error @+1 {{must have a mask or chosen entries, not both}}
  %0 = xf.softmax %S where [j <= i] among %S : <n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<4, n, m>, %s: !xf.real<3>) {
  // expected-error @+1 {{has a sink of type '!xf.real<3>', but a sink must have the first axes of '!xf.real<4, n, m>': those of families, without the rows}}
  %0 = xf.softmax %S sink %s : <3> : <4, n, m>
  xf.return
}

// -----

xf.entry @f(%S: !xf.real<n, m>, %s: !xf.real<n>) {
  // expected-error @+1 {{has a sink of type '!xf.real<n>'}}
  %0 = xf.softmax %S sink %s : <n> : <n, m>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8>) {
  // expected-error @+1 {{has a sink of type '!xf.real<8>'}}
  %0 = xf.softmax %x sink %x : <8> : <8>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{'[t] = t +' is not a definition by index; write "[i, j] = j - i"}}
  %0 = xf.tabulate "[t] = t +"() : () -> !xf.real<n>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{'[t] = u' is not a definition by index}}
  %0 = xf.tabulate "[t] = u"() : () -> !xf.real<n>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{'[t] = frobnicate(t)' is not a definition by index}}
  %0 = xf.tabulate "[t] = frobnicate(t)"() : () -> !xf.real<n>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{has 1 indices for a result with 2 axes}}
  %0 = xf.tabulate "[t] = t"() : () -> !xf.real<n, 4>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{is true or false, not a number}}
  %0 = xf.tabulate "[i, j] = j <= i"() : () -> !xf.real<n, m>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{reads array 0 of 0}}
  %0 = xf.tabulate "[t] = %0[t]"() : () -> !xf.real<n>
  xf.return
}

// -----

xf.entry @f(%a: !xf.real<3, 4>) {
  // expected-error @+1 {{reads array 0 with 1 indices, it has 2 axes}}
  %0 = xf.tabulate "[t] = %0[t]"(%a) : (!xf.real<3, 4>) -> !xf.real<n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 7>, %cos: !xf.real<n, 3>) {
  // expected-error @+1 {{must rotate pairs of columns, not 7}}
  %0 = xf.rotate %x by %cos, %cos : <n, 7>, <n, 3>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8>, %cos: !xf.real<n, 4>) {
  // expected-error @+1 {{must rotate the rows of a matrix}}
  %0 = xf.rotate %x by %cos, %cos : <8>, <n, 4>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %cos: !xf.real<m, 4>) {
  // expected-error @+1 {{needs one angle for each row and pair, <n, 4>, not '!xf.real<m, 4>'}}
  %0 = xf.rotate %x by %cos, %cos : <n, 8>, <m, 4>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<30, 5>) {
  // expected-error @+1 {{of 30 rows are 15, not 16}}
  %0 = xf.unfold %x stride 2 pad 1 : <30, 5> -> <16, 3, 5>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 5>) {
  // expected-error @+1 {{of n rows are (n + 1) div 2, not n}}
  %0 = xf.unfold %x stride 2 pad 1 : <n, 5> -> <n, 3, 5>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<"(n + 1) div 2", 5>) {
  // expected-error @+1 {{of (n + 1) div 2 rows are (n + 1) div 4, not (n + 3) div 4}}
  %0 = xf.unfold %x stride 2 pad 0 : <"(n + 1) div 2", 5> -> <"(n + 3) div 4", 2, 5>
  xf.return
}

// -----

// expected-error @+1 {{a length that is computed from others must be a sum of products and quotients in normal form, n div 5 - 1, found "(n - 10) div 5 + 1"}}
xf.entry @f(%x: !xf.real<"(n - 10) div 5 + 1", 5>) {
  xf.return
}

// -----

// expected-error @+1 {{a length that is computed from others must be a sum of products and quotients in normal form, found "n / 2"}}
xf.entry @f(%x: !xf.real<"n / 2", 5>) {
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<30, 5>) {
  // expected-error @+1 {{must make [rows, size, columns] from [rows, columns], or [rows, size] from [rows]}}
  %0 = xf.unfold %x stride 1 pad 1 : <30, 5> -> <30, 3, 6>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<3>) {
  // expected-error @+1 {{of 3 rows cannot reflect 3}}
  %0 = xf.unfold %x stride 1 pad 3 reflected : <3> -> <3, 7>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 5>) {
  // expected-error @+1 {{cannot choose 6 of 5}}
  %0 = xf.topk_mask 6 of %x : <n, 5>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<5, n>) {
  // expected-error @+1 {{must choose from rows of a fixed size}}
  %0 = xf.topk_mask 1 of %x : <5, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 4>) {
  // expected-error @+1 {{counts an axis that has 4 positions in every sequence, which is a constant}}
  %0 = xf.length %x axis 1 : !xf.real<n, 4>
  xf.return
}

// -----

xf.entry @f(%x: !xf.integer<n>) {
  // expected-error @+1 {{counts axis 1 of 1}}
  %0 = xf.length %x axis 1 : !xf.integer<n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{must round to bf16, not to f16}}
  %0 = xf.softmax %x rounded f16 : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}

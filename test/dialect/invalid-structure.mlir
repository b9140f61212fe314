// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Weights, entries, kernels, loops and launches that do not fit together.

// expected-error @+1 {{has 2 axes, but its layout has 1}}
xf.stored @W : !xf.real<4, 8> from "W" as <([32:1])>

// -----

// expected-error @+1 {{axis 1 has 8 positions, but its layout has 6}}
xf.stored @W : !xf.real<4, 8> from "W" as <([4:8], [2:3, 3:1])>

// -----

// expected-error @+1 {{an axis of a stored weight cannot be a length}}
xf.stored @W : !xf.real<n, 8> from "W" as <([4:8], [8:1])>

// -----

// One tensor per layer: the name must contain the index.
// expected-error @+1 {{the name of its tensor lacks {l}}}
xf.stored @W[l = 6] : !xf.real<8> from "layer.W" as <([8:1])>

// -----

// expected-error @+1 {{the name of its tensor lacks {e}}}
xf.stored @W[l = 6, e = 2] : !xf.real<8> from "layer.{l}.W" as <([8:1])>

// -----

// expected-error @+1 {{must have one extent for each index}}
"xf.stored"() <{sym_name = "W", indices = ["l"], extents = array<i64>, type = !xf.real<8>, source = #xf.source<"{l}">, layout = #xf.layout<([8:1])>}> ({}) : () -> ()

// -----

// expected-error @+1 {{the offset of a layout must not be negative, found -1}}
xf.stored @W : !xf.real<8> from "W" as <([8:1]) + -1>

// -----

// expected-error @+1 {{a factor of a layout must be at least 1, found 0}}
xf.stored @W : !xf.real<8> from "W" as <([0:1])>

// -----

// The last element of a layout has an offset.
// expected-error @+1 {{a layout has more elements than 64 bits can count}}
xf.stored @W : !xf.real<5, 4> from "W" as <([5:9223372036854775807], [4:1])>

// -----

// A tensor is traversed forwards: reads are between the offset and the end.
// expected-error @+1 {{a stride of a layout must not be negative, found -1}}
xf.stored @W : !xf.real<8> from "W" as <([8:-1])>

// -----

xf.entry @f() {
  // expected-error @+1 {{no xf.stored weight is named @W}}
  %W = xf.weight @W : <8>
  xf.return
}

// -----

xf.stored @W : !xf.real<8> from "W" as <([8:1])>
xf.entry @f() {
  // expected-error @+1 {{is '!xf.real<9>', but @W is '!xf.real<8>'}}
  %W = xf.weight @W : <9>
  xf.return
}

// -----

xf.stored @W[l = 6] : !xf.real<8> from "{l}" as <([8:1])>
xf.entry @f() {
  // expected-error @+1 {{has 0 indices, but @W has 1}}
  %W = xf.weight @W : <8>
  xf.return
}

// -----

// The loop has more layers than the weights.
xf.stored @W[l = 6] : !xf.real<8> from "{l}" as <([8:1])>
xf.entry @f() {
  xf.layers %l < 7 () {
    // expected-error @+1 {{reads 7 members of @W along 'l', which has 6}}
    %W = xf.weight @W[%l] : <8>
    xf.yield
  }
  xf.return
}

// -----

// expected-error @+1 {{must take xf values, not 'i32'}}
xf.entry @f(%x: i32) {
  xf.return
}

// -----

// expected-error @+1 {{must end with xf.return}}
xf.entry @f(%x: !xf.real<n>) {
  %0 = xf.relu %x : <n>
}

// -----

// An entry has a body: declarations do not exist.
// expected-error @+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
xf.entry @f(%x: !xf.real<n>)

// -----

xf.entry @f(%x: !xf.real<n>) -> !xf.real<8> {
  // expected-error @+1 {{returns ('!xf.real<n>'), but "f" has results ('!xf.real<8>')}}
  xf.return %x : !xf.real<n>
}

// -----

xf.entry @f(%x: !xf.real<n>) -> !xf.real<n> {
  // expected-error @+1 {{returns (), but "f" has results ('!xf.real<n>')}}
  xf.return
}

// -----

// expected-error @+2 {{expected ::transfold::xf::Anchor to be one of: contraction, attention, rows, reduction}}
// expected-error @+1 {{failed to parse Xf_AnchorAttr parameter 'value'}}
xf.kernel @k(%x: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<softmax>} {
  xf.return %x : !xf.real<n>
}

// -----

// expected-error @+1 {{has a schedule with "colums", which is not a parameter of schedules}}
xf.kernel @k(%x: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>, schedule = {colums = 4}} {
  xf.return %x : !xf.real<n>
}

// -----

// expected-error @+1 {{has a schedule with "lanes" = 0 : i64; expected a positive number of 32 bits}}
xf.kernel @k(%x: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>, schedule = {lanes = 0}} {
  xf.return %x : !xf.real<n>
}

// -----

// expected-error @+1 {{has a schedule with "keys_to" = 5 : i64; expected an affine map}}
xf.kernel @k(%x: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<attention>, schedule = {keys_to = 5}} {
  xf.return %x : !xf.real<n>
}

// -----

// expected-error @+1 {{must have one result, or the states of a recurrence beside it}}
xf.kernel @k(%x: !xf.real<n>) -> (!xf.real<n>, !xf.real<n>) attributes {anchor = #xf.anchor<rows>} {
  xf.return %x, %x : !xf.real<n>, !xf.real<n>
}

// -----

xf.kernel @k(%x: !xf.real<n>) -> (!xf.real<n>, !xf.real<>) attributes {anchor = #xf.anchor<scan>} {
  %s = xf.sum %x over 0 : <n>
  xf.return %x, %s : !xf.real<n>, !xf.real<>
}
xf.entry @f(%x: !xf.real<n>) -> !xf.real<n> {
  // expected-error @+1 {{has 1 results, but @k has 2}}
  %y = xf.launch @k(%x) : (!xf.real<n>) -> !xf.real<n>
  xf.return %y : !xf.real<n>
}

// -----

xf.kernel @k(%x: !xf.real<n>) -> (!xf.real<n>, !xf.real<>) attributes {anchor = #xf.anchor<scan>} {
  %s = xf.sum %x over 0 : <n>
  xf.return %x, %s : !xf.real<n>, !xf.real<>
}
xf.entry @f(%x: !xf.real<n>) -> !xf.real<n> {
  // expected-error @+1 {{gives '!xf.real<8>', but @k gives '!xf.real<>'}}
  %y, %s = xf.launch @k(%x) : (!xf.real<n>) -> (!xf.real<n>, !xf.real<8>)
  xf.return %y : !xf.real<n>
}

// -----

// expected-error @+1 {{requires attribute 'anchor'}}
xf.kernel @k(%x: !xf.real<n>) -> !xf.real<n> {
  xf.return %x : !xf.real<n>
}

// -----

// A model without layers is a different model.
xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{must run at least once, not 0 times}}
  xf.layers %l < 0 () {
    xf.yield
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{a carried value must keep its type from layer to layer}}
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    %s = xf.sum %a over 1 : <n, 8>
    xf.yield %s : !xf.real<n>
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{a carried value must keep its type from layer to layer}}
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    xf.yield
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{expects a non-empty block}}
  xf.layers %l < 2 () {
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{must end with xf.yield}}
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    %b = xf.relu %a : <n, 8>
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{its region must take the layer and the carried values}}
  %y = "xf.layers"(%x) <{end = 2 : i64}> ({
  ^bb0(%l: index):
    xf.yield %x : !xf.real<n, 8>
  }) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{no xf.kernel is named @k}}
  %y = xf.launch @k(%x) : (!xf.real<n>) -> !xf.real<n>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{passes 2 values to @k, which takes 1}}
  %y = xf.launch @k(%x, %x) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n, 9>) {
  // expected-error @+1 {{passes '!xf.real<n, 9>' where @k takes '!xf.real<n, 8>'}}
  %y = xf.launch @k(%x) : (!xf.real<n, 9>) -> !xf.real<n, 8>
  xf.return
}

// -----

// A constant is not a length.
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<1, 8>) {
  // expected-error @+1 {{passes '!xf.real<1, 8>' where @k takes '!xf.real<n, 8>'}}
  %y = xf.launch @k(%x) : (!xf.real<1, 8>) -> !xf.real<1, 8>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.integer<n>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.constant <"1"> : <>
  %1 = xf.rearrange %0[] -> [()] : <> -> <1>
  %2 = xf.integers 0 : <n>
  %3 = xf.repeat %1 axis 0 times 8 : <1>
  %4 = xf.rearrange %3[c] -> [(), c] : <8> -> <1, 8>
  %5 = xf.gather %4[%2] : <1, 8>, <n>
  xf.return %5 : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n>, %i: !xf.integer<m>) {
  // expected-error @+1 {{passes '!xf.real<n>' where @k takes '!xf.integer<n>'}}
  %y = xf.launch @k(%x) : (!xf.real<n>) -> !xf.real<n, 8>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<m, 8>) {
  // Another name for the length: fine.
  %y = xf.launch @k(%x) : (!xf.real<m, 8>) -> !xf.real<m, 8>
  // expected-error @+1 {{gives '!xf.real<8, m>', but @k gives '!xf.real<n, 8>'}}
  %z = xf.launch @k(%x) : (!xf.real<m, 8>) -> !xf.real<8, m>
  xf.return
}

// -----

// One name, two lengths.
xf.kernel @k(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[n, c], %y[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n, 8>, %y: !xf.real<m, 8>) {
  // expected-error @+1 {{length n of @k is n on one value and m on another}}
  %0 = xf.launch @k(%x, %y) : (!xf.real<n, 8>, !xf.real<m, 8>) -> !xf.real<n, 8>
  xf.return
}

// -----

// expected-error @+1 {{expects parent op to be one of 'xf.layers, xf.scan, xf.stored'}}
xf.yield

// -----

// expected-error @+1 {{expects parent op to be one of 'xf.entry, xf.kernel'}}
xf.return

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{must begin with layer 0 or later, not -1}}
  xf.layers -1 <= %l < 2 () {
    xf.yield
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{must run at least once, not 0 times}}
  xf.layers 2 <= %l < 2 () {
    xf.yield
  }
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{must have one list of gauges for each carried value}}
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    xf.yield %a : !xf.real<n, 8>
  } {gauges = []}
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{has 2 layers and must have one gauge after each of them}}
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    xf.yield %a : !xf.real<n, 8>
  } {gauges = [[#xf.exact<"2">]]}
  xf.return
}

// -----

xf.stored @W[l = 3] : !xf.real<8, 8> from "W.{l}" as <([8:8], [8:1])>
xf.entry @f() {
  xf.layers 3 <= %l < 4 () {
    // expected-error @+1 {{reads 4 members of @W along 'l', which has 3}}
    %W = xf.weight @W[%l] : <8, 8>
    xf.yield
  }
  xf.return
}

// -----

// expected-error @+1 {{must be only one of: a tensor, computed, members of other weights}}
xf.stored @W : !xf.real<4> from "W" of <[@V]> as <([4:1])>
xf.stored @V : !xf.real<4> from "V" as <([4:1])>

// -----

// expected-error @+1 {{its region must take one argument for each of its indices}}
xf.stored @W[l = 2] : !xf.real<4> as <([4:1])> derived {
  %v = xf.weight @V : <4>
  xf.yield %v : !xf.real<4>
}
xf.stored @V : !xf.real<4> from "V" as <([4:1])>

// -----

// expected-error @+1 {{its region must yield one member}}
xf.stored @W : !xf.real<4> as <([4:1])> derived {
  %v = xf.weight @V : <4>
  xf.yield %v, %v : !xf.real<4>, !xf.real<4>
}
xf.stored @V : !xf.real<4> from "V" as <([4:1])>

// -----

// expected-error @+1 {{no xf.stored weight is named @V}}
xf.stored @W : !xf.real<4> of <[@V]> as <([4:1])>

// -----

// expected-error @+1 {{is '!xf.real<4>', but @V is '!xf.real<5>'}}
xf.stored @W : !xf.real<4> of <[@V]> as <([4:1])>
xf.stored @V : !xf.real<5> from "V" as <([5:1])>

// -----

// expected-error @+1 {{has 3 members, but the weights it takes them from have 2}}
xf.stored @W[l = 3] : !xf.real<4> of <[@V], 1> as <([4:1])>
xf.stored @V[l = 3] : !xf.real<4> from "V{l}" as <([4:1])>

// -----

// expected-error @+1 {{panels must have at least one column and interleave at least one row}}
module attributes {xf.panels = #xf.panels<32, 0>} {}

// -----

// expected-error @+1 {{arguments have no attribute "xf.causl"}}
xf.entry @f(%x: !xf.real<n> {xf.causl}) {
  xf.return
}

// -----

// expected-error @+1 {{attribute "xf.bound" of arguments cannot be "8"}}
xf.entry @f(%x: !xf.integer<n> {xf.bound = "8"}) {
  xf.return
}

// -----

// expected-error @+1 {{results have no attribute "xf.bound"}}
xf.entry @f(%x: !xf.real<n>) -> (!xf.real<n> {xf.bound = 8 : i64}) {
  xf.return %x : !xf.real<n>
}

// -----

// expected-error @+1 {{argument 0 is not a weight: it has a length}}
xf.kernel @k(%x: !xf.real<n, 8> {xf.storage = #xf.storage<bf16, <32>>}) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}

// -----

// expected-error @+1 {{argument 0 is not a matrix and cannot lie in panels}}
xf.kernel @k(%x: !xf.real<8> {xf.storage = #xf.storage<f32, <32>>}) -> !xf.real<8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<8>
}

// -----

// expected-error @+1 {{argument 0 has rows that cannot all be interleaved in pairs}}
xf.kernel @k(%x: !xf.real<48, 8> {xf.storage = #xf.storage<bf16, <32, 2>>}) -> !xf.real<48, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<48, 8>
}

// -----

// expected-error @+1 {{only rows of bf16 can be interleaved, and only in pairs}}
#storage = #xf.storage<f32, <32, 2>>

// -----

// expected-error @+1 {{kernels cannot read f64}}
#storage = #xf.storage<f64>

// -----

// expected-error @+1 {{the step through a tensor must not be negative}}
#source = #xf.source<"W" step -8>

// -----

// expected-error @+1 {{a buffer must have a memory and an index that is not negative}}
#buffer = #xf.buffer<"cpu", arena, -1>

// -----

// expected-error @+1 {{q4_k must lie in panels of 32}}
#storage = #xf.storage<q4_k>

// -----

// expected-error @+1 {{q8_0 must lie in panels of 32}}
#storage = #xf.storage<q8_0, <16>>

// -----

// expected-error @+1 {{only rows of bf16 can be interleaved, and only in pairs}}
#storage = #xf.storage<q5_1, <32, 2>>

// -----

// expected-error @+1 {{argument 0 has 384 rows, which are not whole blocks of q4_k}}
xf.kernel @k(%x: !xf.real<384, 8> {xf.storage = #xf.storage<q4_k, <32>>}) -> !xf.real<384, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<384, 8>
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @joined_to_nothing(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{must directly follow the launch that it is joined to}}
  %y = xf.launch @k(%x) {joined = #xf.joined<independent>} : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @reads_joined(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  // expected-error @+1 {{runs together with a launch whose result it reads}}
  %z = xf.launch @k(%y) {joined = #xf.joined<independent>} : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// expected-error @+1 {{results must be rows of single elements}}
xf.kernel @k(%x: !xf.real<n, 32>) -> (!xf.real<n, 32> {xf.storage = #xf.storage<q8_0, <32>>}) attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 32>
}

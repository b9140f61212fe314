// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -verify-diagnostics
// Factors of channels.

// expected-error @+1 {{has 3 values for 2 times 2}}
xf.channel_scales @c[l = 2] : 2 of [1.0, 2.0, 3.0]

// -----

// expected-error @+1 {{has a value that is not positive}}
xf.channel_scales @c : 2 of [1.0, 0.0]

// -----

// expected-error @+1 {{no xf.channel_scales are named @c}}
xf.stored @W : !xf.real<64> from "W" as <([64:1])> equalized [<channels = @c, layout = <([64:1])>>]

// -----

xf.channel_scales @c : 64
// expected-error @+1 {{has 2 members, @c has 1}}
xf.stored @W[l = 2] : !xf.real<64> from "W.{l}" as <([64:1])> equalized [<channels = @c, layout = <([64:1])>>]

// -----

xf.channel_scales @c : 32
// expected-error @+1 {{has 64 channels, @c has 32}}
xf.stored @W : !xf.real<64> from "W" as <([64:1])> equalized [<channels = @c, layout = <([64:1])>>]

// -----

// expected-error @+1 {{has 2 values for 4 positions}}
xf.stored @W : !xf.real<4> from "W" as <([4:1])> weighing <channels = @c, layout = <([4:1])>, numbers = 0, 1>

// -----

xf.channel_scales @c : 4
// expected-error @+1 {{has factors of channels, but is not read from one tensor}}
xf.stored @W : !xf.real<4> as <([4:1])> times [<"2">] equalized [<channels = @c, layout = <([4:1])>>]

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Recurrences and earlier rows that do not fit together.

xf.entry @axis(%x: !xf.real<n, 8>, %s0: !xf.real<8>) -> !xf.real<8> {
  // expected-error @+1 {{has positions along axis 2 of '!xf.real<n, 8>'}}
  %s = "xf.scan"(%x, %s0) <{operandSegmentSizes = array<i32: 1, 1>, row_axes = array<i64: 2>, result_axes = array<i64>}> ({
  ^bb0(%r: !xf.real<8>, %t: !xf.real<8>):
    xf.yield %t : !xf.real<8>
  }) : (!xf.real<n, 8>, !xf.real<8>) -> !xf.real<8>
  xf.return %s : !xf.real<8>
}

// -----

xf.entry @row(%x: !xf.real<n, 8>, %s0: !xf.real<8>) -> !xf.real<8> {
  // expected-error @+1 {{has '!xf.real<4>' at a position of '!xf.real<n, 8>'}}
  %s = "xf.scan"(%x, %s0) <{operandSegmentSizes = array<i32: 1, 1>, row_axes = array<i64: 0>, result_axes = array<i64>}> ({
  ^bb0(%r: !xf.real<4>, %t: !xf.real<8>):
    xf.yield %t : !xf.real<8>
  }) : (!xf.real<n, 8>, !xf.real<8>) -> !xf.real<8>
  xf.return %s : !xf.real<8>
}

// -----

xf.entry @positions(%x: !xf.real<n, 8>, %y: !xf.real<m, 8>, %s0: !xf.real<8>) -> !xf.real<8> {
  // expected-error @+1 {{runs over n positions, but '!xf.real<m, 8>' has m}}
  %s = xf.scan (%r in %x axis 0, %q in %y axis 0) from (%t = %s0) : (!xf.real<n, 8>, !xf.real<m, 8>), (!xf.real<8>) -> () {
    xf.yield %t : !xf.real<8>
  }
  xf.return %s : !xf.real<8>
}

// -----

xf.entry @state(%x: !xf.real<n, 8>, %s0: !xf.real<4>) -> !xf.real<4> {
  // expected-error @+1 {{must keep the type of a state}}
  %s = xf.scan (%r in %x axis 0) from (%t = %s0) : (!xf.real<n, 8>), (!xf.real<4>) -> () {
    xf.yield %r : !xf.real<8>
  }
  xf.return %s : !xf.real<4>
}

// -----

xf.entry @result(%x: !xf.real<n, 8>, %s0: !xf.real<8>) -> !xf.real<n, 4> {
  // expected-error @+1 {{has '!xf.real<8>' at a position of '!xf.real<n, 4>'}}
  %y, %s = xf.scan (%r in %x axis 0) from (%t = %s0) : (!xf.real<n, 8>), (!xf.real<8>) -> (!xf.real<n, 4> axis 0) {
    xf.yield %r, %t : !xf.real<8>, !xf.real<8>
  }
  xf.return %y : !xf.real<n, 4>
}

// -----

xf.entry @yield(%x: !xf.real<n, 8>, %s0: !xf.real<8>) -> !xf.real<8> {
  // expected-error @+1 {{must take the rows and states of a position, and yield its results and the next states}}
  %s = xf.scan (%r in %x axis 0) from (%t = %s0) : (!xf.real<n, 8>), (!xf.real<8>) -> () {
    xf.yield %r, %t : !xf.real<8>, !xf.real<8>
  }
  xf.return %s : !xf.real<8>
}

// -----

xf.entry @rows(%s0: !xf.real<8>) -> !xf.real<8> {
  // expected-error @+1 {{must read the rows of a value}}
  %s = xf.scan () from (%t = %s0) : (), (!xf.real<8>) -> () {
    xf.yield %t : !xf.real<8>
  }
  xf.return %s : !xf.real<8>
}

// -----

xf.entry @no_axis(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{must delay one of 2 axes by at least one position}}
  %y = xf.delay %x axis 2 by 1 : <n, 8> -> <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @no_delay(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{must delay one of 2 axes by at least one position}}
  %y = xf.delay %x axis 0 by 0 : <n, 8> -> <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @shape(%x: !xf.real<n, 8>) -> !xf.real<n, 4> {
  // expected-error @+1 {{must keep the shape '!xf.real<n, 8>', not make '!xf.real<n, 4>'}}
  %y = xf.delay %x axis 0 by 1 : <n, 8> -> <n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

xf.entry @numbers(%x: !xf.real<9, 8>, %first: !xf.integer<>) -> !xf.real<4, 8> {
  // expected-error @+1 {{from a position must delay an axis with a length}}
  %y = xf.delay %x axis 0 by 1 from %first : <9, 8> -> <4, 8>
  xf.return %y : !xf.real<4, 8>
}

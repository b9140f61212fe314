// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_BENCH_MACHINE_PEAK_H
#define TRANSFOLD_BENCH_MACHINE_PEAK_H

namespace transfold::bench {

/// Float multiply-adds of one core now, in 10⁹ operations a second (two for
/// each multiply-add); 0 where this program does not know the machine.
double measurePeak();

/// Seconds on a clock that only goes forward.
double now();

} // namespace transfold::bench

#endif // TRANSFOLD_BENCH_MACHINE_PEAK_H

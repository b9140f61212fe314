// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of loops by which build/tiles/FragmentCalls.cpp finds the sums of a
// thread.

#pragma once

namespace transfold::kernels::fragmentLoops {

/// Words of a step; columns and rows of a thread, as TensorCoresGpu.cpp numbers
/// them; panels and fragments of a warp.
constexpr const char *word = "word", *lane = "lane", *half = "half",
                     *side = "side", *panel = "panel", *fragment = "fragment";

} // namespace transfold::kernels::fragmentLoops

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which formats of checkpoints programs keep, and the blocks of such formats.

#pragma once

#include "dialect/Dialect.h"

namespace transfold {
struct BlockFormat;
}

namespace transfold::xf {

/// Whether weights may be stored in a format as they are, because kernels can
/// widen its elements. Other formats are widened when the program's weights are
/// written.
bool isReadByKernels(Format format);

/// The format in which programs hold values of a format, which represents each
/// exactly: a floating-point format for codebook formats, otherwise the format
/// itself.
Format heldIn(Format format);

/// A block: the count of elements that share bytes, and the count of these
/// bytes: 1 and 4 for f32, 32 and 18 for q4_0.
struct BlockSize {
  int64_t numbers, bytes;
};
/// The block of a format, after `heldIn`.
BlockSize blockSizeOf(Format format);
/// The record that describes a block format; null for formats of single
/// elements.
const BlockFormat *blockFormatOf(Format format);
/// Whether elements share bytes.
bool isInBlocks(Format format);

/// Whether the compiler can round weights to a format.
bool canBeRoundedTo(Format format);

/// Whether the blocks of the tensor of a weight<…, k, c> run along k without
/// being cut, so that a column of panels contains whole blocks.
bool hasWholeBlocks(StoredOp stored);
/// The same along any other axis, for blocks of `numbers` elements.
bool hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers);
/// The same if the elements of a block were `apart` elements apart in the
/// tensor.
bool hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers,
                    int64_t apart);

/// The positions of blocks in a tensor: blocks of `numbers` elements that are
/// `apart` elements apart.
struct BlockPlaces {
  int64_t numbers, apart = 1;

  /// The block that contains the element at `place`.
  int64_t blockOf(int64_t place) const {
    return place / (numbers * apart) * apart + place % apart;
  }
  /// The position of the element at `place` within its block.
  int64_t numberOf(int64_t place) const { return place / apart % numbers; }
  /// The place of a block's first element.
  int64_t firstOf(int64_t block) const {
    return block / apart * apart * numbers + block % apart;
  }
};
/// The block positions of the tensor of a rounded weight.
BlockPlaces blockPlacesOf(StoredOp stored);

} // namespace transfold::xf

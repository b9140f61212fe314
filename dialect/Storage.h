// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs keep of the formats that checkpoints have.

#ifndef TRANSFOLD_DIALECT_STORAGE_H
#define TRANSFOLD_DIALECT_STORAGE_H

#include "dialect/Dialect.h"

namespace transfold {
struct BlockFormat;
}

namespace transfold::xf {

/// Whether weights may be stored in a format: kernels widen its numbers. Others
/// are widened when the program's weights are written.
bool isReadByKernels(Format format);

/// What programs have numbers of a format in, which holds each exactly: floats
/// for codes of a codebook, and else the format itself.
Format heldIn(Format format);

/// Numbers that share bytes, and those bytes: 1 and 4 for f32, 32 and 18 for
/// q4_0.
struct BlockSize {
  int64_t numbers, bytes;
};
BlockSize blockSizeOf(Format format);
/// How blocks of a format are read; null where numbers share no bytes.
const BlockFormat *blockFormatOf(Format format);
/// Whether numbers share bytes.
bool isInBlocks(Format format);

/// Whether numbers are rounded to a format when a program is made.
bool canBeRoundedTo(Format format);

/// Whether a weight<…, k, c> has the blocks of its tensor as a whole along k,
/// so that a column of panels has them, too.
bool hasWholeBlocks(StoredOp stored);
/// Along any other axis, of blocks of so many numbers.
bool hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers);
/// The same if numbers of a block were so far apart in the tensor.
bool hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers,
                    int64_t apart);

/// Where the blocks of a tensor are: of `numbers` that lie `apart`.
struct BlockPlaces {
  int64_t numbers, apart = 1;

  /// The block that a number of the tensor is in, and its place there.
  int64_t blockOf(int64_t place) const {
    return place / (numbers * apart) * apart + place % apart;
  }
  int64_t numberOf(int64_t place) const { return place / apart % numbers; }
  /// The place of a block's first number.
  int64_t firstOf(int64_t block) const {
    return block / apart * apart * numbers + block % apart;
  }
};
BlockPlaces blockPlacesOf(StoredOp stored);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_STORAGE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_TENSORNAMES_H
#define TRANSFOLD_DIALECT_TENSORNAMES_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>

namespace transfold::xf {

/// The tensor of member `member` of a weight with several: `pattern` with each
/// {index} replaced by its number. Members count the combinations of the
/// indices, the last one fastest.
std::string memberName(llvm::StringRef pattern,
                       llvm::ArrayRef<llvm::StringRef> indices,
                       llvm::ArrayRef<int64_t> extents, int64_t member);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_TENSORNAMES_H

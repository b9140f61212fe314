// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of tensors that differ by a number: "layers.{l}.W", "layers.{2 * l +
// 1}.W".

#ifndef TRANSFOLD_DIALECT_TENSORNAMES_H
#define TRANSFOLD_DIALECT_TENSORNAMES_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>

namespace transfold::xf {

/// The tensor of member `member` of a weight with several: `pattern` with each
/// {index}, {index + a} and {b * index + a} replaced by its number. Members
/// count the combinations of the indices, the last one fastest.
std::string memberName(llvm::StringRef pattern,
                       llvm::ArrayRef<llvm::StringRef> indices,
                       llvm::ArrayRef<int64_t> extents, int64_t member);

/// Whether `pattern` has a number that `index` says.
bool hasPlaceholder(llvm::StringRef pattern, llvm::StringRef index);

/// The pattern of which `names` are the members, in their order; nothing where
/// they differ by more than numbers that grow evenly with one index each.
std::optional<std::string> patternOf(llvm::ArrayRef<std::string> names,
                                     llvm::ArrayRef<llvm::StringRef> indices,
                                     llvm::ArrayRef<int64_t> extents);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_TENSORNAMES_H

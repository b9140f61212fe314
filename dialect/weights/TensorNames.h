// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of tensors that differ by an index: "layers.{l}.W", "layers.{2 * l +
// 1}.W".

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>

namespace transfold::xf {

/// The tensor name of member `member` of a weight with several members:
/// `pattern` with each {index}, {index + a} and {b * index + a} evaluated.
/// Members enumerate the combinations of the indices, the last index fastest.
std::string memberName(llvm::StringRef pattern,
                       llvm::ArrayRef<llvm::StringRef> indices,
                       llvm::ArrayRef<int64_t> extents, int64_t member);

/// Whether `pattern` contains a placeholder of `index`.
bool hasPlaceholder(llvm::StringRef pattern, llvm::StringRef index);

/// The pattern whose members are `names`, in order; nullopt unless the names
/// differ only by numbers each of which is linear in one index.
std::optional<std::string> patternOf(llvm::ArrayRef<std::string> names,
                                     llvm::ArrayRef<llvm::StringRef> indices,
                                     llvm::ArrayRef<int64_t> extents);

} // namespace transfold::xf

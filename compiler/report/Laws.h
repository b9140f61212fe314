// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws that passes rely on, in words for readers of a report.

#pragma once

#include <llvm/ADT/StringRef.h>

namespace transfold::report {

/// A law: the name of its interface or trait, and the equation that makes a
/// rewrite exact.
struct Law {
  llvm::StringRef name, identity;
};

/// The law that the pass with this argument queries; null if it needs none, as
/// passes that only reorder.
const Law *lawOf(llvm::StringRef pass);

} // namespace transfold::report

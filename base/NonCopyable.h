// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of classes whose objects cannot be copied: each stands for one
// thing, such as a thread, a file or the handler of a signal.

#pragma once

namespace transfold {

/// Objects of classes that derive from it are neither copied nor moved.
class NonCopyable {
public:
  NonCopyable(const NonCopyable &) = delete;
  NonCopyable &operator=(const NonCopyable &) = delete;

protected:
  NonCopyable() = default;
  ~NonCopyable() = default;
};

} // namespace transfold

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps exceptions to statuses, the most derived class first. The order of the
// handlers matters: OutOfMemory and ComputeError are Errors, too.

#include "runtime/library/Failure.h"

#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/kernels/KernelError.h"
#include "runtime/steps/Cancellation.h"

#include <new>

namespace transfold::runtime::inline library {

/// Implements describeException; may throw if there is no memory for the text.
static tfold_status describe(std::string &text, tfold_status otherwise) {
  try {
    throw;
  } catch (const Failure &failure) {
    text = failure.what();
    return failure.status();
  } catch (const OutOfMemory &error) {
    text = error.what();
    return TFOLD_ERROR_MEMORY;
  } catch (const ComputeError &error) {
    text = error.what();
    return TFOLD_ERROR_COMPUTE;
  } catch (const Error &error) {
    text = error.what();
    return otherwise;
  } catch (const Cancelled &cancelled) {
    text = cancelled.what();
    return TFOLD_CANCELLED;
  } catch (const std::bad_alloc &) {
    text = "out of memory";
    return TFOLD_ERROR_MEMORY;
  } catch (const std::length_error
               &) { // a vector with more than max_size() elements
    text = "out of memory";
    return TFOLD_ERROR_MEMORY;
  } catch (const std::exception &error) {
    text = error.what();
    return TFOLD_ERROR_INTERNAL;
  } catch (...) {
    text = "an exception of an unknown kind";
    return TFOLD_ERROR_INTERNAL;
  }
}

tfold_status describeException(std::string &text,
                               tfold_status otherwise) noexcept {
  try {
    return describe(text, otherwise);
  } catch (...) { // no memory for the text
    return TFOLD_ERROR_MEMORY;
  }
}

} // namespace transfold::runtime::inline library

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
  auto is = [&](const char *what, tfold_status status) {
    text = what;
    return status;
  };
  try {
    throw;
  } catch (const Failure &failure) {
    return is(failure.what(), failure.status());
  } catch (const OutOfMemory &error) {
    return is(error.what(), TFOLD_ERROR_MEMORY);
  } catch (const ComputeError &error) {
    return is(error.what(), TFOLD_ERROR_COMPUTE);
  } catch (const Error &error) {
    return is(error.what(), otherwise);
  } catch (const Cancelled &cancelled) {
    return is(cancelled.what(), TFOLD_CANCELLED);
  } catch (const std::bad_alloc &) {
    return is("out of memory", TFOLD_ERROR_MEMORY);
  } catch (const std::length_error
               &) { // a vector with more than max_size() elements
    return is("out of memory", TFOLD_ERROR_MEMORY);
  } catch (const std::exception &error) {
    return is(error.what(), TFOLD_ERROR_INTERNAL);
  } catch (...) {
    return is("an exception of an unknown kind", TFOLD_ERROR_INTERNAL);
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

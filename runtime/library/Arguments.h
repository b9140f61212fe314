// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation and conversion of arguments given by C callers. All of these
// functions throw Failure, or a plain Error, which counts as
// TFOLD_ERROR_ARGUMENT.

#pragma once

#include "base/files/arrays/Npy.h"
#include "runtime/library/Failure.h"
#include "runtime/steps/Generator.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline library {

/// The `count` elements from `first` on as a span; `first` may be null if
/// `count` is 0. `name` is the argument's name in error messages.
template <typename Each>
std::span<const Each> listOf(const Each *first, size_t count,
                             const char *name) {
  if (!first && count)
    failWith(TFOLD_ERROR_ARGUMENT, "{} is null", name);
  if (count > PTRDIFF_MAX / sizeof(Each))
    failWith(TFOLD_ERROR_ARGUMENT, "{} of {} are too many", count, name);
  return {first, count};
}

/// A text of the caller, checked: neither a null pointer with a size, nor too
/// long. `name` is used in error messages.
std::string_view textOf(const tfold_text &text, const std::string &name);
/// The same for a pointer, which must not be null.
std::string_view textOf(const tfold_text *text, const char *name);
/// A view of the caller's array, without a copy, after its name, type, rank,
/// shape and data have been checked.
NpyArray arrayOf(const tfold_array &array);

/// The caller's options. Fields that are missing in the caller's (older)
/// version of the structure have their default values.
struct RequestOptions : GenerationOptions {
  std::vector<std::string> stops;
  tfold_stream stream = nullptr;
  void *context = nullptr;
};
/// Reads and checks the options; null stands for the defaults. `most` is the
/// maximum number of new tokens if the caller does not set one. Token ids are
/// not checked here (checkIds).
RequestOptions optionsOf(const tfold_generate_options *options, int64_t most);
/// Throws Failure if the options contain token ids that the model does not
/// have.
void checkIds(const Generator &generator, const GenerationOptions &options);

} // namespace transfold::runtime::inline library

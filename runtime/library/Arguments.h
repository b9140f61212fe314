// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers in C give, checked. All of these throw Failure.

#ifndef TRANSFOLD_RUNTIME_LIBRARY_ARGUMENTS_H
#define TRANSFOLD_RUNTIME_LIBRARY_ARGUMENTS_H

#include "runtime/files/Npy.h"
#include "runtime/library/Failure.h"
#include "runtime/steps/Generator.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

/// `count` of them from `first` on, which may be null for none.
template <typename Each>
std::span<const Each> listOf(const Each *first, size_t count,
                             const char *name) {
  if (!first && count)
    failWith(TFOLD_ERROR_ARGUMENT, "{} is null", name);
  if (count > PTRDIFF_MAX / sizeof(Each))
    failWith(TFOLD_ERROR_ARGUMENT, "{} of {} are too many", count, name);
  return {first, count};
}

std::string_view textOf(const tfold_text &text, const std::string &name);
std::string_view textOf(const tfold_text *text, const char *name);
NpyArray arrayOf(const tfold_array &array);

/// The caller's options, in the form that it knows: fields that its header has
/// not are as usual.
struct RequestOptions : GenerationOptions {
  std::vector<std::string> stops;
  tfold_stream stream = nullptr;
  void *context = nullptr;
};
/// `most` are the new tokens where the caller does not say. Ids are not checked
/// yet.
RequestOptions optionsOf(const tfold_generate_options *options, int64_t most);
/// Whether the model has the ids of the options.
void checkIds(const Generator &generator, const GenerationOptions &options);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_LIBRARY_ARGUMENTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that kernels compiled with asserts call when one fails. Programs
// are built without asserts and link none of this; the tests run every kernel
// once with them. The codes are those of Halide's halide_error_code_t.

#include <cstdint>
#include <cstdio>

extern "C" {

void halide_error(void *, const char *text);

#define TRANSFOLD_WEAK __attribute__((weak))

} // extern "C"

namespace {

/// Passes the formatted message to halide_error() and returns `code`, which the
/// kernel then returns.
template <typename... Args>
int report(int code, void *context, const char *format, Args... args) {
  char text[512];
  std::snprintf(text, sizeof text, format, args...);
  halide_error(context, text);
  return code;
}

using Text = const char *;

} // namespace

extern "C" {

TRANSFOLD_WEAK int
halide_error_explicit_bounds_too_small(void *context, Text function,
                                       Text variable, int lowest, int highest,
                                       int neededLowest, int neededHighest) {
  return report(
      -2, context, "bounds of %s over %s are %d to %d but %d to %d is needed",
      variable, function, lowest, highest, neededLowest, neededHighest);
}
TRANSFOLD_WEAK int halide_error_bad_type(void *context, Text name,
                                         uint32_t given, uint32_t expected) {
  return report(-3, context, "%s has type code %x, expected %x", name, given,
                expected);
}
TRANSFOLD_WEAK int halide_error_access_out_of_bounds(void *context, Text name,
                                                     int dimension, int lowest,
                                                     int highest, int validMin,
                                                     int validMax) {
  return report(-4, context,
                "%s is read at %d to %d in dimension %d but has %d to %d", name,
                lowest, highest, dimension, validMin, validMax);
}
TRANSFOLD_WEAK int halide_error_buffer_allocation_too_large(void *context,
                                                            Text name,
                                                            uint64_t bytes,
                                                            uint64_t limit) {
  return report(-5, context, "%s would need %llu bytes; the limit is %llu",
                name, static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(limit));
}
TRANSFOLD_WEAK int halide_error_buffer_extents_too_large(void *context,
                                                         Text name,
                                                         int64_t size,
                                                         int64_t limit) {
  return report(-6, context, "%s has %lld elements; the limit is %lld", name,
                static_cast<long long>(size), static_cast<long long>(limit));
}
TRANSFOLD_WEAK int halide_error_constraints_make_required_region_smaller(
    void *context, Text name, int dimension, int constrainedMin,
    int constrainedExtent, int requiredMin, int requiredExtent) {
  return report(-7, context,
                "%s, dimension %d: min %d extent %d is given but min %d extent "
                "%d is needed",
                name, dimension, constrainedMin, constrainedExtent, requiredMin,
                requiredExtent);
}
TRANSFOLD_WEAK int halide_error_constraint_violated(void *context, Text left,
                                                    int leftValue, Text right,
                                                    int rightValue) {
  return report(-8, context, "%s (%d) is not %s (%d)", left, leftValue, right,
                rightValue);
}
TRANSFOLD_WEAK int halide_error_param_too_small_i64(void *context, Text name,
                                                    int64_t value,
                                                    int64_t least) {
  return report(-9, context, "parameter %s is %lld, below %lld", name,
                static_cast<long long>(value), static_cast<long long>(least));
}
TRANSFOLD_WEAK int halide_error_param_too_small_u64(void *context, Text name,
                                                    uint64_t value,
                                                    uint64_t least) {
  return report(-9, context, "parameter %s is %llu, below %llu", name,
                static_cast<unsigned long long>(value),
                static_cast<unsigned long long>(least));
}
TRANSFOLD_WEAK int halide_error_param_too_large_i64(void *context, Text name,
                                                    int64_t value,
                                                    int64_t most) {
  return report(-10, context, "parameter %s is %lld, above %lld", name,
                static_cast<long long>(value), static_cast<long long>(most));
}
TRANSFOLD_WEAK int halide_error_param_too_large_u64(void *context, Text name,
                                                    uint64_t value,
                                                    uint64_t most) {
  return report(-10, context, "parameter %s is %llu, above %llu", name,
                static_cast<unsigned long long>(value),
                static_cast<unsigned long long>(most));
}
TRANSFOLD_WEAK int halide_error_out_of_memory(void *context) {
  return report(-11, context, "%s", "out of memory");
}
TRANSFOLD_WEAK int halide_error_buffer_argument_is_null(void *context,
                                                        Text name) {
  return report(-12, context, "the buffer %s is null", name);
}
TRANSFOLD_WEAK int halide_error_unaligned_host_ptr(void *context, Text name,
                                                   int alignment) {
  return report(-24, context, "%s is not aligned to %d bytes", name, alignment);
}
TRANSFOLD_WEAK int halide_error_bad_fold(void *context, Text function,
                                         Text variable, Text loop) {
  return report(-25, context, "%s is not used in order along %s of loop %s",
                function, variable, loop);
}
TRANSFOLD_WEAK int halide_error_fold_factor_too_small(void *context,
                                                      Text function,
                                                      Text variable, int factor,
                                                      Text loop, int needed) {
  return report(-26, context,
                "%s is folded to %d along %s of loop %s but needs %d", function,
                factor, variable, loop, needed);
}
TRANSFOLD_WEAK int
halide_error_requirement_failed(void *context, Text condition, Text message) {
  return report(-27, context, "%s does not hold: %s", condition, message);
}
TRANSFOLD_WEAK int halide_error_buffer_extents_negative(void *context,
                                                        Text name,
                                                        int dimension,
                                                        int extent) {
  return report(-28, context, "%s has extent %d in dimension %d", name, extent,
                dimension);
}
TRANSFOLD_WEAK int halide_error_specialize_fail(void *context, Text message) {
  return report(-31, context, "no specialization fits: %s", message);
}
TRANSFOLD_WEAK int halide_error_host_is_null(void *context, Text name) {
  return report(-34, context, "the data of %s is null", name);
}
TRANSFOLD_WEAK int halide_error_bad_dimensions(void *context, Text name,
                                               int32_t given,
                                               int32_t expected) {
  return report(-43, context, "%s has %d dimensions, expected %d", name, given,
                expected);
}
TRANSFOLD_WEAK int
halide_error_device_dirty_with_no_device_support(void *context, Text name) {
  return report(-44, context, "%s lies on a device", name);
}
TRANSFOLD_WEAK int halide_error_storage_bound_too_small(void *context,
                                                        Text function,
                                                        Text variable,
                                                        int given, int needed) {
  return report(-45, context,
                "storage of %s over %s is bounded to %d but needs %d", function,
                variable, given, needed);
}
TRANSFOLD_WEAK int halide_error_split_factor_not_positive(void *context,
                                                          Text function,
                                                          Text original, Text,
                                                          Text, Text text,
                                                          int factor) {
  return report(-46, context, "%s: %s is split by %s = %d", function, original,
                text, factor);
}

} // extern "C"

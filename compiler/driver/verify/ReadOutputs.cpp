// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and checks arrays that other programs wrote.

#include "compiler/driver/verify/ReadOutputs.h"

#include "base/Error.h"
#include "base/files/arrays/Npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

using namespace transfold;
using namespace transfold::driver;

/// The array of a result; nullopt if there is none.
static std::optional<std::string> fileOf(const std::string &folder,
                                         const std::string &name) {
  for (const char *ending : {".npy", "_f64.npy"})
    if (std::string file = fmt::format("{}/{}{}", folder, name, ending);
        std::filesystem::exists(file))
      return file;
  return std::nullopt;
}

/// Formats a position in row-major order: "[1, 4, 7]".
static std::string place(const std::vector<int64_t> &shape, int64_t at) {
  std::vector<int64_t> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; at /= shape[axis])
    indices[axis] = at % shape[axis];
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

/// Throws Error if the array is not a valid result.
static Output readOutput(const std::string &file, const Output &expected) {
  NpyArray array(file);
  if (array.isInteger())
    fail("{}: holds integers; results are float32 or float64", file);
  if (array.shape() != expected.shape)
    fail("{}: has shape ({}); the result has ({})", file,
         fmt::join(array.shape(), ", "), fmt::join(expected.shape, ", "));
  Output output{array.shape(), {}};
  for (int64_t k = 0; k < array.elements(); ++k) {
    output.values.push_back(array.real(k));
    if (std::isnan(output.values[k]) && !std::isnan(expected.values[k]))
      fail("{}: {} is not a number; expected {:.4g}", file,
           place(expected.shape, k), expected.values[k]);
  }
  return output;
}

FoundOutputs driver::readOutputs(const std::string &folder,
                                 const Outputs &expected) {
  FoundOutputs found;
  std::string names;
  for (const auto &[name, output] : expected) {
    names += (names.empty() ? "" : ", ") + name + ".npy";
    std::optional<std::string> file = fileOf(folder, name);
    if (!file)
      continue;
    try {
      found.outputs[name] = readOutput(*file, output);
    } catch (const Error &error) {
      found.problems[name] = error.what();
    }
  }
  if (found.outputs.empty() && found.problems.empty())
    fail("{}: does not contain an array of a result; results are {}", folder,
         names);
  return found;
}

void driver::ignorePadding(const Outputs &expected, Outputs &found) {
  for (auto &[name, output] : found) {
    const std::vector<double> &ours = expected.at(name).values;
    if (output.shape.size() < 3)
      continue;
    int64_t width = output.shape.back();
    for (size_t row = 0; row < ours.size(); row += width)
      if (std::all_of(&ours[row], &ours[row] + width,
                      [](double x) { return x == 0; }))
        std::fill_n(&output.values[row], width, 0.0);
  }
}

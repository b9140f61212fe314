// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// widen-tensors MODEL: prints the values of each tensor of a checkpoint as
// float32, for tests in Python. For each tensor a line with its name and its
// number of bytes, followed by these bytes.

#include "compiler/checkpoint/Checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

using namespace transfold::checkpoint;

static void write(const std::string &name, const StoredTensor &tensor) {
  fmt::print("{} {}\n", name, tensor.count() * sizeof(float));
  std::vector<double> numbers;
  std::vector<float> narrow;
  constexpr int64_t atOnce = 1 << 16;
  for (int64_t first = 0; first < tensor.count(); first += atOnce) {
    numbers.resize(std::min(atOnce, tensor.count() - first));
    tensor.read(first, 1, numbers);
    narrow.assign(numbers.begin(), numbers.end());
    std::fwrite(narrow.data(), sizeof(float), narrow.size(), stdout);
  }
}

int main(int count, char **words) {
  if (count != 2) {
    fmt::print(stderr, "usage: widen-tensors MODEL\n");
    return 2;
  }
  try {
    auto model = Checkpoint::open(words[1]);
    for (const auto &[name, tensor] : model->tensors())
      write(name, tensor);
  } catch (const CheckpointError &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

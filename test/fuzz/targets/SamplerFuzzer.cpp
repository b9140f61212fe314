// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any numbers as a request's sampling parameters, and as logits: the
// result is a token that may be drawn, or an error.

#include "base/Error.h"
#include "test/fuzz/targets/Input.h"
#include "test/unit/program/SamplingReference.h"

#include <cstring>

using namespace transfold;
using namespace transfold::runtime;

namespace {

/// Numbers of the input, in order of use; zeros at the end.
class Numbers {
public:
  Numbers(const uint8_t *data, size_t size) : data(data), size(size) {}
  template <typename Number> Number next() {
    Number number = {};
    size_t count = std::min(size, sizeof number);
    if (count)
      std::memcpy(&number, data, count);
    data += count;
    size -= count;
    return number;
  }
  bool areLeft() const { return size > 0; }

private:
  const uint8_t *data;
  size_t size;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t mostTokens = 512; // the reference takes their square
  Numbers numbers(data, size);
  SamplingOptions options;
  forEachSamplingField(
      [&]<typename Number>(const SamplingField<Number> &field, size_t) {
        options.*field.member = numbers.next<Number>();
      });
  options.seed = numbers.next<uint64_t>();
  options.isScored = numbers.next<uint8_t>() % 2;
  const int32_t history[] = {numbers.next<uint8_t>(), numbers.next<uint8_t>()};
  auto suppressed = numbers.next<uint8_t>();
  std::vector<float> logits;
  do
    logits.push_back(numbers.next<float>());
  while (numbers.areLeft() && logits.size() < mostTokens);
  if (suppressed && suppressed < logits.size())
    options.suppressed = {suppressed};
  try {
    Sampler sampler(options);
    for (int draw = 0; draw < 4; ++draw) {
      Sampler::Choice choice = sampler.choose(logits, history);
      fuzz::require(test::canChoose(options, logits), "logits that can be");
      fuzz::require(choice.token >= 0 &&
                        static_cast<size_t>(choice.token) < logits.size(),
                    "a token");
      fuzz::require(test::drawnOf(options, logits, history,
                                  1e-4)[static_cast<size_t>(choice.token)] > 0,
                    "a token that is not cut");
      fuzz::require(!std::isnan(choice.logProbability), "a log probability");
    }
  } catch (const Error &) {
  }
  return 0;
}

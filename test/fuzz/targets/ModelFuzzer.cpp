// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a spec, a config.json and a list of tensors: runs everything that
// `transfold check SPEC MODEL` does. A tensor is a line "NAME SIZE SIZE …"; its
// values are zeros.

#include "compiler/checkpoint/JsonFile.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Source.h"
#include "test/fuzz/targets/Input.h"
#include "test/unit/checkpoint/MemoryCheckpoint.h"

#include <algorithm>
#include <sstream>

using namespace transfold;

namespace {

class InputCheckpoint final : public test::MemoryCheckpoint {
public:
  InputCheckpoint(std::string_view config, std::string_view tensorList)
      : MemoryCheckpoint("input",
                         checkpoint::parseJson(config, "config.json")) {
    if (!configuration.is_object())
      throw checkpoint::CheckpointError("config.json: is not a JSON object");
    std::istringstream lines{std::string(tensorList)};
    for (std::string line; std::getline(lines, line);)
      addTensor(line);
  }

  const nlohmann::json *file(const std::string &name) const override {
    return name == "config.json" ? &configuration : nullptr;
  }

private:
  void addTensor(const std::string &line) {
    static constexpr std::array<std::byte, 1 << 16> zeros{};
    std::istringstream words(line);
    std::string name;
    words >> name;
    checkpoint::StoredTensor tensor{checkpoint::DType::F32, {}, {}};
    uint64_t bytes = 4;
    for (uint32_t extent; words >> extent; bytes *= extent)
      if (tensor.shape.size() == 16 || bytes * extent > zeros.size())
        return;
      else
        tensor.shape.push_back(extent);
    tensor.bytes = std::span(zeros).first(bytes);
    stored.emplace(name, tensor);
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [text, config, tensors] = fuzz::filesOf<3>(fuzz::textOf(data, size));
  fuzz::InputFile spec(text);
  try {
    InputCheckpoint checkpoint(config, tensors);
    spec::check(spec.path(), TRANSFOLD_SPECS, &checkpoint);
  } catch (const spec::SpecError &) {
  } catch (const checkpoint::CheckpointError &) {
  }
  return 0;
}

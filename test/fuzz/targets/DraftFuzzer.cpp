// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a configuration, and names of tensors with their shapes: the draft of
// a spec always parses.

#include "compiler/checkpoint/JsonFile.h"
#include "compiler/draft/Draft.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Parser.h"
#include "test/fuzz/targets/Input.h"
#include "test/unit/checkpoint/MemoryCheckpoint.h"

using namespace transfold;

namespace {

class NamesOnly final : public test::MemoryCheckpoint {
public:
  NamesOnly(std::string_view config, std::string_view names)
      : MemoryCheckpoint("model",
                         checkpoint::parseJson(config, "config.json")) {
    nlohmann::json shapes = checkpoint::parseJson(names, "names");
    for (const auto &[name, shape] : shapes.items()) {
      checkpoint::StoredTensor tensor{checkpoint::DType::F32, {}, {}};
      for (const auto &size : shape)
        if (size.is_number_unsigned())
          tensor.shape.push_back(size.get<uint32_t>());
      stored.emplace(name, tensor);
    }
    if (!configuration.is_object()) // as opening a directory checks
      throw checkpoint::CheckpointError("config.json: is no object");
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [config, names] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  try {
    NamesOnly checkpoint(config, names);
    std::string text = draft::draftSpec(checkpoint, "drafted");
    spec::Fit fit;
    fit.failures = fit.unfulfilled = {text};
    fit.left.keys = {{std::string("key"), text}};
    for (const auto &[name, tensor] : checkpoint.tensors()) {
      fit.left.tensors.push_back(name);
      fit.missing[name] = fit.reshaped[name] = tensor.shape;
    }
    text += draft::toDoList(checkpoint, fit);
    try {
      spec::parse(spec::Source::fromText("drafted.xf", text));
    } catch (const spec::SpecError &error) {
      fuzz::require(false, error.what());
    }
  } catch (const checkpoint::CheckpointError &) {
  }
  return 0;
}

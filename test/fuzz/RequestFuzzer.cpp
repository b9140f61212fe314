// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of requests, as each route reads them.

#include "runtime/serve/ApiError.h"
#include "runtime/serve/AudioRequests.h"
#include "runtime/serve/Requests.h"
#include "test/fuzz/Input.h"

using namespace transfold;
using namespace transfold::runtime::serve;

namespace {

/// Either a request or an error that can be told.
template <typename Read> void check(Read read, std::string_view body) {
  try {
    read(body);
  } catch (const ApiError &error) {
    fuzz::require(error.status == 400, "a status for a wrong request");
    fuzz::require(nlohmann::json::accept(dump(error.body())), "JSON");
  }
}

/// A form: names and values in turn.
AudioRequest readForm(std::string_view body) {
  auto texts = fuzz::filesOf<8>(body);
  std::vector<HttpPart> form;
  for (size_t i = 0; i < texts.size(); i += 2)
    form.push_back({std::string(texts[i]), "", std::string(texts[i + 1])});
  return readAudioRequest(form);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view body = fuzz::textOf(data, size);
  check(readChatRequest, body);
  check(readCompletionRequest, body);
  check(readEmbeddingRequest, body);
  check(readForm, body);
  return 0;
}

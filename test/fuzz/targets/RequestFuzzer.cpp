// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: requests: their heads and ends, forms, and bodies as each route reads
// them.

#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/AudioRequests.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/serve/http/Form.h"
#include "runtime/serve/http/RequestParser.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;
using namespace transfold::runtime::serve;

namespace {

/// Reads a request, or gets a reportable error.
template <typename Read> void check(Read read, std::string_view body) {
  try {
    read(body, {});
  } catch (const ApiError &error) {
    fuzz::require(error.status == 400, "a status for a wrong request");
    fuzz::require(nlohmann::json::accept(dump(error.body())), "JSON");
  }
}

/// A form: alternating names and values.
AudioRequest readAudio(std::string_view body, const Look &) {
  auto texts = fuzz::filesOf<8>(body);
  std::vector<HttpPart> form;
  for (size_t i = 0; i < texts.size(); i += 2)
    form.push_back({std::string(texts[i]), "", std::string(texts[i + 1])});
  return readAudioRequest(form);
}

/// The number of requests and the final state must not depend on how the text
/// is split.
std::pair<size_t, RequestParser::State> countRequests(std::string_view text,
                                                      size_t step) {
  RequestParser parser(HttpLimits{.body = 1000, .headers = 1000});
  size_t count = 0;
  while (!text.empty() && parser.state() != RequestParser::State::Refused) {
    text.remove_prefix(parser.read(text.substr(0, step)));
    if (parser.state() != RequestParser::State::Whole)
      continue;
    ++count;
    if (parser.take().isLast)
      break;
  }
  return {count, parser.state()};
}

void checkRequests(std::string_view text) {
  fuzz::require(countRequests(text, text.size()) == countRequests(text, 1),
                "the same requests in any pieces");
  readForm(text, "multipart/form-data; boundary=b", 8);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view body = fuzz::textOf(data, size);
  check(readChatRequest, body);
  check(readCompletionRequest, body);
  check(readEmbeddingRequest, body);
  check(readRerankRequest, body);
  check(readAudio, body);
  checkRequests(body);
  return 0;
}

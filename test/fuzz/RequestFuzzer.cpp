// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of requests, as each route reads them.

#include "runtime/serve/ApiError.h"
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view body = fuzz::textOf(data, size);
  check(readChatRequest, body);
  check(readCompletionRequest, body);
  check(readEmbeddingRequest, body);
  return 0;
}

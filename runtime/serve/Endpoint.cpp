// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all endpoints need.

#include "runtime/serve/Endpoint.h"

#include "runtime/serve/api/ApiError.h"
#include "runtime/steps/Generator.h"
#include "runtime/tasks/speech/Transcriber.h"
#include "runtime/tasks/text/SingleScore.h"

#include <fmt/format.h>

namespace transfold::runtime::serve {

bool canServe(const Metadata &metadata) {
  const Task *generates = generatingTask(metadata);
  return metadata.task("embed") || Transcriber::canHear(metadata) ||
         canRerank(metadata) ||
         (generates && (generates->entries.size() == 1 || generates->speech));
}

void checkModel(const std::string &asked, const EndpointOptions &options) {
  if (!asked.empty() && asked != options.model)
    throw ApiError(404,
                   fmt::format("There is no model '{}'; this server has '{}'.",
                               asked, options.model),
                   "model", "model_not_found");
}

HttpReply jsonReply(const nlohmann::ordered_json &body) {
  HttpReply reply;
  reply.body = dump(body);
  return reply;
}

} // namespace transfold::runtime::serve

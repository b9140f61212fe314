// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/Serve.h"

#include "runtime/commands/cli/Messages.h"
#include "runtime/commands/cli/StopSignals.h"
#include "runtime/files/output/OutputFile.h"
#include "runtime/serve/Service.h"
#include "runtime/serve/http/Http.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <malloc.h>
#include <sys/resource.h>
#include <thread>

namespace transfold::runtime {

namespace {

using namespace serve;

/// Threads for requests that are neither running nor queued: they are refused,
/// or query the state.
constexpr size_t spareThreads = 16;
/// File descriptors for files other than connections.
constexpr size_t spareDescriptors = 64;

void say(const std::string &line) {
  reportLine(fmt::format("{}: {}", programName(), line));
}

bool isLoopback(const std::string &host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// The accepted host names. Any name is accepted on addresses other than
/// loopback, where the server's names are not known, and if clients need a key,
/// which a page of another site does not have; unless names are given.
HostNames hostNames(const ServeOptions &options) {
  bool isOpen = isLoopback(options.host) && options.keys.empty();
  if (!isOpen && options.hosts.empty())
    return {};
  std::vector<std::string> names = options.hosts;
  names.insert(names.end(), {options.host, "localhost", "127.0.0.1", "::1"});
  return HostNames(names);
}

ServiceOptions serviceOptions(const ServeOptions &options) {
  ServiceOptions result;
  result.model = options.model.empty() ? programName() : options.model;
  if (!options.keys.empty())
    result.keys = ApiKeys::read(options.keys);
  result.hosts = hostNames(options);
  result.limits = {options.parallel, options.waiting};
  result.context = options.context;
  result.deadline = std::chrono::seconds(options.deadline);
  result.hasPage = options.hasPage;
  result.allowTokenIds = options.allowTokenIds;
  if (!options.isQuiet)
    result.tell = say;
  return result;
}

/// The possible number of connections: raises the process's limit of open
/// files, which is lower at its start than the system allows.
size_t roomForConnections(size_t wanted) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit))
    return wanted;
  const rlim_t needed = wanted + spareDescriptors;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return std::clamp<size_t>(limit.rlim_cur, 2 * spareDescriptors, needed) -
         spareDescriptors;
}

HttpLimits httpLimits(const ServeOptions &options) {
  HttpLimits limits;
  limits.connections = roomForConnections(limits.connections);
  limits.threads = options.parallel + 2 * options.waiting + spareThreads;
  limits.body = static_cast<size_t>(options.bodyMegabytes) << 20;
  limits.memory = std::max(limits.memory, 4 * limits.body);
  return limits;
}

/// Configures malloc to return memory of requests to the system. Otherwise
/// glibc keeps more of it in each of its arenas, the larger the bodies are.
void returnMemory() {
#ifdef M_MMAP_THRESHOLD
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 10);
  ::mallopt(M_ARENA_MAX, 2);
#endif
}

} // namespace

bool canServe(const Metadata &metadata) {
  const Task *generates = generatingTask(metadata);
  return metadata.task("embed") ||
         (generates && (generates->entries.size() == 1 || generates->speech));
}

void addServeOptions(CLI::App &app, ServeOptions &options) {
  app.footer(fmt::format(
      "It implements OpenAI's /v1/embeddings, /v1/chat/completions, "
      "/v1/completions,\n"
      "/v1/audio/transcriptions, /v1/audio/translations and /v1/models, as far "
      "as the\n"
      "model supports them; /health and /metrics report its state. A browser\n"
      "that opens its address shows a page to try the model with. SIGTERM and "
      "Ctrl-C let it\n"
      "finish open requests. Examples:\n"
      "  {0} serve --port 8080\n"
      "  curl http://127.0.0.1:8080/v1/models\n"
      "  {0} serve --host 0.0.0.0 --api-key-file keys.txt --parallel 8",
      programName()));
  auto number = [&](const char *name, auto &value, int64_t least, int64_t most,
                    const char *help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(least, most))
        ->capture_default_str();
  };
  // A variable that a script left empty must not mean "all users" or "no key".
  const CLI::Validator isSomething(
      [](std::string &text) {
        return text.empty() ? std::string("it is empty") : std::string();
      },
      "");
  app.add_option("--host", options.host, "Address to listen on")
      ->check(isSomething)
      ->capture_default_str();
  number("--port", options.port, 0, 65535, "Port; 0: any free one");
  app.add_option("--model-name", options.model,
                 "Name of the model for clients (default: the program's name)")
      ->check(isSomething)
      ->type_name("NAME");
  app.add_option(
         "--api-key-file", options.keys,
         "Require one of the keys of this file, which has one key per line")
      ->check(isSomething)
      ->type_name("FILE");
  app.add_option("--allow-host", options.hosts,
                 "A host name that requests may use, besides localhost and its "
                 "address; repeat the option for more")
      ->check(isSomething)
      ->type_name("NAME")
      ->allow_extra_args(false);
  number("--parallel", options.parallel, 1, 256,
         "Completions that share steps (batch size) (batch size)");
  number("--queue", options.waiting, 1, 1024,
         "Maximum number of waiting requests; more are refused with 429");
  number("--context", options.context, 2, int64_t{1} << 30,
         "Context length in tokens for a prompt and its answer, at most the "
         "model's");
  number("--deadline", options.deadline, 1, 86400,
         "Time limit of a request in seconds");
  number("--grace", options.grace, 0, 86400,
         "Seconds for open requests to finish when the server stops");
  number("--max-body", options.bodyMegabytes, 1, 1024,
         "Maximum size of a request's body in MiB");
  app.add_flag_callback(
      "--no-page", [&options] { options.hasPage = false; },
      "Serve no page for browsers at /");
  app.add_flag("--allow-token-ids", options.allowTokenIds,
               "Accept ids of the model's own tokens as texts to embed");
  app.add_flag("--quiet", options.isQuiet,
               "Print no line on standard error for each request");
}

void runServer(const LoadedProgram &program, ThreadPool &pool,
               const ServeOptions &options) {
  returnMemory();
  ServiceOptions given = serviceOptions(options);
  if (!given.keys.areNeeded() && !isLoopback(options.host))
    warn(fmt::format(
        "this server is open to anyone who can reach {}; use --api-key-file",
        options.host));
  Service service(program, pool, std::move(given));
  if (std::string why = service.whyFewer(); !why.empty())
    warn(why);
  HttpServer http(
      httpLimits(options),
      [&](HttpRequest &request) { return service.answer(request); },
      Service::unreadable);
  int port = http.bind(options.host, options.port);
  StopSignals signals;
  std::thread listener([&] {
    http.run();
    StopSignals::wake();
  });
  bool isIpv6 = options.host.find(':') != std::string::npos;
  printNow(fmt::format("listening on http://{}{}{}:{}\n", isIpv6 ? "[" : "",
                       options.host, isIpv6 ? "]" : "", port));
  signals.wait();
  if (!options.isQuiet)
    say("stopping");
  service.drain(std::chrono::seconds(options.grace));
  http.stop();
  listener.join();
}

} // namespace transfold::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets up a server from the options: limits that depend on each other and on
// the system, the names under which it answers, and its orderly end.

#include "runtime/commands/Serve.h"

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/StopSignals.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/serve/Service.h"
#include "runtime/serve/http/Http.h"
#include "runtime/tasks/speech/Transcriber.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <malloc.h>
#include <sys/resource.h>
#include <thread>

namespace transfold::runtime::inline commands {

namespace {

using namespace serve;

/// Threads for requests that are neither running nor queued: they are refused,
/// or query the state.
constexpr size_t spareThreads = 16;
/// File descriptors for files other than connections.
constexpr size_t spareDescriptors = 64;

/// Prints a line about the server on standard error.
void say(const std::string &line) {
  reportLine(fmt::format("{}: {}", programName(), line));
}

/// Whether only programs on this machine can reach the address.
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

/// The options of the service. Throws Error if the file of keys cannot be read.
ServiceOptions serviceOptions(const ServeOptions &options) {
  ServiceOptions result;
  result.model = options.model.empty() ? programName() : options.model;
  if (!options.keys.empty())
    result.keys = ApiKeys::read(options.keys);
  result.hosts = hostNames(options);
  result.parallel = options.parallel;
  result.waiting = options.waiting;
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

/// The limits of HTTP: enough threads that each request which may run or wait
/// has one.
HttpLimits httpLimits(const ServeOptions &options) {
  HttpLimits limits;
  limits.connections = roomForConnections(limits.connections);
  // A request occupies a thread while it runs or waits: completions and
  // embeddings have a queue each.
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

/// Adds an option with a number from `least` to `most`.
static void addNumber(CLI::App &app, const char *name, auto &value,
                      int64_t least, int64_t most, const char *help) {
  app.add_option(name, value, help)
      ->check(CLI::Range(least, most))
      ->capture_default_str();
}

/// Adds the options about the address, the name of the model, and the clients
/// that are accepted.
static void addAccess(CLI::App &app, ServeOptions &options) {
  // A variable that a script left empty must not mean "all users" or "no key".
  const CLI::Validator isSomething(
      [](std::string &text) {
        return text.empty() ? std::string("it is empty") : std::string();
      },
      "");
  app.add_option("--host", options.host, "Address to listen on")
      ->check(isSomething)
      ->capture_default_str();
  addNumber(app, "--port", options.port, 0, 65535, "Port; 0: any free one");
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
}

/// Adds the limits of requests.
static void addRequestLimits(CLI::App &app, ServeOptions &options) {
  addNumber(app, "--parallel", options.parallel, 1, 256,
            "Completions that share steps (batch size)");
  addNumber(app, "--queue", options.waiting, 1, 1024,
            "Maximum number of waiting requests; more are refused with 429");
  addNumber(app, "--context", options.context, 2, int64_t{1} << 30,
            "Context length in tokens for a prompt and its answer, at most the "
            "model's");
  addNumber(app, "--deadline", options.deadline, 1, 86400,
            "Time limit of a request in seconds");
  addNumber(app, "--grace", options.grace, 0, 86400,
            "Seconds for open requests to finish when the server stops");
  addNumber(app, "--max-body", options.bodyMegabytes, 1, 1024,
            "Maximum size of a request's body in MiB");
}

static void addServeOptions(CLI::App &app, ServeOptions &options) {
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
  addAccess(app, options);
  addRequestLimits(app, options);
  app.add_flag_callback(
      "--no-page", [&options] { options.hasPage = false; },
      "Serve no page for browsers at /");
  app.add_flag("--allow-token-ids", options.allowTokenIds,
               "Accept ids of the model's own tokens as texts to embed");
  app.add_flag("--quiet", options.isQuiet,
               "Print no line on standard error for each request");
}

/// The endpoints of the parts, as far as the program supports them.
static Service::Endpoints endpointsOf(CommandSet &commands,
                                      std::span<const ProgramPart *const> parts,
                                      const EndpointOptions &options) {
  const ServedProgram served{commands.program(), commands.threads(), options};
  Service::Endpoints endpoints;
  for (const ProgramPart *part : parts)
    if (part->makeEndpoint)
      if (auto endpoint = part->makeEndpoint(served))
        endpoints.push_back(std::move(endpoint));
  // Not alone: a program that only tokenizes is not served.
  if (!endpoints.empty() && !served.program.tokenizerTables().empty())
    endpoints.push_back(makeTokenization(served));
  return endpoints;
}

/// Runs the server until a signal stops it. Throws Error.
static void runServer(CommandSet &commands,
                      std::span<const ProgramPart *const> parts,
                      const ServeOptions &options) {
  returnMemory();
  ServiceOptions given = serviceOptions(options);
  if (!given.keys.areNeeded() && !isLoopback(options.host))
    warn(fmt::format(
        "this server is open to anyone who can reach {}; use --api-key-file",
        options.host));
  Service::Endpoints endpoints = endpointsOf(commands, parts, given);
  Service service(std::move(endpoints), std::move(given));
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

void addServe(CommandSet &commands, std::span<const ProgramPart *const> parts) {
  if (!canServe(commands.metadata()))
    return;
  auto options = std::make_shared<ServeOptions>();
  CLI::App *app = commands.add(
      "serve", "Serve OpenAI's clients over HTTP",
      [&commands, parts, options] { runServer(commands, parts, *options); });
  if (Transcriber::canHear(commands.metadata()))
    options->bodyMegabytes = 25; // OpenAI's limit for recordings
  addServeOptions(*app, *options);
  commands.addThreads(app);
  commands.addExample("serve --port 8080");
}

} // namespace transfold::runtime::inline commands

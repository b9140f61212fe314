// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/Http.h"

#include "runtime/Error.h"
#include "runtime/program/StaticProgram.h"

#define CPPHTTPLIB_USE_POLL // descriptors above 1024
#define CPPHTTPLIB_TCP_NODELAY true
// A path is matched with a regular expression, which takes stack for each
// character.
#define CPPHTTPLIB_REQUEST_URI_MAX_LENGTH 1024
#define CPPHTTPLIB_SEND_FLAGS MSG_NOSIGNAL
// Clients that connect at the same time. One for which there is no room waits
// a second before it tries again, then two, then four.
#define CPPHTTPLIB_LISTEN_BACKLOG 1024
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace transfold::runtime::serve {

namespace {

/// Whether the connection of the request that this thread answers ends with it:
/// cpp-httplib looks only at what the client says.
thread_local bool endsConnection = false;
/// Whether its answer comes in parts, each of which is sent at once.
thread_local bool comesInParts = false;
/// What lives until it was sent.
thread_local std::shared_ptr<const void> untilSent;

void endConnection(httplib::Response &response) {
  response.set_header("Connection", "close");
  endsConnection = true;
}

/// A connection that ends where a request is larger, or takes longer, than any
/// can be: cpp-httplib limits single lines only after it has read them, and
/// waits for ever for who sends a byte now and then. And it sends the headers
/// of an answer by themselves, which wakes the client twice; here they wait for
/// what follows.
class GuardedStream final : public httplib::Stream {
public:
  GuardedStream(httplib::Stream &stream, const HttpLimits &limits,
                const std::atomic<bool> &isStopped)
      : stream(stream), limits(limits), isStopped(isStopped),
        end(std::chrono::steady_clock::now() + limits.request) {}

  bool is_readable() const override { return stream.is_readable(); }
  bool is_writable() const override { return stream.is_writable(); }
  ssize_t read(char *to, size_t size) override {
    if (isTooMuch() || std::chrono::steady_clock::now() > end || !flush())
      return -1;
    ssize_t count = stream.read(to, size);
    for (ssize_t i = 0; i < count && !areHeadersOver; ++i)
      see(to[i]);
    bytes += count > 0 ? static_cast<size_t>(count) : 0;
    return count;
  }
  ssize_t write(const char *from, size_t size) override {
    if (isStopped)
      return -1;
    if (comesInParts || held.size() + size > mostHeld)
      return flush() ? stream.write(from, size) : -1;
    held.append(from, size);
    return static_cast<ssize_t>(size);
  }
  /// Sends what waits; false where that fails.
  bool flush() {
    const std::string all = std::exchange(held, {});
    for (size_t sent = 0; sent < all.size();) {
      ssize_t count =
          isStopped ? -1 : stream.write(all.data() + sent, all.size() - sent);
      if (count <= 0)
        return false;
      sent += static_cast<size_t>(count);
    }
    return true;
  }
  void get_remote_ip_and_port(std::string &ip, int &port) const override {
    stream.get_remote_ip_and_port(ip, port);
  }
  void get_local_ip_and_port(std::string &ip, int &port) const override {
    stream.get_local_ip_and_port(ip, port);
  }
  socket_t socket() const override { return stream.socket(); }

private:
  httplib::Stream &stream;
  const HttpLimits &limits;
  const std::atomic<bool> &isStopped;
  std::chrono::steady_clock::time_point end;
  static constexpr size_t mostHeld = 64 << 10;
  std::string held;
  size_t bytes = 0;
  bool isLineEmpty = false, areHeadersOver = false;

  bool isTooMuch() const {
    // What is too long for a body is read for a while, so that its sender comes
    // to read why it was refused.
    return bytes > limits.headers && (!areHeadersOver || bytes > most());
  }
  size_t most() const { return limits.headers + 4 * limits.body; }
  /// An empty line ends the headers.
  void see(char c) {
    areHeadersOver = c == '\n' && isLineEmpty;
    if (c != '\r')
      isLineEmpty = c == '\n';
  }
};

/// Threads for connections, and how many connections wait for one.
class CountingPool final : public httplib::TaskQueue {
public:
  CountingPool(const HttpLimits &limits, std::atomic<size_t> &waiting)
      : waiting(waiting), threads(limits.threads, limits.connections) {}

  bool enqueue(std::function<void()> serve) override {
    ++waiting;
    bool isTaken = threads.enqueue([this, serve = std::move(serve)] {
      --waiting;
      serve();
    });
    waiting -= !isTaken;
    return isTaken;
  }
  void shutdown() override { threads.shutdown(); }

private:
  std::atomic<size_t> &waiting;
  httplib::ThreadPool threads;
};

/// A connection has a thread until it ends. Where others wait for one it ends
/// behind its request, so that who comes later is not kept waiting by those who
/// ask again and again, or who keep a connection in case they ask again.
class GuardedServer final : public httplib::Server {
public:
  explicit GuardedServer(const HttpLimits &limits) : limits(limits) {
    new_task_queue = [this] {
      return new CountingPool(this->limits, connectionsWaiting);
    };
  }

  ~GuardedServer() override {
    if (stoppedSocket != INVALID_SOCKET)
      httplib::detail::close_socket(stoppedSocket);
  }
  GuardedServer(const GuardedServer &) = delete;
  GuardedServer &operator=(const GuardedServer &) = delete;

  bool isCrowded() const { return connectionsWaiting > 0; }

  /// Those who still read their answers, byte by byte, are cut off. Unlike
  /// stop() it may come before the server runs. Nor does it close the socket,
  /// on which the other thread waits: its number could be a connection's then.
  void stopAll() {
    isStopped = true;
    socket_t socket = svr_sock_.exchange(INVALID_SOCKET);
    if (socket == INVALID_SOCKET)
      return;
    httplib::detail::shutdown_socket(socket);
    stoppedSocket = socket;
  }

private:
  HttpLimits limits;
  std::atomic<bool> isStopped = false;
  std::atomic<size_t> connectionsWaiting = 0;
  socket_t stoppedSocket = INVALID_SOCKET;

  /// Whether something comes on a connection, or its end, before it is idle for
  /// too long.
  bool awaitsRequest(socket_t socket) const {
    constexpr time_t slice = 10000; // microseconds
    auto begin = std::chrono::steady_clock::now();
    while (svr_sock_ != INVALID_SOCKET) {
      if (ssize_t ready = httplib::detail::select_read(socket, 0, slice))
        return ready > 0;
      auto most = isCrowded() ? limits.idleInCrowd : limits.idle;
      if (std::chrono::steady_clock::now() - begin > most)
        return false;
    }
    return false;
  }

  /// As that of the base, with a guard.
  bool process_and_close_socket(socket_t socket) override {
    std::string remote, local;
    int remotePort = 0, localPort = 0;
    httplib::detail::get_remote_ip_and_port(socket, remote, remotePort);
    httplib::detail::get_local_ip_and_port(socket, local, localPort);
    auto answer = [&](bool isLast) {
      httplib::detail::SocketStream stream(
          socket, read_timeout_sec_, read_timeout_usec_, write_timeout_sec_,
          write_timeout_usec_);
      GuardedStream guarded(stream, limits, isStopped);
      endsConnection = comesInParts = false;
      bool isClosed = false;
      bool goesOn = process_request(guarded, remote, remotePort, local,
                                    localPort, isLast, isClosed, nullptr);
      bool isSent = guarded.flush();
      untilSent.reset();
      return isSent && goesOn && !isClosed && !endsConnection;
    };
    for (size_t left = keep_alive_max_count_; left > 0; --left)
      if (!awaitsRequest(socket) || !answer(left == 1))
        break;
    httplib::detail::shutdown_socket(socket);
    httplib::detail::close_socket(socket);
    return true;
  }
};

HttpRequest requestOf(const httplib::Request &request) {
  return {request.method,
          request.path,
          "",
          request.get_header_value("Authorization"),
          request.get_header_value("Content-Type"),
          request.get_header_value("Host"),
          request.remote_addr,
          request.get_header_value("Origin"),
          {},
          false,
          request.is_connection_closed};
}

void send(HttpReply reply, httplib::Response &response) {
  response.status = reply.status;
  untilSent = std::move(reply.untilSent);
  for (const auto &[name, value] : reply.headers)
    response.set_header(name, value);
  if (!reply.parts) {
    response.set_content(std::move(reply.body), reply.contentType);
    return;
  }
  comesInParts = true;
  auto provide = [parts = std::move(reply.parts)](
                     size_t, httplib::DataSink &sink) noexcept {
    try {
      std::string part;
      bool goesOn = parts->next(part);
      if (!part.empty() && !sink.write(part.data(), part.size()))
        return false;
      if (!goesOn)
        sink.done();
      return true;
    } catch (...) { // the answer has begun: all that is left is to end it
      return false;
    }
  };
  response.set_chunked_content_provider(reply.contentType, std::move(provide));
}

} // namespace

class HttpServer::Implementation {
public:
  Implementation(const HttpLimits &limits, Handler handler,
                 std::function<std::string(int)> unreadable)
      : limits(limits), handler(std::move(handler)), server(limits) {
    // The usual ones let a second server take every other connection.
    server.set_socket_options([](socket_t socket) {
      int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_payload_max_length(limits.body);
    server.set_keep_alive_timeout(limits.idle.count()); // what clients are told
    server.set_read_timeout(limits.silence);
    server.set_write_timeout(limits.silence);
    server.set_pre_routing_handler(
        [this](const httplib::Request &request, httplib::Response &response) {
          return answerWithoutBody(request, response);
        });
    server.Post("[^]*", [this](const httplib::Request &request,
                               httplib::Response &response,
                               const httplib::ContentReader &read) {
      answerWithBody(request, response, read);
    });
    server.set_error_handler(
        [unreadable = std::move(unreadable)](const httplib::Request &,
                                             httplib::Response &response) {
          if (!response.body.empty())
            return;
          endConnection(response);
          response.set_content(unreadable(response.status), "application/json");
        });
    // Handler catches what it knows; nothing of the rest is for clients.
    server.set_exception_handler(
        [](const httplib::Request &, httplib::Response &response,
           const std::exception_ptr &) { response.status = 500; });
  }

  HttpLimits limits;
  Handler handler;
  GuardedServer server;

private:
  void answer(const HttpRequest &request, httplib::Response &response) {
    HttpReply reply = handler(request);
    if (server.isCrowded())
      endConnection(response);
    send(std::move(reply), response);
  }

  /// Anything but POST. A body that came all the same is not read, so that the
  /// connection ends.
  httplib::Server::HandlerResponse
  answerWithoutBody(const httplib::Request &request,
                    httplib::Response &response) {
    if (request.method == "POST")
      return httplib::Server::HandlerResponse::Unhandled;
    if (request.has_header("Transfer-Encoding") ||
        request.get_header_value_u64("Content-Length") > 0)
      endConnection(response);
    answer(requestOf(request), response);
    return httplib::Server::HandlerResponse::Handled;
  }

  bool readBody(const httplib::ContentReader &read, HttpRequest &given) const {
    return read([&](const char *data, size_t size) {
      given.isTooLarge |= given.body.size() + size > limits.body;
      if (given.isTooLarge)
        given.body.clear();
      else
        given.body.append(data, size);
      return true;
    });
  }

  /// Its parts have names, and together no more bytes than a body.
  bool readForm(const httplib::ContentReader &read, HttpRequest &given) const {
    size_t bytes = 0;
    return read(
        [&](const httplib::MultipartFormData &part) {
          if (given.form.size() == limits.parts)
            return false;
          given.form.push_back({part.name, part.filename, ""});
          return true;
        },
        [&](const char *data, size_t size) {
          bytes += size;
          given.isTooLarge |= bytes > limits.body;
          if (given.isTooLarge)
            given.form.back().content.clear();
          else
            given.form.back().content.append(data, size);
          return true;
        });
  }

  void answerWithBody(const httplib::Request &request,
                      httplib::Response &response,
                      const httplib::ContentReader &read) {
    HttpRequest given = requestOf(request);
    // Also where nobody said before how long it is. All of it is read, so that
    // its sender comes to read the answer; GuardedStream says how long.
    bool isAllThere = request.is_multipart_form_data() ? readForm(read, given)
                                                       : readBody(read, given);
    given.isTooLarge |= response.status == 413;
    if (!isAllThere && !given.isTooLarge) {
      response.status = 400;
      return;
    }
    if (given.isTooLarge)
      endConnection(response);
    answer(given, response);
  }
};

HttpServer::HttpServer(const HttpLimits &limits, Handler handler,
                       std::function<std::string(int)> unreadable)
    : implementation(std::make_unique<Implementation>(
          limits, std::move(handler), std::move(unreadable))) {}

HttpServer::~HttpServer() = default;

int HttpServer::bind(const std::string &host, int port) {
  httplib::Server &server = implementation->server;
  // The C library looks names up with modules that it loads, of exactly its
  // own version: that on another machine may end a program that contains it.
  const bool takesNames = !isStaticProgram();
  const int flags = takesNames ? 0 : AI_NUMERICHOST;
  errno = 0;
  if (port == 0)
    port = server.bind_to_any_port(host, flags);
  else if (!server.bind_to_port(host, port, flags))
    port = -1;
  if (port < 0)
    fail("cannot listen on {}: {}; --host and --port say where", host,
         errno        ? std::strerror(errno)
         : takesNames ? "there is no such address"
                      : "a static program takes addresses and no names, such "
                        "as 127.0.0.1");
  return port;
}

void HttpServer::run() { implementation->server.listen_after_bind(); }

void HttpServer::stop() { implementation->server.stopAll(); }

} // namespace transfold::runtime::serve

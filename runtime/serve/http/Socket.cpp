// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thin wrappers of system calls. Sockets never block: each function says
// whether it would have to.

#include "runtime/serve/http/Socket.h"

#include "base/Error.h"
#include "runtime/program/StaticProgram.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace transfold::runtime::serve {

namespace {

/// Number of connections that may wait to be accepted. A client that finds the
/// queue full retries after one second, then after two, then after four.
constexpr int backlog = 1024;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// The addresses of a host; null if there is none.
Addresses addressesOf(const std::string &host, int port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  // The C library resolves names with modules that it loads dynamically, of
  // exactly its own version: on another machine that may crash a statically
  // linked program.
  hints.ai_flags = AI_NUMERICSERV | (isStaticProgram() ? AI_NUMERICHOST : 0);
  addrinfo *found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    found = nullptr;
  return {found, &::freeaddrinfo};
}

/// Switches an option on. A failure is not reported: the server works without
/// it.
void setOption(int socket, int level, int name) {
  int value = 1;
  ::setsockopt(socket, level, name, &value, sizeof value);
}

/// A listening socket; closed if that fails, with the reason in errno.
Descriptor tryToListen(const addrinfo &address) {
  Descriptor socket(::socket(address.ai_family,
                             SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.isOpen())
    return socket;
  // Not SO_REUSEPORT, which would let a second server take some of the
  // connections.
  setOption(socket.get(), SOL_SOCKET, SO_REUSEADDR);
  if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) ||
      ::listen(socket.get(), backlog))
    return Descriptor();
  return socket;
}

/// The port on which a socket listens.
int portOf(const Descriptor &socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 &>(address).sin6_port
                   : reinterpret_cast<sockaddr_in &>(address).sin_port);
}

/// The client's address as text, and its owner.
Peer peerOf(const sockaddr_storage &address) {
  const bool isNew = address.ss_family == AF_INET6;
  const auto &newer = reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr;
  const auto &older = reinterpret_cast<const sockaddr_in &>(address).sin_addr;
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(address.ss_family,
              isNew ? static_cast<const void *>(&newer) : &older, text.data(),
              text.size());
  Peer peer{text.data(), text.data()};
  // The owner of one IPv6 address usually has 2^64 of them.
  if (isNew && !IN6_IS_ADDR_V4MAPPED(&newer))
    peer.owner.assign(reinterpret_cast<const char *>(newer.s6_addr), 8);
  return peer;
}

/// The result of a call that returns a number of bytes, as receive() returns
/// it.
std::optional<size_t> counted(ssize_t count) {
  if (count >= 0)
    return static_cast<size_t>(count);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    return 0;
  return std::nullopt;
}

} // namespace

Descriptor::~Descriptor() {
  if (isOpen())
    ::close(number);
}

Descriptor listenOn(const std::string &host, int &port) {
  errno = 0;
  Addresses addresses = addressesOf(host, port);
  for (const addrinfo *each = addresses.get(); each; each = each->ai_next)
    if (Descriptor socket = tryToListen(*each); socket.isOpen()) {
      port = portOf(socket);
      return socket;
    }
  fail("cannot listen on {}: {}; choose another place with --host and --port",
       host,
       addresses ? std::strerror(errno)
       : isStaticProgram()
           ? "a static program takes addresses such as 127.0.0.1, but no names"
           : "there is no such address");
}

std::optional<Accepted> acceptFrom(const Descriptor &listener,
                                   bool &hasNoRoom) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  hasNoRoom = false;
  while (true) {
    Descriptor socket(::accept4(listener.get(),
                                reinterpret_cast<sockaddr *>(&address), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.isOpen()) {
      setOption(socket.get(), IPPROTO_TCP, TCP_NODELAY);
      return Accepted{std::move(socket), peerOf(address)};
    }
    hasNoRoom = errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                errno == ENOMEM;
    if (errno != EINTR && errno != ECONNABORTED)
      return std::nullopt;
  }
}

std::optional<size_t> receive(const Descriptor &socket, std::span<char> to) {
  ssize_t count = ::recv(socket.get(), to.data(), to.size(), MSG_DONTWAIT);
  if (count == 0)
    return std::nullopt;
  return counted(count);
}

std::optional<size_t> sendBytes(const Descriptor &socket,
                                std::string_view first,
                                std::string_view second) {
  std::array<iovec, 2> parts = {
      iovec{const_cast<char *>(first.data()), first.size()},
      iovec{const_cast<char *>(second.data()), second.size()}};
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return counted(
      ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool isDisconnected(int socket) {
  char byte = 0;
  ssize_t count = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || !counted(count);
}

} // namespace transfold::runtime::serve

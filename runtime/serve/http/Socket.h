// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCP sockets. None of these functions blocks, except for name lookup.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace transfold::runtime::serve {

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  ~Descriptor();
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }

  int get() const { return number; }
  bool isOpen() const { return number >= 0; }

private:
  int number;
};

/// A listening socket. Throws Error. `port` may be 0 for any free port; it is
/// set to the actual port.
Descriptor listenOn(const std::string &host, int &port);

/// The other end of a connection.
struct Peer {
  std::string address; // "127.0.0.1"
  /// Identifies the client's owner: an IPv4 address, or the upper half of an
  /// IPv6 address.
  std::string owner;
};
/// A new connection.
struct Accepted {
  Descriptor socket;
  Peer peer;
};
/// Accepts the next connection; nullopt if there is none yet. `hasNoRoom` is
/// set if there is one, but no descriptor or memory for it.
std::optional<Accepted> acceptFrom(const Descriptor &listener, bool &hasNoRoom);

/// Receives bytes; returns their number, 0 if it would block, nullopt if the
/// connection is over.
std::optional<size_t> receive(const Descriptor &socket, std::span<char> to);
/// Sends `first`, then `second`; returns the number of bytes sent, 0 if it
/// would block, nullopt if the connection is over.
std::optional<size_t> sendBytes(const Descriptor &socket,
                                std::string_view first,
                                std::string_view second = {});
/// Whether the client has closed its side.
bool isDisconnected(int socket);

} // namespace transfold::runtime::serve

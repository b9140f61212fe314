// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sockets of TCP. None of these waits.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_SOCKET_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_SOCKET_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace transfold::runtime::serve {

/// A descriptor that is closed with it.
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

/// A socket on which connections come. Throws Error. `port` is 0 for any that
/// is free, and becomes the one that it is.
Descriptor listenOn(const std::string &host, int &port);

/// Who asks.
struct Peer {
  std::string address; // "127.0.0.1"
  /// What one owner has: an address of IPv4, or half of one of IPv6.
  std::string owner;
};
struct Accepted {
  Descriptor socket;
  Peer peer;
};
/// The next connection; nothing where there is none yet. `hasNoRoom`: there is
/// one, and no descriptor for it.
std::optional<Accepted> acceptFrom(const Descriptor &listener, bool &hasNoRoom);

/// Bytes that were received or sent; 0 where it would have to wait for them,
/// nothing where the connection is over.
std::optional<size_t> receive(const Descriptor &socket, std::span<char> to);
std::optional<size_t> sendBytes(const Descriptor &socket,
                                std::string_view first,
                                std::string_view second = {});
/// Whether the client has closed its side.
bool isGone(int socket);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_SOCKET_H

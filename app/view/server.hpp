// The web server of a live view: its page at /, its websocket at /ws. For this machine only.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace lilyan::view {

class Session;

inline constexpr unsigned short kDefaultPort = 8817;

struct ServerOptions {
  unsigned short port = kDefaultPort;  // 0: any that is free
  bool insist = false;                 // fail rather than take the next free port
  std::string_view page;               // HTML; to outlive the server
  std::size_t most_clients = 8;
  std::size_t most_backlog = 64U << 20U;  // bytes of text that may wait for a client
};

class Server {
 public:
  // The session must outlive this. Throws Error when the port cannot be had.
  Server(Session& session, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] unsigned short port() const;

 private:
  class Network;
  std::unique_ptr<Network> network_;
};

// The page of the live view, one file of HTML; embedded when the program is built.
[[nodiscard]] std::string_view page();

}  // namespace lilyan::view

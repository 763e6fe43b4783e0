// The only file that knows Boost.Beast. One thread does all the talking; the session's threads
// only leave messages.
#include "app/view/server.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/view/encode.hpp"
#include "app/view/outbox.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;
using ErrorCode = beast::error_code;

constexpr std::size_t kLongestMessage = 64U << 10U;  // that is looked at
constexpr std::size_t kReadMost = 1U << 20U;         // more ends the connection
constexpr std::uint32_t kLongestHeader = 16U << 10U;
constexpr std::size_t kMostConnections = 64;
constexpr auto kRequestTimeout = std::chrono::seconds(20);
constexpr auto kIdleTimeout = std::chrono::seconds(60);  // pings are sent at half of it
// What the system may hold back for a slow client: what waits there is no longer the latest.
constexpr int kSendBuffer = 256 << 10;
constexpr int kPortsToTry = 100;

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

// Pages of other sites reach this server through the user's browser: those that found out its
// address say so in Origin, those whose own name was made to mean this machine in Host.
bool from_here(const Request& request, unsigned short port) {
  const auto mine = [port](beast::string_view where) {
    for (const char* host : {"127.0.0.1", "localhost"}) {
      if (where == fmt::format("{}:{}", host, port)) return true;
      if (port == 80 && where == host) return true;
    }
    return false;
  };
  if (request.count(http::field::host) != 1 || !mine(request[http::field::host])) return false;
  const auto origin = request.find(http::field::origin);
  if (origin == request.end()) return true;
  const beast::string_view from = origin->value();
  constexpr std::size_t kScheme = 7;
  return request.count(http::field::origin) == 1 && from.starts_with("http://") &&
         mine(from.substr(kScheme));
}

Response answer(const Request& request, http::status status, std::string body,
                std::string_view type) {
  Response response{status, request.version()};
  response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Referrer-Policy", "no-referrer");
  response.keep_alive(false);
  response.body() = std::move(body);
  response.prepare_payload();
  return response;
}

Response refuse(const Request& request, http::status status, std::string_view why) {
  return answer(request, status, fmt::format("{}\n", why), "text/plain; charset=utf-8");
}

Response give_page(const Request& request, std::string_view page, unsigned short port) {
  Response response =
      answer(request, http::status::ok, std::string(page), "text/html; charset=utf-8");
  // The page is one file and talks to this server only.
  response.set(
      "Content-Security-Policy",
      fmt::format("default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; "
                  "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
                  "connect-src 'self' ws://127.0.0.1:{0} ws://localhost:{0}; "
                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                  port));
  return response;
}

}  // namespace

class Server::Network {
 public:
  Network(Session& session, const ServerOptions& options);
  ~Network() {
    context_.stop();
    thread_.join();
    session_.leave_all();  // nobody is to be called while the connections end
  }
  [[nodiscard]] unsigned short port() const { return port_; }

 private:
  class Connection;
  class WebClient;

  void listen(unsigned short port);
  void accept();

  Session& session_;
  ServerOptions options_;
  unsigned short port_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::size_t> clients_ = 0;
  net::io_context context_{1};  // its end is that of all connections, which count themselves above
  Tcp::acceptor acceptor_{context_};
  net::steady_timer pause_{context_};
  std::thread thread_;
};

// ---------------------------------------------------------------------------- a websocket

class Server::Network::WebClient final : public Client,
                                         public std::enable_shared_from_this<WebClient> {
 public:
  WebClient(Network& network, Tcp::socket socket)
      : network_(network), stream_(std::move(socket)), outbox_(network.options_.most_backlog) {
    ++network_.clients_;
  }
  ~WebClient() override {
    network_.session_.leave(*this);
    --network_.clients_;
  }
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;

  void start(const Request& request) {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = kRequestTimeout;
    timeout.idle_timeout = kIdleTimeout;
    timeout.keep_alive_pings = true;
    stream_.set_option(timeout);
    stream_.read_message_max(kReadMost);
    stream_.auto_fragment(false);
    stream_.async_accept(request, [self = shared_from_this()](ErrorCode error) {
      if (!error) self->read();
    });
  }

  // From any thread.
  void text(const Message& message, bool begins) override {
    const std::lock_guard lock(mutex_);
    outbox_.text(message, begins);
    call();
  }
  void kept(const Message& message, bool binary) override {
    const std::lock_guard lock(mutex_);
    outbox_.kept(message, binary);
    call();
  }
  void picture(std::size_t slot, const Message& message) override {
    const std::lock_guard lock(mutex_);
    outbox_.picture(slot, message);
    call();
  }

 private:
  // Has the network's thread look into the outbox.
  void call() {
    if (std::exchange(called_, true)) return;
    net::post(network_.context_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->called();
    });
  }
  void called() {
    bool overflowed = false;
    {
      const std::lock_guard lock(mutex_);
      called_ = false;
      overflowed = outbox_.overflowed();
    }
    if (overflowed) {
      give_up();
    } else {
      write();
    }
  }

  // Ends it at once: who does not read will not read a farewell.
  void give_up() {
    network_.session_.leave(*this);
    ErrorCode ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
  }

  void write() {
    if (writing_) return;
    std::optional<Outgoing> next;
    {
      const std::lock_guard lock(mutex_);
      next = outbox_.next();
    }
    if (!next) return;
    writing_ = true;
    stream_.binary(next->binary);
    const auto buffer = net::buffer(*next->message);
    stream_.async_write(
        buffer, [self = shared_from_this(), keep = next->message](ErrorCode error, std::size_t) {
          self->writing_ = false;
          if (!error) self->write();
        });
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) {
        self->network_.session_.leave(*self);
        return;
      }
      self->take();
      self->read();
    });
  }

  void take() {
    const std::size_t size = buffer_.size();
    if (!stream_.got_text()) {
      text(error_message("messages must be text"), false);
    } else if (size > kLongestMessage) {
      text(error_message(fmt::format("the message is longer than {} bytes", kLongestMessage)),
           false);
    } else {
      network_.session_.receive(*this, beast::buffers_to_string(buffer_.data()));
    }
    buffer_.consume(size);
  }

  Network& network_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  bool writing_ = false;
  std::mutex mutex_;  // of the following
  Outbox outbox_;
  bool called_ = false;
};

// ---------------------------------------------------------------------------- a request

class Server::Network::Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Network& network, Tcp::socket socket) : network_(network), stream_(std::move(socket)) {
    ++network_.connections_;
    parser_.header_limit(kLongestHeader);
    parser_.body_limit(0);
  }
  ~Connection() { --network_.connections_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    stream_.expires_after(kRequestTimeout);
    http::async_read(
        stream_, buffer_, parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
          if (!error) {
            self->handle();
          } else if (error.category() == make_error_code(http::error::bad_target).category()) {
            self->send(refuse(self->parser_.get(), http::status::bad_request,
                              "this is not a request for this server"));
          }
        });
  }

 private:
  void handle() {
    const Request& request = parser_.get();
    if (!from_here(request, network_.port_)) {
      send(refuse(request, http::status::forbidden,
                  "this server answers to its own page on this machine only (through ssh -L: "
                  "to the same port on both sides)"));
    } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
      Response response =
          refuse(request, http::status::method_not_allowed, "only GET and HEAD are known here");
      response.set(http::field::allow, "GET, HEAD");
      send(std::move(response));
    } else if (request.target() == "/ws" && websocket::is_upgrade(request)) {
      upgrade();
    } else if (request.target() == "/") {
      send(give_page(request, network_.options_.page, network_.port_));
    } else {
      send(refuse(request, http::status::not_found, "there is nothing here; the page is at /"));
    }
  }

  void upgrade() {
    if (network_.clients_ >= network_.options_.most_clients) {
      send(refuse(parser_.get(), http::status::service_unavailable, "too many pages are open"));
      return;
    }
    stream_.expires_never();
    std::make_shared<WebClient>(network_, stream_.release_socket())->start(parser_.get());
  }

  void send(Response response) {
    const bool head = parser_.get().method() == http::verb::head;
    const auto kept = std::make_shared<Response>(std::move(response));
    const auto sent = [self = shared_from_this(), kept](ErrorCode, std::size_t) {
      ErrorCode ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    };
    stream_.expires_after(kRequestTimeout);
    if (head) {
      headers_ = std::make_unique<http::response_serializer<http::string_body>>(*kept);
      http::async_write_header(stream_, *headers_, sent);
    } else {
      http::async_write(stream_, *kept, sent);
    }
  }

  Network& network_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kLongestHeader + 4096};
  http::request_parser<http::empty_body> parser_;
  std::unique_ptr<http::response_serializer<http::string_body>> headers_;
};

// ---------------------------------------------------------------------------- the port

Server::Network::Network(Session& session, const ServerOptions& options)
    : session_(session), options_(options) {
  const int last = options.insist || options.port == 0
                       ? options.port
                       : std::min(65535, options.port + kPortsToTry);
  for (int port = options.port;; ++port) {
    try {
      listen(static_cast<unsigned short>(port));
      break;
    } catch (const boost::system::system_error& error) {
      if (port < last && error.code() == net::error::address_in_use) continue;
      throw Error(fmt::format("cannot serve on port {}: {}", port, error.code().message()));
    }
  }
  accept();
  thread_ = std::thread([this] { context_.run(); });
}

void Server::Network::listen(unsigned short port) {
  const Tcp::endpoint here(net::ip::address_v4::loopback(), port);
  Tcp::acceptor acceptor(context_);
  acceptor.open(here.protocol());
  // Or a port could not be used again right after a server of ours has gone.
  acceptor.set_option(net::socket_base::reuse_address(true));
  acceptor.bind(here);
  acceptor.listen();
  port_ = acceptor.local_endpoint().port();
  acceptor_ = std::move(acceptor);
}

void Server::Network::accept() {
  acceptor_.async_accept([this](ErrorCode error, Tcp::socket socket) {
    if (error) {  // no descriptors left, say: others may be closed soon
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](ErrorCode) { accept(); });
      return;
    }
    if (connections_ < kMostConnections) {
      ErrorCode ignored;
      socket.set_option(Tcp::no_delay(true), ignored);
      socket.set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
      std::make_shared<Connection>(*this, std::move(socket))->start();
    }
    accept();
  });
}

Server::Server(Session& session, const ServerOptions& options)
    : network_(std::make_unique<Network>(session, options)) {}
Server::~Server() = default;
unsigned short Server::port() const { return network_->port(); }

}  // namespace lilyan::view

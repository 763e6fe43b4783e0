// The only file that knows Boost.Beast. One thread does all the talking; the session's threads
// only leave messages.
//
// Beast's templates are slow to compile. So HTTP is written here (Beast only parses requests), the
// websocket lies on a plain socket, and its handshake is not asynchronous.
#include "app/view/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/view/messages.hpp"
#include "app/view/outbox.hpp"
#include "app/view/session.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::view {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;
using ErrorCode = beast::error_code;
using Request = http::request<http::empty_body>;

constexpr std::size_t kLongestMessage = 64U << 10U;  // that is looked at
constexpr std::size_t kReadMost = 1U << 20U;         // more ends the connection
constexpr std::uint32_t kLongestHeader = 16U << 10U;
constexpr std::size_t kReadAtOnce = 4096;
constexpr std::size_t kMostConnections = 64;
constexpr auto kRequestTimeout = std::chrono::seconds(20);
constexpr auto kIdleTimeout = std::chrono::seconds(60);  // pings are sent at half of it
// The system holds back at most this much for a slow client: frames that wait there grow old.
constexpr int kSendBuffer = 256 << 10;
constexpr int kPortsToTry = 100;

// Pages of other sites reach this server through the user's browser. A site that found out the
// address says so in Origin; one whose own name was made to mean this machine says so in Host.
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

// The bytes of a response. Beast could write it too, but its templates for that take seconds to
// compile.
struct Response {
  std::string_view status;  // "404 Not Found"
  std::string_view type;
  std::string_view body;
  std::string more = {};  // further lines of the header
};

std::string bytes_of(const Response& response, const Request& request) {
  std::string bytes = fmt::format(
      "HTTP/{}.{} {}\r\n"
      "Content-Type: {}\r\n"
      "Cache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "{}Content-Length: {}\r\n{}\r\n",
      request.version() / 10, request.version() % 10, response.status, response.type,
      request.version() < 11 ? "" : "Connection: close\r\n", response.body.size(), response.more);
  if (request.method() != http::verb::head) bytes += response.body;
  return bytes;
}

Response refusal(std::string_view status, std::string_view why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = why};
}

Response page_response(std::string_view page, unsigned short port) {
  // The page is one file and talks to this server only.
  return {
      .status = "200 OK",
      .type = "text/html; charset=utf-8",
      .body = page,
      .more = fmt::format("Content-Security-Policy: "
                          "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; "
                          "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
                          "connect-src 'self' ws://127.0.0.1:{0} ws://localhost:{0}; "
                          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
                          port)};
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
    // The answer is short and the socket new, so that this does not wait.
    ErrorCode error;
    stream_.accept(request, error);
    if (!error) read();
  }

  // These are called from any thread.
  void text(const Message& message, bool begins) override {
    const std::lock_guard lock(mutex_);
    outbox_.text(message, begins);
    call();
  }
  void history(const Message& message, bool binary) override {
    const std::lock_guard lock(mutex_);
    outbox_.history(message, binary);
    call();
  }
  void picture(std::size_t slot, const Message& message) override {
    const std::lock_guard lock(mutex_);
    outbox_.picture(slot, message);
    call();
  }

 private:
  // Makes the network's thread look into the outbox.
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

  // Ends the connection at once: a client that does not read would not read a farewell either.
  void give_up() {
    network_.session_.leave(*this);
    ErrorCode ignored;
    stream_.next_layer().close(ignored);
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
  websocket::stream<Tcp::socket, false> stream_;  // without compression
  beast::flat_buffer buffer_;
  bool writing_ = false;
  std::mutex mutex_;  // of the following
  Outbox outbox_;
  bool called_ = false;
};

// ---------------------------------------------------------------------------- a request

class Server::Network::Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Network& network, Tcp::socket socket)
      : network_(network), socket_(std::move(socket)), timer_(network.context_) {
    ++network_.connections_;
    parser_.eager(true);
    parser_.header_limit(kLongestHeader);
    parser_.body_limit(0);
  }
  ~Connection() { --network_.connections_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    limit_time();
    read();
  }

 private:
  // Closes the socket unless this is called again, or the connection ends, within the time.
  void limit_time() {
    timer_.expires_after(kRequestTimeout);
    timer_.async_wait([weak = weak_from_this()](ErrorCode error) {
      const auto self = weak.lock();
      if (error || !self) return;
      ErrorCode ignored;
      self->socket_.close(ignored);
    });
  }

  void read() {
    if (buffer_.size() + kReadAtOnce > buffer_.max_size()) return refuse_request();
    socket_.async_read_some(buffer_.prepare(kReadAtOnce),
                            [self = shared_from_this()](ErrorCode error, std::size_t size) {
                              self->buffer_.commit(size);
                              if (!error) {
                                self->parse();
                              } else if (error == net::error::eof) {
                                self->refuse_request();
                              }
                            });
  }

  void parse() {
    ErrorCode error;
    buffer_.consume(parser_.put(buffer_.data(), error));
    if (!error && parser_.is_done()) {
      handle();
    } else if (!error || error == http::error::need_more) {
      read();
    } else {
      refuse_request();
    }
  }

  void refuse_request() {
    send(refusal("400 Bad Request", "this is not a request for this server\n"));
  }

  void handle() {
    const Request& request = parser_.get();
    if (!from_here(request, network_.port_)) {
      send(refusal("403 Forbidden",
                   "this server answers to its own page on this machine only (through ssh -L: "
                   "to the same port on both sides)\n"));
    } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
      Response response = refusal("405 Method Not Allowed", "only GET and HEAD are known here\n");
      response.more = "Allow: GET, HEAD\r\n";
      send(response);
    } else if (request.target() == "/ws" && websocket::is_upgrade(request)) {
      upgrade();
    } else if (request.target() == "/") {
      send(page_response(network_.options_.page, network_.port_));
    } else {
      send(refusal("404 Not Found", "there is nothing here; the page is at /\n"));
    }
  }

  void upgrade() {
    if (network_.clients_ >= network_.options_.most_clients) {
      send(refusal("503 Service Unavailable", "too many pages are open\n"));
      return;
    }
    timer_.cancel();
    std::make_shared<WebClient>(network_, std::move(socket_))->start(parser_.get());
  }

  void send(const Response& response) {
    limit_time();
    answer_ = bytes_of(response, parser_.get());
    net::async_write(socket_, net::buffer(answer_),
                     [self = shared_from_this()](ErrorCode, std::size_t) {
                       ErrorCode ignored;
                       self->socket_.shutdown(Tcp::socket::shutdown_send, ignored);
                     });
  }

  Network& network_;
  Tcp::socket socket_;
  net::steady_timer timer_;
  beast::flat_buffer buffer_{kLongestHeader + kReadAtOnce};
  http::request_parser<http::empty_body> parser_;
  std::string answer_;
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
  // Otherwise a port could not be used again right after a server of ours has gone.
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

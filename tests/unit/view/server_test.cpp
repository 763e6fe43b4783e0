// The live view through its sockets, with a client of its own.
#include "app/view/server.hpp"

#include <fmt/format.h>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <random>

#include "app/view/simulation.hpp"
#include "lilyan/base/error.hpp"
#include "support/view.hpp"

namespace lilyan::test::server_test {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;

constexpr const char* kHello = R"({"type":"hello","protocol":1})";
constexpr const char* kPage = "<!doctype html><p>the page";

Tcp::endpoint at(unsigned short port) { return {net::ip::address_v4::loopback(), port}; }

struct Answer {
  unsigned status;
  std::string body;
};

Answer ask(unsigned short port, http::verb verb, const std::string& target, const std::string& host,
           const std::string& origin = "") {
  net::io_context context;
  beast::tcp_stream stream(context);
  stream.expires_after(std::chrono::seconds(10));
  stream.connect(at(port));
  http::request<http::empty_body> request{verb, target, 11};
  request.set(http::field::host, host);
  if (!origin.empty()) request.set(http::field::origin, origin);
  http::write(stream, request);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.skip(verb == http::verb::head);
  http::read(stream, buffer, parser);
  return {parser.get().result_int(), parser.get().body()};
}

// A page that reads what it is sent when asked to.
class Page {
 public:
  explicit Page(unsigned short port, const std::string& origin = "") : stream_(context_) {
    beast::get_lowest_layer(stream_).connect(at(port));
    beast::get_lowest_layer(stream_).socket().set_option(
        net::socket_base::receive_buffer_size(16 << 10));
    const std::string host = fmt::format("127.0.0.1:{}", port);
    if (!origin.empty()) {
      stream_.set_option(websocket::stream_base::decorator(
          [origin](websocket::request_type& r) { r.set(http::field::origin, origin); }));
    }
    stream_.handshake(host, "/ws");
  }
  void say(const std::string& text, bool binary = false) {
    stream_.binary(binary);
    stream_.write(net::buffer(text));
  }
  // The next message; texts are parsed, pictures remembered.
  json next() {
    beast::flat_buffer buffer;
    beast::get_lowest_layer(stream_).expires_after(std::chrono::seconds(20));
    stream_.read(buffer);
    const std::string bytes = beast::buffers_to_string(buffer.data());
    if (stream_.got_text()) return json::parse(bytes);
    pictures.push_back(bytes);
    return {{"type", fmt::format("binary {}", word(bytes, 1))}, {"frame", word(bytes, 4)}};
  }
  // Reads up to the first message of a type.
  json await(const std::string& type, const std::function<bool(const json&)>& where = {}) {
    while (true) {
      json message = next();
      if (message["type"] == "rows") {
        for (const json& row : message["rows"]) rows.push_back(row);
      }
      if (message["type"] == type && (!where || where(message))) return message;
    }
  }

  std::vector<std::string> pictures;
  std::vector<json> rows;

 private:
  net::io_context context_;
  websocket::stream<beast::tcp_stream> stream_;
};

class Served : public testing::Test {
 protected:
  void SetUp() override { session.open({{"bar", {}}}); }
  [[nodiscard]] std::string here() const { return fmt::format("127.0.0.1:{}", server.port()); }
  void expect_alive() {
    Page page(server.port());
    page.say(kHello);
    EXPECT_EQ(page.await("setup")["protocol"], 1);
  }

  TempFolder folder;
  std::filesystem::path bar = folder.write("bar.toml", kBar);
  view::Session session{options_for(folder, {"bar"})};
  view::Server server{session, {.port = 0, .page = kPage, .most_backlog = 1U << 20U}};
};

TEST_F(Served, GivesThePageAndNothingElse) {
  EXPECT_EQ(ask(server.port(), http::verb::get, "/", here()).body, kPage);
  EXPECT_EQ(ask(server.port(), http::verb::head, "/", here()).status, 200U);
  EXPECT_EQ(ask(server.port(), http::verb::head, "/", here()).body, "");
  EXPECT_EQ(ask(server.port(), http::verb::get, "/../etc/passwd", here()).status, 404U);
  EXPECT_EQ(ask(server.port(), http::verb::get, "/ws", here()).status, 404U);
  EXPECT_EQ(ask(server.port(), http::verb::post, "/", here()).status, 405U);
}

TEST_F(Served, AnswersOnlyItsOwnPage) {
  const std::string port = std::to_string(server.port());
  const auto status = [&](const std::string& host, const std::string& origin) {
    return ask(server.port(), http::verb::get, "/", host, origin).status;
  };
  EXPECT_EQ(status("localhost:" + port, ""), 200U);
  EXPECT_EQ(status("localhost:" + port, "http://localhost:" + port), 200U);
  EXPECT_EQ(status("evil.example:" + port, ""), 403U);
  EXPECT_EQ(status("127.0.0.1", ""), 403U);
  EXPECT_EQ(status("127.0.0.1:1", ""), 403U);
  EXPECT_EQ(status(here(), "http://evil.example"), 403U);
  EXPECT_EQ(status(here(), "http://127.0.0.1:1"), 403U);
  EXPECT_EQ(status(here(), "https://127.0.0.1:" + port), 403U);
  EXPECT_EQ(status(here(), "null"), 403U);
  EXPECT_THROW(Page(server.port(), "http://evil.example"), boost::system::system_error);
  EXPECT_NO_THROW(Page(server.port(), "http://" + here()));
}

TEST_F(Served, HelloBringsTheScene) {
  Page page(server.port());
  page.say(kHello);
  EXPECT_EQ(page.await("setup")["scenes"], json({"bar"}));
  const json pane = page.await("pane");
  EXPECT_EQ(pane["scene"], "bar");
  page.await("binary 1");
  const std::string mesh = page.pictures.back();
  page.await("binary 2");
  const SeenFrame frame(page.pictures.back());
  EXPECT_EQ(frame.run, pane["run"].get<unsigned>());
  EXPECT_EQ(frame.frame, 0U);
  EXPECT_EQ(word(mesh, 4), frame.vertices);
  EXPECT_EQ(word(mesh, 7), 1U);  // bodies
  EXPECT_EQ(mesh.size(), 4 * (8 + 3 * word(mesh, 5) + 2 * word(mesh, 6) + 4 * word(mesh, 4)));
}

TEST_F(Served, RowsAreCompleteAndInOrder) {
  Page page(server.port());
  page.say(kHello);
  page.say(R"({"type":"speed","value":0})");
  page.say(R"({"type":"play"})");
  page.await("state", all_finished);
  const PlainRun plain(bar);
  while (page.rows.size() < plain.rows.size()) page.await("rows");
  expect_same_rows(page.rows, plain.rows);
}

TEST_F(Served, WhoNeverReadsHoldsNobodyUp) {
  Page lazy(server.port());
  lazy.say(kHello);
  Page page(server.port());
  page.say(kHello);
  // Far more than a socket holds. (Rows that wait take no room: the session has them anyway.)
  page.say(R"({"type":"change","pane":0,"settings":["integrator.steps=20000"]})");
  page.say(R"({"type":"speed","value":0})");
  page.say(R"({"type":"play"})");
  const auto far = [](const json& s) { return s["panes"][0]["frames"].get<int>() > 8000; };
  EXPECT_FALSE(page.await("state", far).is_null());
  for (std::size_t i = 1; i < page.rows.size(); ++i) {
    if (page.rows[i][0] == 0) continue;  // the run that the change began
    EXPECT_EQ(page.rows[i][0], page.rows[i - 1][0].get<int>() + 1);
  }
}

TEST_F(Served, WhoVanishesIsForgotten) {
  {
    Page page(server.port());
    page.say(kHello);
    page.await("setup");
    EXPECT_EQ(session.clients(), 1U);
  }
  for (int i = 0; i < 200 && session.clients() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(session.clients(), 0U);
  expect_alive();
}

TEST_F(Served, LimitsItsClients) {
  std::vector<std::unique_ptr<Page>> pages;
  for (int i = 0; i < 8; ++i) pages.push_back(std::make_unique<Page>(server.port()));
  EXPECT_THROW(Page(server.port()), boost::system::system_error);
}

TEST_F(Served, SurvivesGarbage) {
  Page page(server.port());
  page.say(kHello);
  page.await("setup");
  const auto expect_error = [&](const std::string& text, bool binary) {
    page.say(text, binary);
    EXPECT_FALSE(page.await("error")["message"].get<std::string>().empty());
  };
  expect_error("garbage", false);
  expect_error(std::string("\x00\x01\xff", 3), true);
  expect_error(std::string(70000, ' '), false);
  expect_error(std::string(60000, '['), false);
  page.say(R"({"type":"step"})");
  page.await("binary 2", [](const json& f) { return f["frame"] == 1; });
  // Beyond reason the connection ends, and only that.
  try {
    page.say(std::string(3U << 20U, 'x'));
    while (true) page.next();
  } catch (const boost::system::system_error&) {
  }
  expect_alive();
}

TEST_F(Served, SurvivesMutatedMessages) {
  const std::vector<std::string> seeds = {
      R"({"type":"open","panes":[{"scene":"bar","settings":["integrator.method=avf"]}]})",
      R"({"type":"change","pane":0,"settings":["integrator.step=0.01"]})",
      R"({"type":"pull","pane":0,"vertex":1,"target":[1,2,3]})",
      R"({"type":"cloud","pane":0,"center":[1,0],"radius":[1,1],"count":20})",
      R"({"type":"seek","frame":3})",
      R"({"type":"speed","value":1.5})"};
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  Page page(server.port());
  page.say(kHello);
  for (int i = 0; i < 100; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t k = below(6); k < 6; ++k) {
      switch (below(3)) {
        case 0: text[below(text.size())] = static_cast<char>(32 + below(95)); break;
        case 1: text.erase(below(text.size()), 1 + below(4)); break;
        default: text.insert(below(text.size()), std::to_string(random())); break;
      }
    }
    page.say(text);
  }
  page.say(R"({"type":"nothing of the kind"})");
  page.await("error", [](const json& e) {
    return e["message"].get<std::string>().find("nothing of the kind") != std::string::npos;
  });
  expect_alive();
}

TEST_F(Served, SurvivesBadRequests) {
  for (const std::string& bytes : {std::string("\x00\xff\x13", 3), std::string("GET\r\n\r\n"),
                                   std::string("GET / HTTP/1.1\r\n\r\n"),
                                   "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n"}) {
    net::io_context context;
    Tcp::socket socket(context);
    socket.connect(at(server.port()));
    beast::error_code error;
    net::write(socket, net::buffer(bytes), error);
    socket.shutdown(Tcp::socket::shutdown_send, error);
    std::string answer;
    net::read(socket, net::dynamic_buffer(answer), error);
    EXPECT_EQ(answer.find(" 200 "), std::string::npos);
  }
  expect_alive();
}

TEST_F(Served, TakesTheNextPortUnlessItInsists) {
  EXPECT_THROW(view::Server(session, {.port = server.port(), .insist = true}), Error);
  const view::Server next(session, {.port = server.port()});
  EXPECT_NE(next.port(), server.port());
}

TEST(Broadcast, ShowsARunThatGoesOnByItself) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write("bar.toml", kBar));
  view::Broadcast broadcast(scene, {.port = 0, .page = kPage});
  Page page(broadcast.port());
  page.say(kHello);
  page.await("pane");
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  (void)run_scene(scene, drift, [&](const RunMoment& moment) {
    broadcast.add(moment);
    return true;
  });
  page.await("state", all_finished);
  const PlainRun plain(folder.path() / "bar.toml");
  while (page.rows.size() < plain.rows.size()) page.await("rows");
  expect_same_rows(page.rows, plain.rows);
  page.say(R"({"type":"reset"})");
  page.await("error");
  page.say(R"({"type":"seek","frame":5})");
  page.await("binary 2", [](const json& f) { return f["frame"] == 5; });
}

}  // namespace
}  // namespace lilyan::test::server_test

#include "app/files/xml_scanner.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "app/files/text_scanner.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

}  // namespace

std::string_view XmlTag::attribute(std::string_view key) const {
  for (const auto& [name_of, value] : attributes) {
    if (name_of == key) return value;
  }
  return {};
}

bool XmlTag::has(std::string_view key) const {
  return std::ranges::any_of(attributes, [&](const auto& a) { return a.first == key; });
}

void XmlScanner::fail(std::uint64_t line, const std::string& complaint) const {
  constexpr std::uint64_t kLast = std::numeric_limits<int>::max();
  throw InputError({file_, static_cast<int>(std::min(line, kLast)), 0}, complaint);
}

void XmlScanner::go_to(std::size_t pos) {
  const auto skipped = bytes_.substr(pos_, pos - pos_);
  line_ += static_cast<std::uint64_t>(std::ranges::count(skipped, '\n'));
  pos_ = pos;
}

void XmlScanner::pass(std::string_view end, std::string_view what) {
  const std::size_t found = bytes_.find(end, pos_);
  if (found == std::string_view::npos) {
    fail(line_, "expected " + quoted(end) + " at the end of " + std::string(what) +
                    ", found the end of the file");
  }
  go_to(found + end.size());
}

void XmlScanner::skip_blanks() {
  std::size_t pos = pos_;
  while (pos < bytes_.size() && is_blank(bytes_[pos])) ++pos;
  go_to(pos);
}

std::string_view XmlScanner::name(std::string_view what) {
  std::size_t end = pos_;
  while (end < bytes_.size() && is_name(bytes_[end])) ++end;
  if (end == pos_) {
    fail(line_, "expected " + std::string(what) + ", found " +
                    (pos_ == bytes_.size() ? "the end of the file" : quoted(rest().substr(0, 1))));
  }
  const std::string_view found = bytes_.substr(pos_, end - pos_);
  pos_ = end;
  return found;
}

std::string XmlScanner::value() {
  if (rest().empty() || (rest().front() != '"' && rest().front() != '\'')) {
    fail(line_, "expected an attribute's value in quotes");
  }
  const char quote = rest().front();
  const std::size_t end = bytes_.find(quote, pos_ + 1);
  if (end == std::string_view::npos) fail(line_, "an attribute's value has no closing quote");
  std::string_view raw = bytes_.substr(pos_ + 1, end - pos_ - 1);
  if (raw.find('<') != std::string_view::npos) {
    fail(line_, "found '<' inside an attribute's value: is a quote missing?");
  }
  go_to(end + 1);
  using Entity = std::pair<std::string_view, char>;
  static constexpr std::array<Entity, 5> kEntities = {
      Entity{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!raw.empty()) {
    const auto entity =
        std::ranges::find_if(kEntities, [&](const Entity& e) { return raw.starts_with(e.first); });
    if (entity != kEntities.end()) {
      out += entity->second;
      raw.remove_prefix(entity->first.size());
    } else {
      out += raw.front();
      raw.remove_prefix(1);
    }
  }
  return out;
}

std::optional<XmlTag> XmlScanner::next() {
  while (true) {
    const std::size_t open = bytes_.find('<', pos_);
    go_to(std::min(open, bytes_.size()));
    if (open == std::string_view::npos) return {};
    if (rest().starts_with("<?")) {
      pass("?>", "a processing instruction");
    } else if (rest().starts_with("<!--")) {
      pass("-->", "a comment");
    } else if (rest().starts_with("<!")) {
      fail(line_,
           "found " + quoted(rest().substr(0, 10)) + ": document types and the like are not read");
    } else {
      break;
    }
  }
  XmlTag tag;
  tag.line = line_;
  ++pos_;
  tag.closing = rest().starts_with('/');
  if (tag.closing) ++pos_;
  tag.name = name("the name of a tag behind '<'");
  while (true) {
    skip_blanks();
    if (rest().starts_with('>')) {
      ++pos_;
      return tag;
    }
    if (rest().starts_with("/>") && !tag.closing) {
      pos_ += 2;
      tag.self_closed = true;
      return tag;
    }
    if (tag.closing) fail(line_, "expected '>' behind '</" + std::string(tag.name) + "'");
    const std::string_view key = name("an attribute or '>' in the tag " + quoted(tag.name));
    skip_blanks();
    if (!rest().starts_with('=')) fail(line_, "expected '=' behind the attribute " + quoted(key));
    ++pos_;
    skip_blanks();
    if (tag.has(key)) fail(line_, "the attribute " + quoted(key) + " is given twice");
    tag.attributes.emplace_back(key, value());
  }
}

std::string_view XmlScanner::text() const {
  return rest().substr(0, std::min(rest().find('<'), rest().size()));
}

}  // namespace lilyan

// What the labels of axes say, as numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lilyan::test {

inline std::string all_replaced(std::string text, const std::string& what,
                                const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// "−2.5", "10⁻³", "2×10⁻⁵", "×10⁶"
inline double number(std::string text) {
  text = all_replaced(text, "−", "-");
  const std::vector<std::string> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::size_t times = text.find("×");
  double factor = 1;
  if (times != std::string::npos) {
    if (times > 0) factor = std::stod(text.substr(0, times));
    text = text.substr(times + std::string("×").size());
  }
  bool power = false;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    power = power || text.find(digits[i]) != std::string::npos;
    text = all_replaced(text, digits[i], std::to_string(i));
  }
  text = all_replaced(text, "⁻", "-");
  return factor * (power ? std::pow(10, std::stod(text.substr(2))) : std::stod(text));
}

// What a label is to be multiplied with, and what is then to be added, of "×10⁻⁹ + 1.5".
inline std::pair<double, double> note_numbers(std::string text) {
  text = all_replaced(text, "− ", "+ −");
  const std::size_t at = std::min(text.find("+ "), text.size());
  const std::string factor = text.substr(0, at);
  return {factor.empty() ? 1 : number(factor), at < text.size() ? number(text.substr(at + 2)) : 0};
}

}  // namespace lilyan::test

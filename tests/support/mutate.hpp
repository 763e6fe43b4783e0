// Damage to files, the same on every machine for the same seed.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace lilyan::test {

// A generator that gives the same sequence on every machine, which the standard's distributions
// do not.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }

 private:
  std::mt19937_64 engine_;
};

inline void replace_digit(std::string& bytes, Dice& dice) {
  const std::size_t start = dice.below(bytes.size());
  const std::size_t at = bytes.find_first_of("0123456789", start);
  if (at != std::string::npos) bytes[at] = "0123456789-.e"[dice.below(13)];
}

// A word between blanks (or between quotes, of XML) becomes one that reads as a large, negative or
// odd number, or as a keyword in the wrong place.
inline void replace_word(std::string& bytes, Dice& dice) {
  static const std::vector<std::string> kWords = {
      "-1",
      "0",
      "nan",
      "inf",
      "1e999",
      "18446744073709551615",
      "18446744073709551616",
      "6148914691236517206",
      "1000000000000000",
      "4294967296",
      "2147483647",
      "-9223372036854775808",
      "$EndNodes",
      "$Nodes",
      "End",
      "Vertices",
      "#",
      "\"",
      "\n",
      "",
      "10",
      "4711",
      "f",
      "1/2/3",
      "\\",
      "endsolid",
      "end_header",
      "list",
      "uchar",
      "double",
      "Float32",
      "Int8",
      "UInt64",
      "appended",
      "binary",
      "ascii",
      "vtkZLibDataCompressor",
      "BigEndian",
      "<Piece NumberOfPoints=\"1\" NumberOfCells=\"9\">",
      "<DataArray>",
      "</Piece>",
      "<!--",
      "====",
      std::string(300, '9'),
      std::string(2000, '<')};
  const bool quotes = dice.below(2) == 0;
  const std::string ends = quotes ? "\"" : " \n";
  const std::size_t start = dice.below(bytes.size());
  const std::size_t from = bytes.find_first_of(ends, start);
  if (from == std::string::npos) return;
  const std::size_t to = std::min(bytes.find_first_of(ends, from + 1), bytes.size());
  bytes.replace(from + 1, to - from - 1, kWords[dice.below(kWords.size())]);
}

// Eight bytes that read as a large, negative or odd number of a binary file.
inline void replace_binary(std::string& bytes, Dice& dice) {
  static const std::vector<std::string> kNumbers = {std::string(8, '\xff'),
                                                    std::string(4, '\xff'),
                                                    std::string(8, '\0'),
                                                    std::string("\0\0\0\0\0\x80\x03\0", 8),
                                                    std::string("\xff\xff\xff\x7f", 4),
                                                    std::string("\0\0\0\0\0\0\xf0\x7f", 8),
                                                    std::string("\0\0\xc0\x7f", 4),
                                                    std::string("\0\0\0\x10\0\0\0\0", 8)};
  const std::string& number = kNumbers[dice.below(kNumbers.size())];
  const std::size_t at = dice.below(bytes.size());
  bytes.replace(at, number.size(), number);
}

inline void mutate_once(std::string& bytes, Dice& dice) {
  if (bytes.empty()) return;
  const std::size_t at = dice.below(bytes.size());
  const std::size_t length = 1 + dice.below(dice.below(2) == 0 ? 8 : 200);
  switch (dice.below(8)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice.below(8))); break;
    case 1: bytes[at] = static_cast<char>(dice.below(256)); break;
    case 2: bytes.resize(at); break;
    case 3: bytes.erase(at, length); break;
    case 4: bytes.insert(dice.below(bytes.size()), bytes.substr(at, length)); break;
    case 5: replace_digit(bytes, dice); break;
    case 6: replace_word(bytes, dice); break;
    default: replace_binary(bytes, dice);
  }
}

inline std::string mutated(std::string bytes, Dice& dice) {
  const std::size_t times = 1 + (dice.below(3) == 0 ? dice.below(6) : 0);
  for (std::size_t i = 0; i < times; ++i) mutate_once(bytes, dice);
  return bytes;
}

}  // namespace lilyan::test

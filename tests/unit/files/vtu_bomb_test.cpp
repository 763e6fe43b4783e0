// Small VTK files that unpack to gigabytes are refused at once, before memory is taken for them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "app/files/vtu.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::test::vtu_bomb_test {
namespace {

constexpr std::uint64_t kBlock = 1 << 20;  // bytes

// Zeros: zlib makes them a thousand times smaller.
std::string packed_block() {
  const std::string zeros(kBlock, '\0');
  uLongf size = compressBound(kBlock);
  std::string packed(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                      reinterpret_cast<const Bytef*>(zeros.data()), zeros.size(), 9),
            Z_OK);
  packed.resize(size);
  return packed;
}

void put(std::string& bytes, std::uint64_t number) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(number));
  bytes.append(raw, sizeof(raw));
}

// A file of so many pieces, which all refer to the same points, of so many blocks.
std::string bomb(std::uint64_t blocks, std::uint64_t points, int pieces = 1) {
  const std::string packed = packed_block();
  std::string data;
  put(data, blocks);
  put(data, kBlock);
  put(data, 0);
  for (std::uint64_t b = 0; b < blocks; ++b) put(data, packed.size());
  for (std::uint64_t b = 0; b < blocks; ++b) data += packed;
  std::string text =
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n";
  for (int i = 0; i < pieces; ++i) {
    text += "<Piece NumberOfPoints=\"" + std::to_string(points) +
            "\" NumberOfCells=\"0\">\n<Points>\n<DataArray type=\"Float64\" "
            "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>\n</Points>\n<Cells>\n"
            "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\"></DataArray>\n"
            "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\"></DataArray>\n"
            "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\"></DataArray>\n"
            "</Cells>\n</Piece>\n";
  }
  return text + "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_" + data +
         "\n</AppendedData>\n</VTKFile>\n";
}

std::string refusal(const std::string& bytes) {
  const auto begun = std::chrono::steady_clock::now();
  std::string message = "accepted";
  try {
    (void)read_vtu("bomb.vtu", bytes);
  } catch (const InputError& error) {
    message = error.what();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(seconds.count(), 5) << message;
  return message;
}

TEST(VtuBomb, GigabytesInAMegabyteAreRefused) {
  const std::string file = bomb(3 * 1024, 1024 * kBlock / 8);
  EXPECT_LT(file.size(), 4U << 20);
  const std::string message = refusal(file);
  EXPECT_NE(message.find("bomb.vtu:"), std::string::npos) << message;
  EXPECT_NE(message.find("more than a file of its size can hold"), std::string::npos) << message;
}

TEST(VtuBomb, DataThatIsReferredToManyTimesIsRefused) {
  EXPECT_EQ(refusal(bomb(3, kBlock / 8)), "accepted");
  const std::string message = refusal(bomb(24, kBlock, 40));
  EXPECT_NE(message.find("more than a file of its size can hold"), std::string::npos) << message;
}

TEST(VtuBomb, BlocksThatUnpackToMoreThanTheySayAreRefused) {
  // The header speaks of blocks of half the size.
  std::string file = bomb(6, kBlock / 8);
  const std::size_t header = file.find("\n_") + 2;
  const std::uint64_t half = kBlock / 2;
  std::memcpy(file.data() + header + sizeof(half), &half, sizeof(half));
  const std::string message = refusal(file);
  EXPECT_NE(message.find("zlib cannot unpack it"), std::string::npos) << message;
}

}  // namespace
}  // namespace lilyan::test::vtu_bomb_test

// Takes padding and MACs off, while valgrind's memcheck takes the plaintext for uninitialised: it then reports each branch and each
// address that depends on it. What is called here is what the provider has, compiled as it is.
//
//   valgrind --error-exitcode=9 secret_padding             must report nothing
//   valgrind --error-exitcode=9 secret_padding planted     branches on a byte of plaintext: must be reported
#include <openssl/prov_ssl.h>
#include <valgrind/memcheck.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "block_padding.hpp"
#include "record_end.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

void make_secret(Buffer& bytes) { VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }

// Records of these sizes, with every padding, right and wrong.
std::size_t take_ends(unsigned version, std::size_t mac_bytes) {
  std::size_t num_taken = 0;
  for (const std::size_t size : {48, 80, 320, 1024}) {
    for (unsigned padding = 0; padding < 256; padding += 3) {
      for (const bool is_right : {true, false}) {
        Buffer record(size, static_cast<std::uint8_t>(padding)), random(64, 1), mac(64);
        if (!is_right) record[size - 2] ^= 1;
        make_secret(record);
        make_secret(random);
        std::size_t data_bytes = 0;
        num_taken += take_record_end({version, record, 16, mac_bytes}, random.data(), mac.data(), data_bytes) ? 1 : 0;
      }
    }
  }
  return num_taken;
}

void look_at_paddings() {
  for (const std::size_t block_bytes : {8, 16}) {
    for (unsigned last = 0; last < 256; ++last) {
      Buffer block(block_bytes, static_cast<std::uint8_t>(last));
      make_secret(block);
      volatile std::size_t padding = padding_of(block.data(), block_bytes);
      static_cast<void>(padding);
    }
  }
}

int leak() {
  Buffer block(16, 3);
  make_secret(block);
  const volatile std::uint8_t* const byte = block.data();
  if (*byte == 3) std::puts("three");
  return 0;
}

}  // namespace
}  // namespace phalanx

int main(int argc, char** argv) {
  using namespace phalanx;
  if (argc > 1 && std::strcmp(argv[1], "planted") == 0) return leak();
  look_at_paddings();
  std::size_t num_taken = 0;
  for (const unsigned version : {SSL3_VERSION, TLS1_VERSION, TLS1_2_VERSION}) {
    for (const std::size_t mac_bytes : {20, 32, 48}) num_taken += take_ends(version, mac_bytes);
  }
  std::printf("%zu ends of records, %s\n", num_taken, RUNNING_ON_VALGRIND != 0 ? "under valgrind" : "not under valgrind");
  return RUNNING_ON_VALGRIND != 0 && num_taken > 1000 ? 0 : 1;
}

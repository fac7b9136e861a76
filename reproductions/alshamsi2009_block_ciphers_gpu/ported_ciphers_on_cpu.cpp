// Al Shamsi and Al Ali 2009, the CPU's part: AES, Serpent and Twofish by the C code that was ported to CUDA, one thread,
// ECB; beside it our engine, on one thread and on all, and the modes of the paper's future work.
//
//   ported_ciphers_on_cpu [--check] [--runs N]
#include <omp.h>

#include <algorithm>
#include <cstring>

#include "ported_cipher_data.hpp"

namespace papers {
namespace {

template <class PortedCipher>
void encrypt_all(const PortedCipher& cipher, const ByteVector& in, ByteVector& out) {
  for (std::size_t offset = 0; offset < in.size(); offset += block_bytes) {
    Word plain[4];
    Word crypted[4];
    std::memcpy(plain, &in[offset], block_bytes);
    cipher.encrypt(plain, crypted);
    std::memcpy(&out[offset], crypted, block_bytes);
  }
}

// `expected`: at least as long, by reference/.
template <class PortedCipher>
void require_right(const PortedCipher& cipher, const ByteVector& in, ByteVector& out, Bytes expected) {
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  encrypt_all(cipher, in, out);
  require_equal(std::string(PortedCipher::name) + " on the CPU", out, expected.first(out.size()));
}

// `expected`: at least as long, by reference/.
template <class PortedCipher>
void time_ours(long mebibytes, int num_runs, const ByteVector& in, ByteVector& out, Bytes expected) {
  for (const int threads : {1, 0}) {
    const phalanx::Cipher ours(std::string(PortedCipher::cipher) + "-ecb", key_128,
                               {.engine = "cpu", .num_threads = threads}, {.allow_legacy = true});
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const double seconds = median_seconds(num_runs, [&] { ours.encrypt({}, in, out); });
    require_equal("ours on the CPU", out, expected.first(out.size()));
    print_time<PortedCipher>(mebibytes, threads == 1 ? "CPU" : "CPU, all cores", "ours", seconds,
                             threads == 1 ? 1 : omp_get_max_threads());
  }
}

// Section 7: counter mode, and the decryption of CBC.
template <class PortedCipher>
void time_future_work(int num_runs, const ByteVector& in, ByteVector& out) {
  const double megabits = static_cast<double>(in.size()) * 8 / 1e6;
  const ByteVector iv(block_bytes, 7);
  for (const char* mode : future_modes) {
    const phalanx::Cipher ours(std::string(PortedCipher::cipher) + "-" + mode, key_128, {.engine = "cpu"});
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const double seconds = median_seconds(num_runs, [&] { ours.decrypt(iv, in, out); });
    require_equal(std::string("ours on the CPU, ") + mode, out, decrypted_by_reference<PortedCipher>(mode, iv, in));
    const std::string column = std::string(mode) + " decryption, CPU";
    print_figure(
        {"section_7", PortedCipher::name, column, "ours", "rate", "Mb/s", megabits / seconds, omp_get_max_threads()});
  }
}

// Table 4's AES column: CBC, a call for each 16 or 64 bytes, for one second's worth of them.
void time_small_calls(int num_runs) {
  const phalanx::Cipher ours("aes-128-cbc", key_128, {.engine = "cpu", .num_threads = 1});
  ByteVector iv(block_bytes, 7);
  for (const std::size_t num_bytes : {16, 64}) {
    ByteVector data = test_data(num_bytes);
    ByteVector once(num_bytes);
    ours.encrypt(iv, data, once);
    require_equal("ours in small calls", once,
                  phalanx::reference::crypt("aes-128-cbc", phalanx::Direction::encrypt, key_128, iv, data));
    constexpr int num_calls = 100000;
    const double seconds = median_seconds(num_runs, [&] {
      for (int i = 0; i < num_calls; ++i) ours.encrypt(iv, data, data);
    });
    print_figure({"4", "Throughput MB/s", "AES-CBC-128 bits " + std::to_string(num_bytes) + "B", "ours", "rate", "MB/s",
                  static_cast<double>(num_bytes) * num_calls / seconds / 1e6});
  }
}

// The oracle of the future work, which goes part by part, against the reference at once; the counter overflows in it. And
// ours against both.
template <class PortedCipher>
void check_future_work() {
  const ByteVector in = test_data(200000 / block_bytes * block_bytes);
  const ByteVector iv(block_bytes, 0xff);
  for (const std::string mode : future_modes) {
    const std::string name = std::string(PortedCipher::cipher) + "-" + mode;
    const ByteVector right = phalanx::reference::crypt(name, phalanx::Direction::decrypt, key_128, iv, in);
    require_equal(name + " by parts", decrypted_by_reference<PortedCipher>(mode.c_str(), iv, in), right);
    ByteVector out(in.size());
    phalanx::Cipher(name, key_128, {.engine = "cpu"}).decrypt(iv, in, out);
    require_equal(name + " by ours", out, right);
  }
}

void check() {
  for_each_cipher([&]<class PortedCipher>(const PortedCipher& cipher) {
    for (const std::size_t num_blocks : {1, 3, 1000}) {
      const ByteVector in = test_data(num_blocks * block_bytes);
      ByteVector out(in.size());
      require_right(cipher, in, out, encrypted_by_reference<PortedCipher>(in.size()));
    }
    check_future_work<PortedCipher>();
  });
}

void measure(int num_runs) {
  print_compiler();
  for_each_cipher([&]<class PortedCipher>(const PortedCipher& cipher) {
    const ByteVector expected = encrypted_by_reference<PortedCipher>(64 * mebibyte);
    for (const long mebibytes : sizes_mebibytes) {
      const ByteVector in = test_data(static_cast<std::size_t>(mebibytes) * mebibyte);
      ByteVector out(in.size());
      require_right(cipher, in, out, expected);
      print_time<PortedCipher>(mebibytes, "CPU", "baseline",
                               median_seconds(num_runs, [&] { encrypt_all(cipher, in, out); }));
      time_ours<PortedCipher>(mebibytes, num_runs, in, out, expected);
      if (mebibytes == 64) time_future_work<PortedCipher>(num_runs, in, out);
    }
  });
  time_small_calls(num_runs);
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  const papers::Arguments arguments(argc, argv);
  if (arguments.has("--check")) {
    papers::check();
  } else {
    papers::measure(static_cast<int>(arguments.number("--runs", 3)));
  }
  return 0;
}

// The engine cuda end to end, from memory of the host to memory of the host, pageable and page-locked, beside what the link
// itself moves: two copies at once in opposite directions, 64 MiB each for each GPU, from page-locked memory, the best of many.
//
//   gpu_host_benchmark [--json FILE] [BYTES [CIPHER-MODE[/MESSAGE-BYTES]...]]     1 GiB; and 4 and 64 MiB of AES-256 in CTR and GCM
//
// Random data in, and the output, poisoned before, compared byte for byte with the CPU engine's; in place too. All GPUs as
// one and, where there are several, each alone. The median of several runs, by the host's clock; payload bytes per second.
// Exits 1 if a byte differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <phalanx/phalanx.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/library/keyed_mode.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "gpu_figures.hpp"

namespace phalanx {
namespace {

constexpr int num_runs = 5, num_link_runs = 40;
constexpr std::size_t link_bytes = std::size_t{64} << 20;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_host_benchmark: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// In ascending order.
template <class Run>
std::vector<double> seconds_of(int count, Run run) {
  std::vector<double> seconds;
  for (int i = 0; i < count + 1; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (i != 0) seconds.push_back(time.count());  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}
template <class Run>
double median_seconds(Run run) {
  return seconds_of(num_runs, run)[num_runs / 2];
}

std::uint8_t* page_locked(std::size_t num_bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, num_bytes, cudaHostAllocDefault), "page-locked memory");
  return static_cast<std::uint8_t*>(memory);
}

// Bytes a second each way while both ways of so many GPUs are busy.
double measure_link(int num_devices) {
  struct Way {
    std::uint8_t* there;
    cudaStream_t streams[2];
  };
  const std::size_t num_bytes = link_bytes * static_cast<std::size_t>(num_devices);
  std::uint8_t* const in = page_locked(num_bytes);
  std::uint8_t* const out = page_locked(num_bytes);
  std::vector<Way> ways(static_cast<std::size_t>(num_devices));
  for (int i = 0; i < num_devices; ++i) {
    Way& way = ways[static_cast<std::size_t>(i)];
    check(cudaSetDevice(i), "device");
    check(cudaMalloc(reinterpret_cast<void**>(&way.there), 2 * link_bytes), "device memory");
    for (cudaStream_t& stream : way.streams) check(cudaStreamCreate(&stream), "stream");
  }
  const double seconds = seconds_of(num_link_runs, [&] {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Way& way = ways[i];
      check(cudaSetDevice(static_cast<int>(i)), "device");
      check(cudaMemcpyAsync(way.there, in + i * link_bytes, link_bytes, cudaMemcpyHostToDevice, way.streams[0]), "copy");
      check(
          cudaMemcpyAsync(out + i * link_bytes, way.there + link_bytes, link_bytes, cudaMemcpyDeviceToHost, way.streams[1]),
          "copy");
    }
    for (const Way& way : ways) {
      for (const cudaStream_t stream : way.streams) check(cudaStreamSynchronize(stream), "copy");
    }
  })[0];
  for (int i = 0; i < num_devices; ++i) {
    check(cudaSetDevice(i), "device");
    const Way& way = ways[static_cast<std::size_t>(i)];
    check(cudaFree(way.there), "device memory");
    for (const cudaStream_t stream : way.streams) check(cudaStreamDestroy(stream), "stream");
  }
  check(cudaSetDevice(0), "device");
  check(cudaFreeHost(in), "page-locked memory");
  check(cudaFreeHost(out), "page-locked memory");
  return static_cast<double>(num_bytes) / seconds;
}

struct Buffers {
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> out;
  std::uint8_t* locked_in;
  std::uint8_t* locked_out;

  explicit Buffers(std::size_t num_bytes)
      : in(num_bytes), out(num_bytes), locked_in(page_locked(num_bytes)), locked_out(page_locked(num_bytes)) {
    const Cipher random("aes-128-ctr", std::vector<std::uint8_t>(16, 0x5a), {"cpu", 0});
    random.encrypt(std::vector<std::uint8_t>(16), in, in);
    std::memcpy(locked_in, in.data(), num_bytes);
    std::memset(locked_out, 0, num_bytes);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    check(cudaFreeHost(locked_in), "page-locked memory");
    check(cudaFreeHost(locked_out), "page-locked memory");
  }
};

// All GPUs as one and, where there are several, each of them; and what its link moves.
struct Contestant {
  std::string engine;
  double link;
};

// "aes-256-gcm/16384": messages of so many bytes each, sealed in one call, as containers have them.
class Job {
 public:
  using ByteVector = std::vector<std::uint8_t>;

  explicit Job(std::string name)
      : name_(std::move(name)),
        cipher_(name_.substr(0, name_.find('/'))),
        key_(key_bytes(parse_cipher_name(cipher_))),
        decrypts_(cipher_.ends_with("-cbc") || cipher_.ends_with("-cfb")) {  // whose encryption is serial
    if (cipher_ != name_) message_bytes_ = std::stoull(name_.substr(cipher_.size() + 1));
    for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = static_cast<std::uint8_t>(37 * i + 11);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const char* direction() const { return decrypts_ ? "decrypt" : "encrypt"; }
  // Under the key, on an engine.
  using Keyed = std::variant<Cipher, Aead>;
  [[nodiscard]] Keyed cipher_on(const std::string& engine) const {
    const EngineOptions options{.engine = engine};
    const CipherPolicy policy{.allow_legacy = true};
    if (cipher_.ends_with("-gcm")) return Aead(cipher_, key_, options);
    return Cipher(cipher_, key_, options, policy);
  }
  // What crypts `in`; of GCM it sets the tags, one behind the other.
  std::function<void()> prepare(const Keyed& keyed, Bytes in, MutableBytes out, ByteVector& tags) const {
    const Aead* const aead = std::get_if<Aead>(&keyed);
    if (aead == nullptr) return [this, &cipher = std::get<Cipher>(keyed), in, out] { crypt(cipher, in, out); };
    const std::size_t size = message_bytes_ == 0 ? in.size() : message_bytes_;
    tags.assign((in.size() + size - 1) / size * 16, 0);
    std::vector<MessageToSeal> messages;
    for (std::size_t at = 0; at < in.size(); at += size) {
      const std::size_t bytes = std::min(size, in.size() - at);
      const MutableBytes tag = MutableBytes(tags).subspan(messages.size() * 16, 16);
      messages.push_back({nonce_, {}, in.subspan(at, bytes), out.subspan(at, bytes), tag, {}});
    }
    return [aead, messages = std::move(messages)] { aead->seal_batch(messages); };
  }

 private:
  void crypt(const Cipher& cipher, Bytes in, MutableBytes out) const {
    const ByteVector iv(cipher.facts().iv_bytes, 0xf7);
    if (cipher_.ends_with("-xts")) {  // a longer data unit than users may encrypt: the link is measured by one message
      KeyedMode::state_of(cipher).crypt_part(Direction::encrypt, iv, 0, in, out);
    } else {
      decrypts_ ? cipher.decrypt(iv, in, out) : cipher.encrypt(iv, in, out);
    }
  }

  std::string name_, cipher_;
  ByteVector key_;
  ByteVector nonce_ = ByteVector(12, 0xf7);  // the same for all messages: nobody keeps them
  std::size_t message_bytes_ = 0;
  bool decrypts_;
};

// What the CPU's engine makes of the job.
struct Expected {
  std::vector<std::uint8_t> out, tags;

  Expected(const Job& job, const Buffers& buffers) : out(buffers.in.size()) {
    const Job::Keyed cpu = job.cipher_on("cpu");
    job.prepare(cpu, buffers.in, out, tags)();
  }
};

bool measure(const Job& job, const Contestant& contestant, const Expected& expected, Buffers& buffers, GpuFigures& figures) {
  const std::size_t size = buffers.in.size();
  const Job::Keyed cuda = job.cipher_on(contestant.engine);
  bool right = true;
  std::vector<std::uint8_t> tags;
  const auto run = [&](const std::uint8_t* in, std::uint8_t* out, auto how) {
    how(job.prepare(cuda, {in, size}, {out, size}, tags));
    right &= std::memcmp(out, expected.out.data(), size) == 0 && tags == expected.tags;
  };
  double pageable = 0, locked = 0;
  std::memset(buffers.out.data(), 0xa5, size);
  std::memset(buffers.locked_out, 0xa5, size);
  run(buffers.in.data(), buffers.out.data(), [&](const auto& crypt) { pageable = median_seconds(crypt); });
  std::memcpy(buffers.locked_in, buffers.in.data(), size);
  run(buffers.locked_in, buffers.locked_out, [&](const auto& crypt) { locked = median_seconds(crypt); });
  run(buffers.locked_in, buffers.locked_in, [](const auto& crypt) { crypt(); });
  const double bytes = static_cast<double>(size);
  std::printf("%-18s %s %-7s pageable %6.1f GB/s, page-locked %6.1f GB/s: %4.2f of the link  %s\n", job.name().c_str(),
              job.direction(), contestant.engine.c_str(), bytes / pageable / 1e9, bytes / locked / 1e9,
              bytes / locked / contestant.link, right ? "right" : "WRONG");
  std::fflush(stdout);
  figures.add({{"cipher", job.name()},
               {"direction", job.direction()},
               {"engine", contestant.engine},
               {"bytes", size},
               {"pageable_gigabytes_per_second", bytes / pageable / 1e9},
               {"page_locked_gigabytes_per_second", bytes / locked / 1e9},
               {"link_gigabytes_per_second", contestant.link / 1e9},
               {"right", right}});
  return right;
}

std::vector<Contestant> find_contestants() {
  int num_devices = 0;
  check(cudaGetDeviceCount(&num_devices), "devices");
  std::vector<Contestant> contestants{{"cuda", measure_link(num_devices)}};
  std::printf("the link: %.1f GB/s each way at once\n", contestants[0].link / 1e9);
  if (num_devices > 1) {
    const double one = measure_link(1);
    std::printf("of one GPU: %.1f GB/s\n", one / 1e9);
    for (int i = 0; i < num_devices; ++i) contestants.push_back({"cuda:" + std::to_string(i), one});
  }
  return contestants;
}

bool measure_all(std::size_t num_bytes, const std::vector<std::string>& names, const std::vector<Contestant>& contestants,
                 GpuFigures& figures) {
  std::printf("%zu bytes\n", num_bytes);
  Buffers buffers(num_bytes);
  bool right = true;
  for (const std::string& name : names) {
    const Job job(name);
    const Expected expected(job, buffers);
    for (const Contestant& contestant : contestants) right &= measure(job, contestant, expected, buffers, figures);
  }
  return right;
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("end to end");
  figures.take_option(num_arguments, arguments);
  const std::vector<std::string> all{"des-ede3-cbc", "aes-256-ctr", "aes-256-gcm", "serpent-256-xts", "twofish-256-ctr"};
  const std::vector<Contestant> contestants = find_contestants();
  bool right = true;
  if (num_arguments > 1) {
    const std::vector<std::string> names(arguments + 2, arguments + num_arguments);
    right =
        measure_all(std::strtoull(arguments[1], nullptr, 0) / 16 * 16, names.empty() ? all : names, contestants, figures);
  } else {
    right = measure_all(std::size_t{1} << 30, all, contestants, figures);
    for (const std::size_t num_bytes : {std::size_t{64} << 20, std::size_t{4} << 20})
      right &= measure_all(num_bytes, {"aes-256-ctr", "aes-256-gcm"}, contestants, figures);
  }
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) {
  try {
    return phalanx::run(num_arguments, arguments);
  } catch (const phalanx::Error& error) {
    std::fprintf(stderr, "gpu_host_benchmark: %s\n", error.what());
    return 1;
  }
}

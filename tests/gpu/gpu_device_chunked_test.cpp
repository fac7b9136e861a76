// DeviceChunkedAead against the host's chunked encryption: every byte in both directions, at any address, changed and cut
// messages, hostile sizes.
#include <phalanx/device_aead.h>

#include <functional>
#include <phalanx/chunked.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/device_aead.hpp>

#include "device_fixture.hpp"
#include "engine/chunked/chunked_encryption.hpp"

namespace phalanx {
namespace {

constexpr std::size_t chunk = 16400, prefix = 56;  // of a message
constexpr std::uint8_t poison = 0xa5;
constexpr const char* names[] = {"cobblestone-128", "cobblestone-256", "serpent-256", "twofish-256"};

// Memory at any address, with guards before and behind it.
class Guarded {
 public:
  explicit Guarded(std::size_t size, std::size_t shift = 0) : size_(size), before_(64 + shift), all_(before_ + size + 64) {
    all_.poison();
  }
  explicit Guarded(const ByteVector& bytes, std::size_t shift = 0) : Guarded(bytes.size(), shift) {
    check_device(cudaMemcpy(data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }

  [[nodiscard]] std::uint8_t* data() const { return all_.data() + before_; }
  // What is there; a guard that was written to is a failure.
  [[nodiscard]] ByteVector get() const {
    const ByteVector all = all_.get();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(before_);
    const auto end = begin + static_cast<std::ptrdiff_t>(size_);
    const auto is_poison = [](std::uint8_t byte) { return byte == poison; };
    EXPECT_TRUE(std::all_of(all.begin(), begin, is_poison) && std::all_of(end, all.end(), is_poison));
    return {begin, end};
  }

 private:
  std::size_t size_, before_;
  DeviceBytes all_;
};

struct Outcome {
  ErrorCode code;
  std::string what;
};
constexpr auto no_error = static_cast<ErrorCode>(0);

Outcome outcome_of(const std::function<void()>& open) {
  try {
    open();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {no_error, ""};
}

class GpuDeviceChunked : public DeviceTest {
 protected:
  ByteVector key = random_bytes(32), context = random_bytes(40);

  [[nodiscard]] ByteVector key_of(std::string_view name) const {
    return {key.begin(), key.begin() + (name == "cobblestone-128" ? 16 : 32)};
  }
  [[nodiscard]] DeviceChunkedAead on_gpu(const char* name) const { return {name, key_of(name), context}; }
  [[nodiscard]] ChunkedAead on_cpu(const char* name) const { return {name, key_of(name), context, {"cpu", 0}}; }

  // What the host makes of it under the salt that the message begins with.
  [[nodiscard]] ByteVector sealed_alike(const char* name, const ByteVector& plain, const ByteVector& message) const {
    ChunkSalt salt;
    std::copy_n(message.begin(), salt.size(), salt.begin());
    const ChunkedCipher cipher(find_chunked_suite(name), key_of(name), salt, context, {"cpu", 0});
    ByteVector expected(ChunkedAead::sealed_bytes(plain.size()));
    std::ranges::copy(cipher.prefix(), expected.begin());
    cipher.seal(0, plain, MutableBytes(expected).subspan(prefix));
    return expected;
  }
  static ByteVector seal(const ChunkedAead& aead, const ByteVector& plain) {
    ByteVector sealed(ChunkedAead::sealed_bytes(plain.size()));
    aead.seal(plain, sealed);
    return sealed;
  }

  void expect_like_the_host(const char* name, std::size_t size, std::size_t in_shift, std::size_t out_shift) {
    const DeviceChunkedAead gpu = on_gpu(name);
    const ByteVector plain = random_bytes(size);
    const Guarded in(plain, in_shift), out(ChunkedAead::sealed_bytes(size), out_shift);
    gpu.seal(in.data(), size, out.data());
    const ByteVector sealed = out.get();
    ASSERT_TRUE(sealed == sealed_alike(name, plain, sealed)) << name << size;
    ByteVector opened(size);
    ASSERT_NO_THROW(on_cpu(name).open(sealed, opened)) << name << size;
    ASSERT_TRUE(opened == plain);
    const ByteVector of_host = seal(on_cpu(name), plain);
    const Guarded message(of_host, out_shift), text(size, in_shift);
    ASSERT_NO_THROW(gpu.open(message.data(), of_host.size(), text.data())) << name << size;
    ASSERT_TRUE(text.get() == plain) << name << size;
    ASSERT_TRUE(message.get() == of_host);
  }

  // The host and the GPU say the same of a message. Of one that is not authentic `out` has zeros, else it is as it was.
  void expect_refused(const char* what, const ByteVector& message, ErrorCode code, const DeviceChunkedAead& gpu,
                      const ChunkedAead& cpu) {
    std::size_t size = message.size();  // where it has no size of plaintext
    (void)outcome_of([&] { size = ChunkedAead::plain_bytes(message.size()); });
    ByteVector opened(size);
    const Outcome host = outcome_of([&] { cpu.open(message, opened); });
    const Guarded in(message, 3), out(size, 5);
    const Outcome found = outcome_of([&] { gpu.open(in.data(), message.size(), out.data()); });
    EXPECT_EQ(found.code, code) << what << ": " << found.what;
    EXPECT_EQ(found.what, host.what) << what;
    EXPECT_TRUE(out.get() == ByteVector(size, code == ErrorCode::authentication ? 0 : poison)) << what;
    EXPECT_TRUE(in.get() == message) << what;
  }
};

TEST_F(GpuDeviceChunked, EveryLengthIsLikeTheHost) {
  for (const char* name : names) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 16383, 16384, 16385, 32767, 32768, 32769, 5 * 16384 + 77}) {
      expect_like_the_host(name, size, 0, 0);
    }
  }
}

TEST_F(GpuDeviceChunked, AnyAddressIsLikeTheHost) {
  for (std::size_t shift = 0; shift < 16; ++shift) {
    expect_like_the_host("cobblestone-256", 3 * 16384 + 1000 + shift, shift, (7 * shift + 8) % 16);
  }
}

// More chunks than a group of the kernel that checks them.
TEST_F(GpuDeviceChunked, ManyChunksAreLikeTheHost) {
  for (const std::size_t size : {1023 * 16384, 1024 * 16384 + 5, 2100 * 16384 + 16000}) {
    expect_like_the_host("cobblestone-128", size, 0, 8);
  }
}

TEST_F(GpuDeviceChunked, ChangedMessagesAreTold) {
  const DeviceChunkedAead gpu = on_gpu("cobblestone-256");
  const ChunkedAead cpu = on_cpu("cobblestone-256");
  const ByteVector message = seal(cpu, random_bytes(3 * 16384 + 100));
  const auto changed = [&](std::size_t place) {
    ByteVector other = message;
    other[place] ^= static_cast<std::uint8_t>(1 << random() % 8);
    return other;
  };
  for (const std::size_t place : {0, 23, 24, 55}) {
    expect_refused("salt or commitment", changed(place), ErrorCode::wrong_key, gpu, cpu);
  }
  for (const std::size_t number : {0, 1, 2, 3}) {
    const std::size_t begin = prefix + number * chunk, size = number == 3 ? 116 : chunk;
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 17, size - 16, size - 1}) {
      expect_refused("a chunk", changed(begin + place), ErrorCode::authentication, gpu, cpu);
    }
  }
  ByteVector twice = changed(prefix + 2 * chunk);
  twice[prefix + chunk + 3] ^= 1;
  expect_refused("two chunks", twice, ErrorCode::authentication, gpu, cpu);
}

TEST_F(GpuDeviceChunked, ChunksThatMovedAreTold) {
  const DeviceChunkedAead gpu = on_gpu("twofish-256");
  const ChunkedAead cpu = on_cpu("twofish-256");
  const ByteVector plain = random_bytes(3 * 16384);
  const ByteVector message = seal(cpu, plain), another = seal(cpu, plain);
  const auto chunk_at = [](ByteVector& bytes, std::size_t number) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(prefix + number * chunk);
  };
  ByteVector swapped = message, doubled = message, mixed = message, without = message;
  std::swap_ranges(chunk_at(swapped, 0), chunk_at(swapped, 1), chunk_at(swapped, 1));
  std::copy(chunk_at(doubled, 0), chunk_at(doubled, 1), chunk_at(doubled, 1));
  const auto from = another.begin() + prefix;
  std::copy(from, from + chunk, chunk_at(mixed, 0));
  without.erase(chunk_at(without, 1), chunk_at(without, 2));
  expect_refused("two chunks swapped", swapped, ErrorCode::authentication, gpu, cpu);
  expect_refused("a chunk twice", doubled, ErrorCode::authentication, gpu, cpu);
  expect_refused("a chunk of another message", mixed, ErrorCode::authentication, gpu, cpu);
  expect_refused("a chunk left out", without, ErrorCode::authentication, gpu, cpu);
}

TEST_F(GpuDeviceChunked, CutAndLongerMessagesAreTold) {
  const DeviceChunkedAead gpu = on_gpu("cobblestone-128");
  const ChunkedAead cpu = on_cpu("cobblestone-128");
  const ByteVector message = seal(cpu, random_bytes(2 * 16384 + 100));
  const auto cut = [&](std::size_t size) {
    ByteVector other = message;
    other.resize(size);
    return other;
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, prefix - 1, prefix, prefix + 15, prefix + chunk,
                                 prefix + 2 * chunk, prefix + 2 * chunk + 15, prefix + chunk + 1}) {
    expect_refused("cut", cut(size), ErrorCode::truncated, gpu, cpu);
  }
  for (const std::size_t size : {prefix + 16, prefix + 100, prefix + chunk - 1, prefix + chunk + 16, prefix + 2 * chunk + 16,
                                 message.size() - 1, message.size() + 1, message.size() + 16, message.size() + 20000}) {
    expect_refused("cut within a chunk, or longer", cut(size), ErrorCode::authentication, gpu, cpu);
  }
  expect_refused("filled to a whole chunk", cut(prefix + 3 * chunk), ErrorCode::truncated, gpu, cpu);
}

TEST_F(GpuDeviceChunked, OtherKeysContextsAndCiphersAreTold) {
  const ByteVector message = seal(on_cpu("cobblestone-256"), random_bytes(20000));
  const auto expect_wrong_key = [&](const char* name, const ByteVector& other_key, const ByteVector& other_context) {
    expect_refused(name, message, ErrorCode::wrong_key, DeviceChunkedAead(name, other_key, other_context),
                   ChunkedAead(name, other_key, other_context));
  };
  ByteVector other_key = key, other_context = context;
  other_key[31] ^= 1;
  other_context.back() ^= 1;
  expect_wrong_key("cobblestone-256", other_key, context);
  expect_wrong_key("cobblestone-256", key, other_context);
  expect_wrong_key("cobblestone-256", key, {});
  expect_wrong_key("serpent-256", key, context);
  expect_wrong_key("cobblestone-128", key_of("cobblestone-128"), context);
}

TEST_F(GpuDeviceChunked, WithoutWaiting) {
  DeviceChunkedAead gpu = on_gpu("cobblestone-256");
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const ByteVector plain = random_bytes(40 * 16384 + 9);
  const Guarded in(plain);
  const std::size_t size = ChunkedAead::sealed_bytes(plain.size());
  {
    const Guarded messages[] = {Guarded(size), Guarded(size, 8)},
                  texts[] = {Guarded(plain.size()), Guarded(plain.size(), 1)};
    std::vector<DeviceVerdicts> verdicts;
    for (int i = 0; i < 2; ++i) verdicts.push_back(gpu.seal_async(in.data(), plain.size(), messages[i].data(), streams[i]));
    for (const DeviceVerdicts& of_call : verdicts) ASSERT_NO_THROW(of_call.wait());
    EXPECT_EQ(verdicts[0].num_messages(), 41U);
    ByteVector sealed[] = {messages[0].get(), messages[1].get()};
    EXPECT_NE(sealed[0], sealed[1]);
    verdicts.clear();
    for (int i = 0; i < 2; ++i) {
      const Bytes first = Bytes(sealed[i]).first(prefix);
      verdicts.push_back(gpu.open_async(first, messages[i].data(), size, texts[i].data(), streams[i]));
    }
    const DeviceChunkedAead moved = std::move(gpu);  // and gone before they are asked
    verdicts[1].require(streams[1]);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(verdicts[i].read(), std::vector<DeviceVerdict>(41, DeviceVerdict::authentic));
      EXPECT_TRUE(texts[i].get() == plain);
    }
    EXPECT_EQ(outcome_of([&] { (void)gpu.engine(); }).code, ErrorCode::usage);
  }
  for (cudaStream_t stream : streams) check_device(cudaStreamDestroy(stream));
}

TEST_F(GpuDeviceChunked, VerdictsAreOfChunks) {
  const DeviceChunkedAead gpu = on_gpu("serpent-256");
  ByteVector message = seal(on_cpu("serpent-256"), random_bytes(5 * 16384));
  const ByteVector first(message.begin(), message.begin() + prefix);
  message[prefix + 2 * chunk] ^= 1;
  message[prefix + 5 * chunk] ^= 1;
  message[0] ^= 1;  // which is not read
  const Guarded in(message), out(5 * 16384);
  const DeviceVerdicts verdicts = gpu.open_async(first, in.data(), message.size(), out.data());
  constexpr auto good = DeviceVerdict::authentic, bad = DeviceVerdict::forged;
  EXPECT_EQ(verdicts.read(), (std::vector<DeviceVerdict>{good, good, bad, good, good, bad}));
  std::uint32_t word = 7;
  check_device(cudaMemcpy(&word, verdicts.all_authentic(), sizeof word, cudaMemcpyDeviceToHost));
  EXPECT_EQ(word, 0U);
  const Outcome waited = outcome_of([&] { verdicts.wait(); });
  EXPECT_EQ(waited.code, ErrorCode::authentication);
  EXPECT_NE(waited.what.find("chunk 2 "), std::string::npos) << waited.what;
  EXPECT_TRUE(out.get() == ByteVector(5 * 16384));
  const Outcome wrong =
      outcome_of([&] { (void)gpu.open_async(random_bytes(prefix), in.data(), message.size(), out.data()); });
  EXPECT_EQ(wrong.code, ErrorCode::wrong_key);
}

TEST_F(GpuDeviceChunked, WhatTheHostSeesThrows) {
  const DeviceChunkedAead gpu = on_gpu("cobblestone-256");
  const Guarded in(40000), out(40000);
  ByteVector host(40000);
  std::uint8_t* const at = in.data();
  const std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::function<void()>> calls = {
      [&] { gpu.seal(host.data(), 100, out.data()); },
      [&] { gpu.seal(at, 100, host.data()); },
      [&] { gpu.open(host.data(), 200, out.data()); },
      [&] { (void)gpu.open_async(Bytes(host).first(55), at, 200, out.data()); },
      [&] { (void)gpu.open_async({}, at, 200, out.data()); },
      [&] { gpu.seal(nullptr, 100, out.data()); },
      [&] { gpu.seal(at, 0, nullptr); },
      [&] { gpu.open(nullptr, 200, out.data()); },
      [&] { gpu.open(at, 200, nullptr); },
      [&] { gpu.seal(at, 100, at); },
      [&] { gpu.seal(at, 100, at + 99); },
      [&] { gpu.seal(at + 171, 100, at); },
      [&] { gpu.open(at, 200, at); },
      [&] { gpu.open(at, 200, at + 199); },
      [&] { gpu.seal(at, huge, out.data()); },
      [&] { gpu.seal(at, huge / 2, out.data()); },
      [&] { gpu.seal(at, huge - 55, out.data()); },
      [&] { gpu.seal(at, std::uint64_t{1} << 45, out.data()); },  // which would overlap
  };
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(outcome_of(calls[i]).code, ErrorCode::usage) << i;
  for (const std::uint64_t size : {huge, huge / 2, huge - 15, std::uint64_t{1} << 63}) {
    EXPECT_NE(outcome_of([&] { gpu.open(at, size, out.data()); }).code, no_error) << size;
    EXPECT_NE(outcome_of([&] { (void)gpu.open_async(Bytes(host).first(prefix), at, size, out.data()); }).code, no_error);
  }
  EXPECT_TRUE(in.get() == ByteVector(40000, poison) && out.get() == ByteVector(40000, poison));
  EXPECT_THROW(DeviceChunkedAead("cobblestone-256", key_of("cobblestone-128")), Error);
  EXPECT_THROW(DeviceChunkedAead("aes-256-gcm", key), Error);
  EXPECT_THROW(DeviceChunkedAead("cobblestone-256", key, {}, {"cpu", 0}), Error);
}

TEST_F(GpuDeviceChunked, InC) {
  const ByteVector plain = random_bytes(50000);
  const std::size_t size = ChunkedAead::sealed_bytes(plain.size());
  const Guarded in(plain), message(size), out(plain.size());
  phalanx_device_chunked* chunked = nullptr;
  ASSERT_EQ(phalanx_device_chunked_new(&chunked, "COBBLESTONE-256", key.data(), key.size(), context.data(), context.size(),
                                       nullptr),
            PHALANX_OK);
  const char* engine = nullptr;
  ASSERT_EQ(phalanx_device_chunked_engine(chunked, &engine), PHALANX_OK);
  EXPECT_EQ(std::string(engine), "cuda");
  ASSERT_EQ(phalanx_device_chunked_seal(chunked, in.data(), plain.size(), message.data(), nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_device_chunked_open(chunked, message.data(), size, out.data(), nullptr), PHALANX_OK);
  EXPECT_TRUE(out.get() == plain);
  EXPECT_EQ(phalanx_device_chunked_open(chunked, message.data(), 55, out.data(), nullptr), PHALANX_TRUNCATED);
  EXPECT_EQ(phalanx_device_chunked_open(chunked, message.data(), size - 1, out.data(), nullptr), PHALANX_AUTHENTICATION);
  EXPECT_EQ(phalanx_device_chunked_open(chunked, in.data(), size, out.data(), nullptr), PHALANX_WRONG_KEY);
  phalanx_device_verdicts* verdicts = nullptr;
  ASSERT_EQ(phalanx_device_chunked_seal_async(&verdicts, chunked, in.data(), plain.size(), message.data(), nullptr),
            PHALANX_OK);
  EXPECT_EQ(phalanx_device_verdicts_wait(verdicts), PHALANX_OK);
  phalanx_device_verdicts_free(verdicts);
  const ByteVector sealed = message.get();
  ASSERT_EQ(phalanx_device_chunked_open_async(&verdicts, chunked, sealed.data(), prefix, message.data(), size, out.data(),
                                              nullptr),
            PHALANX_OK);
  phalanx_device_chunked_free(chunked);
  EXPECT_EQ(phalanx_device_verdicts_wait(verdicts), PHALANX_OK);
  phalanx_device_verdicts_free(verdicts);
  EXPECT_TRUE(out.get() == plain);
}

using GpuLargeDeviceChunked = GpuDeviceChunked;

// More than 4 GiB: offsets need more than 32 bits.
TEST_F(GpuLargeDeviceChunked, ALongMessageIsTheHosts) {
  const DeviceChunkedAead gpu = on_gpu("cobblestone-256");
  const std::size_t size = (std::size_t{17} << 28) + 12345;
  ByteVector plain(size);
  Cipher("aes-128-ctr", key_of("cobblestone-128")).encrypt(ByteVector(16), plain, plain);
  const DeviceBytes message(ChunkedAead::sealed_bytes(size));
  ByteVector sealed;
  {
    const DeviceBytes in(plain);
    gpu.seal(in.data(), size, message.data());
    sealed = message.get();
  }
  ByteVector opened(size);
  on_cpu("cobblestone-256").open(sealed, opened);
  EXPECT_TRUE(opened == plain);
  const DeviceBytes out(size);
  gpu.open(message.data(), sealed.size(), out.data());
  EXPECT_TRUE(out.get() == plain);
}

}  // namespace
}  // namespace phalanx

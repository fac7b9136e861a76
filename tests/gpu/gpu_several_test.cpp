// The engine cuda over several GPUs, which share one message or a batch. On a machine with one GPU that one is taken for
// two, with staging buffers and streams of their own.
#include <algorithm>
#include <atomic>
#include <phalanx/files/container.hpp>
#include <phalanx/phalanx.hpp>
#include <thread>

#include "device_fixture.hpp"
#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/library/names/cipher_name.hpp"

namespace phalanx {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// Lengths around the parts of two GPUs: shares of 1 MiB up to 16 MiB, then of 2, and at least four for each GPU.
constexpr std::size_t long_lengths[] = {7 * mib,     7 * mib + 15, 7 * mib + 16, 8 * mib - 1,   8 * mib,
                                        8 * mib + 1, 8 * mib + 16, 9 * mib + 77, 16 * mib + 31, 17 * mib + 33};

class GpuSeveral : public DeviceTest {
 protected:
  static void SetUpTestSuite() {
    int num_devices = 0;
    if (cudaGetDeviceCount(&num_devices) == cudaSuccess) takes_each_gpu_twice = num_devices == 1;
  }

  // What the CPU's engine makes of a message, and what `cuda` made of it.
  struct LongMessage {
    ByteVector nonce, associated, plain, sealed, tag;

    [[nodiscard]] AeadMessage message(const ByteVector& in, ByteVector& out, ByteVector& to_tag) const {
      AeadMessage all{};
      all.nonce = nonce.data();
      all.nonce_bytes = nonce.size();
      all.associated_data = associated.data();
      all.associated_bytes = associated.size();
      all.in = in.data();
      all.out = out.data();
      all.num_bytes = in.size();
      all.tag = to_tag.data();
      all.expected_tag = to_tag.data();
      all.tag_bytes = to_tag.size();
      return all;
    }
  };

  LongMessage make(const KeyedAead& cpu, std::size_t num_bytes, std::size_t associated_bytes, std::size_t nonce_bytes = 12) {
    LongMessage made{random_bytes(nonce_bytes), random_bytes(associated_bytes), random_bytes(num_bytes),
                     ByteVector(num_bytes), ByteVector(16)};
    AeadMessage message = made.message(made.plain, made.sealed, made.tag);
    cpu.crypt(Direction::encrypt, {&message, 1});
    return made;
  }

  static void expect_sealed(const KeyedAead& cuda, const LongMessage& wanted, bool in_place) {
    ByteVector in = wanted.plain, out(in.size(), 0xa5), tag(wanted.tag.size());
    ByteVector& to = in_place ? in : out;
    AeadMessage message = wanted.message(in, to, tag);
    cuda.crypt(Direction::encrypt, {&message, 1});
    EXPECT_TRUE(to == wanted.sealed && tag == wanted.tag) << in.size() << " bytes" << (in_place ? " in place" : "");
  }

  // The plaintext of what is authentic; else `out` as it was, or zeros.
  static void expect_opened(const KeyedAead& cuda, const LongMessage& from, const ByteVector& sealed,
                            Unverified unverified) {
    const bool is_good = sealed == from.sealed;
    ByteVector out(sealed.size(), 0xa5), tag = from.tag;
    const ByteVector refused = unverified == Unverified::wiped ? ByteVector(out.size()) : out;
    AeadMessage message = from.message(sealed, out, tag);
    cuda.crypt(Direction::decrypt, {&message, 1}, unverified);
    EXPECT_EQ(message.is_authentic, is_good) << sealed.size() << " bytes";
    EXPECT_TRUE(out == (is_good ? from.plain : refused)) << sealed.size() << " bytes";
  }

  static std::unique_ptr<KeyedAead> gcm_on(const char* engine, const CipherSpec& cipher, const ByteVector& key) {
    return find_engine(engine).set_aead_key({&cipher, Mode::gcm}, Bytes(key).first(cipher.key_bytes), 0);
  }
};

TEST_F(GpuSeveral, AreSeveral) {
  const std::string description = find_engine("cuda").info().description;
  EXPECT_NE(description.find(" GPUs, the first: "), std::string::npos) << description;
}

class GpuSeveralGcm : public GpuSeveral, public testing::WithParamInterface<const CipherSpec*> {
 protected:
  const CipherSpec& cipher = *GetParam();
  ByteVector key = random_bytes(32);
  std::unique_ptr<KeyedAead> cpu = gcm_on("cpu", cipher, key);
};

TEST_P(GpuSeveralGcm, SealAMessageAsTheCpuDoes) {
  const auto cuda = gcm_on("cuda", cipher, key);
  for (const std::size_t length : long_lengths) {
    const LongMessage wanted = make(*cpu, length, length % 50);
    expect_sealed(*cuda, wanted, length % 2 != 0);
  }
}

TEST_P(GpuSeveralGcm, OpenAMessageAndNoForgedOne) {
  const auto cuda = gcm_on("cuda", cipher, key);
  for (const std::size_t length : {8 * mib, 9 * mib + 77}) {
    const LongMessage from = make(*cpu, length, 20);
    for (const Unverified unverified : {Unverified::never_written, Unverified::wiped}) {
      expect_opened(*cuda, from, from.sealed, unverified);
      for (const std::size_t changed : {std::size_t{0}, length / 2 - 1, length / 2 + mib, length - 1}) {
        ByteVector forged = from.sealed;
        forged[changed] ^= 0x10;
        expect_opened(*cuda, from, forged, unverified);
      }
    }
    LongMessage other = from;
    other.tag[15] ^= 1;
    other.sealed.clear();  // nothing is authentic under that tag
    expect_opened(*cuda, other, from.sealed, Unverified::never_written);
  }
}

std::vector<const CipherSpec*> ciphers_of_16_bytes() {
  std::vector<const CipherSpec*> ciphers = every_cipher();
  std::erase_if(ciphers, [](const CipherSpec* cipher) { return cipher->block_bytes != 16; });
  return ciphers;
}
INSTANTIATE_TEST_SUITE_P(All, GpuSeveralGcm, testing::ValuesIn(ciphers_of_16_bytes()), cipher_test_name);

// Nonces that are hashed first, whose text is crypted apart; and associated data that several GPUs hash.
TEST_F(GpuSeveral, TakeAnyNonceAndLongAssociatedData) {
  const CipherSpec& cipher = *find_cipher("aes-256");
  const ByteVector key = random_bytes(32);
  const auto cpu = gcm_on("cpu", cipher, key), cuda = gcm_on("cuda", cipher, key);
  for (const std::size_t nonce_bytes : {std::size_t{8}, std::size_t{12}, std::size_t{60}}) {
    const LongMessage wanted = make(*cpu, 8 * mib + 5, 9 * mib + 3, nonce_bytes);
    expect_sealed(*cuda, wanted, false);
    expect_opened(*cuda, wanted, wanted.sealed, Unverified::never_written);
    expect_opened(*cuda, wanted, wanted.sealed, Unverified::wiped);
  }
}

// Each thread has a key of its own; all keys take turns in the constant memory.
TEST_F(GpuSeveral, SealForManyThreadsAtOnce) {
  const CipherSpec& cipher = *find_cipher("serpent-256");
  constexpr std::size_t num_threads = 6;
  std::vector<ByteVector> keys;
  std::vector<LongMessage> wanted;
  for (std::size_t i = 0; i < num_threads; ++i) {
    keys.push_back(random_bytes(32));
    wanted.push_back(make(*gcm_on("cpu", cipher, keys[i]), (8 + i) * mib + 16 * i, i));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      const auto cuda = gcm_on("cuda", cipher, keys[i]);
      for (int round = 0; round < 3; ++round) expect_sealed(*cuda, wanted[i], round == 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// What a cipher makes of a message in the direction in which its mode is parallel.
ByteVector crypted(const char* name, const ByteVector& key, const std::string& engine, const ByteVector& iv,
                   const ByteVector& in) {
  ByteVector out(in.size(), 0xa5);
  const Cipher cipher(name, key, {.engine = engine}, {.allow_legacy = true});
  if (cipher.facts().encrypts_parts) {
    cipher.encrypt(iv, in, out);
  } else {
    cipher.decrypt(iv, in, out);
  }
  return out;
}

TEST_F(GpuSeveral, GiveTheSameBytesAsOne) {
  int num_devices = 0;
  check_device(cudaGetDeviceCount(&num_devices));
  const ByteVector in = random_bytes(13 * mib + 48);
  for (const char* name : {"aes-128-ctr", "serpent-128-xts", "des-ede3-cbc", "twofish-256-cfb"}) {
    const ByteVector key = random_bytes(key_bytes(parse_cipher_name(name)));
    const ByteVector iv = random_bytes(cipher_facts(name).iv_bytes);
    const ByteVector expected = crypted(name, key, "cpu", iv, in);
    EXPECT_TRUE(crypted(name, key, "cuda", iv, in) == expected) << name;
    for (int i = 0; i < num_devices; ++i) {
      const std::string engine = "cuda:" + std::to_string(i);
      EXPECT_TRUE(crypted(name, key, engine, iv, in) == expected) << name << " on " << engine;
    }
  }
}

// Containers that are sealed on all GPUs and opened by the CPU, and the other way round. A changed chunk is not opened.
class GpuSeveralContainers : public GpuSeveral, public testing::WithParamInterface<const char*> {
 protected:
  ByteVector key = random_bytes(32);
  const Recipient recipient{.kind = KeyKind::key, .secret = key, .cost = {}};
  const Identity identity{.kind = KeyKind::key, .secret = key};

  void seal_and_open(std::size_t length, const char* sealing, const char* opening) {
    const ByteVector plain = random_bytes(length);
    ByteVector container(container_bytes(GetParam(), {&recipient, 1}, length)), out(length);
    seal_container(GetParam(), {&recipient, 1}, plain, container, {sealing, 0});
    ContainerReader(Bytes(container), {&identity, 1}, {opening, 0}).read(0, out);
    EXPECT_TRUE(out == plain) << length << " bytes, " << sealing << " and " << opening;
    container[container.size() - length] ^= 1;  // before the last chunk, which the reader opens at once
    const ContainerReader reader(Bytes(container), {&identity, 1}, {opening, 0});
    EXPECT_THROW(reader.read(0, out), Error);
    EXPECT_TRUE(out == ByteVector(length)) << length << " bytes, " << sealing << " and " << opening;
  }
  void seal_and_open_each(std::size_t length) {
    seal_and_open(length, "cuda", "cpu");
    seal_and_open(length, "cpu", "cuda");
    seal_and_open(length, "cuda", "cuda");
  }
};

TEST_P(GpuSeveralContainers, ShareFewChunks) {
  for (const std::size_t num_chunks : {2U, 3U, 7U}) seal_and_open_each(num_chunks * 16384 + 1);
}

TEST_P(GpuSeveralContainers, ShareManyChunks) {
  for (const std::size_t length : {9 * mib + 5, 70 * mib}) seal_and_open_each(length);
}

INSTANTIATE_TEST_SUITE_P(All, GpuSeveralContainers, testing::Values("aes-256", "serpent-256", "twofish-256"),
                         [](const testing::TestParamInfo<const char*>& suite) {
                           std::string name = suite.param;
                           std::erase(name, '-');
                           return name;
                         });

std::atomic<int> starts_until_fault{0};
cudaError_t fail_at_last() { return --starts_until_fault == 0 ? cudaErrorLaunchFailure : cudaSuccess; }

// One of them fails: an error, and the next call works.
TEST_F(GpuSeveral, AFaultOfOneIsAnError) {
  const CipherSpec& cipher = *find_cipher("aes-128");
  const ByteVector key = random_bytes(16);
  const LongMessage wanted = make(*gcm_on("cpu", cipher, key), 12 * mib, 5);
  const auto cuda = gcm_on("cuda", cipher, key);
  for (const int starts : {1, 2, 7, 12}) {
    ByteVector out(wanted.plain.size()), tag(16);
    AeadMessage message = wanted.message(wanted.plain, out, tag);
    starts_until_fault = starts;
    injected_gpu_fault = fail_at_last;
    EXPECT_THROW(cuda->crypt(Direction::encrypt, {&message, 1}), Error) << starts;
    injected_gpu_fault = nullptr;
    expect_sealed(*cuda, wanted, false);
  }
}

}  // namespace
}  // namespace phalanx

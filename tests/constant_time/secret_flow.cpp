// Runs what encrypts, decrypts and hashes with secrets that valgrind's memcheck takes for uninitialised: it then reports each branch and each
// address that depends on one (docs/constant_time.md).
//
//   valgrind --error-exitcode=9 --suppressions=declassified.supp secret_flow ENGINE [short]
//   ... secret_flow planted NAME                                                              a leak on purpose: must be reported
#include <valgrind/memcheck.h>

#include <cstdio>
#include <cstring>
#include <phalanx/chunked.hpp>
#include <phalanx/files/padding.hpp>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "engine/text/hex.hpp"
#include "planted_leaks.hpp"

namespace phalanx::test {
namespace {

using Buffer = std::vector<std::uint8_t>;

void make_secret(MutableBytes bytes) { VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()); }
// What an attacker may know: ciphertext and tags, once they were made.
void make_public(MutableBytes bytes) { VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size()); }

Buffer public_bytes(std::size_t size, unsigned seed) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(seed * 31 + i * 37 + i / 7);
  return bytes;
}
Buffer secret_bytes(std::size_t size, unsigned seed) {
  Buffer bytes = public_bytes(size, seed);
  make_secret(bytes);
  return bytes;
}

class SecretFlow {
 public:
  SecretFlow(const std::string& engine, bool is_short) : options_{.engine = engine, .num_threads = 1}, is_short_(is_short) {}

  void run() {
    for (const CipherFacts& facts : all_cipher_facts()) {
      if (is_short_ && facts.cipher != "des-ede3" && facts.cipher != "aes-256" && facts.cipher != "xaes-256") continue;
      facts.tag_bytes == 0 ? run_cipher(facts) : run_aead(facts);
    }
    run_chunked("cobblestone-128");
    run_padding();
    run_digits();
  }

 private:
  [[nodiscard]] std::vector<std::size_t> sizes(const CipherFacts& facts) const {
    std::vector<std::size_t> blocks = {1, 3, 40, 300};
    if (!is_short_) blocks.insert(blocks.end(), {2, 8, 17, 64, 65, 129, 1100});
    for (std::size_t& size : blocks) size *= facts.block_bytes;
    if (facts.mode != "ecb" && facts.mode != "cbc") blocks.push_back(5 * facts.block_bytes + 3);
    return blocks;
  }

  void run_cipher(const CipherFacts& facts) {
    const Buffer key = secret_bytes(facts.key_bytes, 1);
    const Cipher cipher(facts.name, key, options_, with_legacy);
    const Buffer iv = public_bytes(facts.iv_bytes, 2);
    for (const std::size_t size : sizes(facts)) {
      const Buffer in = secret_bytes(size, 3);
      Buffer out(size);
      cipher.encrypt(iv, in, out);
      cipher.decrypt(iv, in, out);
    }
    run_parts(facts, cipher, iv);
    run_batches(facts, cipher, iv);
    if (facts.mode == "xts") run_sectors(facts, key);
  }

  void run_parts(const CipherFacts& facts, const Cipher& cipher, const Buffer& iv) {
    const Buffer in = secret_bytes(20 * facts.block_bytes, 4);
    Buffer out(in.size());
    const std::size_t offset = 7 * facts.block_bytes;
    if (facts.encrypts_parts) cipher.encrypt_part(iv, offset, in, out);
    if (facts.decrypts_parts) cipher.decrypt_part(iv, offset, in, out);
  }

  // With the cipher's key, with a key each, and with another cipher's.
  void run_batches(const CipherFacts& facts, const Cipher& cipher, const Buffer& iv) {
    const Cipher other(facts.name, secret_bytes(facts.key_bytes, 5), options_, with_legacy);
    const std::size_t num_messages = is_short_ ? 37 : 150;
    std::vector<Buffer> ins, outs, keys;
    for (std::size_t i = 0; i < num_messages; ++i) {
      const std::size_t num_blocks = i * 5 % 23 + (facts.mode == "xts" ? 1 : 0);
      ins.push_back(secret_bytes(num_blocks * facts.block_bytes, static_cast<unsigned>(i)));
      outs.emplace_back(ins.back().size());
      keys.push_back(secret_bytes(facts.key_bytes, static_cast<unsigned>(1000 + i)));
    }
    for (const int whose : {0, 1, 2}) {
      std::vector<Message> messages;
      for (std::size_t i = 0; i < num_messages; ++i) {
        messages.push_back({.iv = iv,
                            .in = ins[i],
                            .out = outs[i],
                            .key = whose == 1 ? Bytes(keys[i]) : Bytes(),
                            .cipher = whose == 2 && i % 3 == 0 ? &other : nullptr});
      }
      cipher.encrypt_batch(messages);
      cipher.decrypt_batch(messages);
    }
  }

  void run_sectors(const CipherFacts& facts, const Buffer& key) {
    const SectorCipher sectors(facts.cipher + "-xts", key, options_, with_legacy);
    const Buffer in = secret_bytes(4 * 512, 6);
    Buffer out(in.size());
    sectors.encrypt(9, 1, 512, in, out);
    sectors.decrypt(9, 1, 512, in, out);
  }

  void run_aead(const CipherFacts& facts) {
    const Buffer key = secret_bytes(facts.key_bytes, 7);
    const Aead aead(facts.name, key, options_, {.any_nonce_size = true});
    for (const std::size_t nonce_bytes : {facts.iv_bytes, std::size_t{facts.iv_bytes == 12 ? 20U : 24U}}) {
      const Buffer nonce = public_bytes(nonce_bytes, 8);
      for (const std::size_t size : sizes(facts)) seal_and_open(aead, nonce, size);
    }
    run_aead_batch(facts, aead);
  }

  static void seal_and_open(const Aead& aead, const Buffer& nonce, std::size_t size) {
    const Buffer in = secret_bytes(size, 9), associated_data = public_bytes(size % 70, 10);
    Buffer sealed(size), tag(16), opened(size);
    aead.seal(nonce, associated_data, in, sealed, tag);
    make_public(sealed);
    make_public(tag);
    aead.open(nonce, associated_data, sealed, opened, tag);
    Buffer wrong = tag;
    wrong[3] ^= 1;
    try {
      aead.open(nonce, associated_data, sealed, opened, wrong);
    } catch (const Error&) {
    }
  }

  void run_aead_batch(const CipherFacts& facts, const Aead& aead) {
    const std::size_t num_messages = is_short_ ? 10 : 40;
    const Buffer nonce = public_bytes(facts.iv_bytes, 11);
    std::vector<Buffer> ins, outs, tags(num_messages, Buffer(16)), keys;
    for (std::size_t i = 0; i < num_messages; ++i) {
      ins.push_back(secret_bytes(i * 29 % 301, static_cast<unsigned>(i)));
      outs.emplace_back(ins.back().size());
      keys.push_back(secret_bytes(facts.key_bytes, static_cast<unsigned>(2000 + i)));
    }
    for (const bool own_keys : {false, true}) {
      std::vector<MessageToSeal> to_seal;
      std::vector<MessageToOpen> to_open;
      for (std::size_t i = 0; i < num_messages; ++i) {
        const Bytes key = own_keys ? Bytes(keys[i]) : Bytes();
        to_seal.push_back({.nonce = nonce, .associated_data = {}, .in = ins[i], .out = outs[i], .tag = tags[i], .key = key});
        to_open.push_back({.nonce = nonce, .associated_data = {}, .in = outs[i], .out = ins[i], .tag = tags[i], .key = key});
      }
      aead.seal_batch(to_seal);
      for (std::size_t i = 0; i < num_messages; ++i) make_public(outs[i]), make_public(tags[i]);
      (void)aead.open_batch(to_open);
    }
  }

  void run_chunked(const char* name) {
    const Buffer key = secret_bytes(32, 12);
    const ChunkedAead aead(name, Bytes(key).first(16), public_bytes(9, 13), options_);
    const Buffer in = secret_bytes(40000, 14);
    Buffer sealed(ChunkedAead::sealed_bytes(in.size())), opened(in.size());
    aead.seal(in, sealed);
    make_public(sealed);
    aead.open(sealed, opened);
  }

  static void run_padding() {
    for (const Padding padding : {Padding::pkcs7, Padding::x923, Padding::iso7816, Padding::zero}) {
      for (std::size_t used = 0; used < 16; ++used) {
        Buffer block = secret_bytes(16, static_cast<unsigned>(used));
        (void)pad_last_block(padding, block, used);
        (void)check_padding(padding, block);
        Buffer wrong = secret_bytes(16, 15);
        (void)check_padding(padding, wrong);
      }
    }
  }

  static void run_digits() {
    std::string digits = "00112233445566778899aAbBcCdDeEfF";
    VALGRIND_MAKE_MEM_UNDEFINED(digits.data(), digits.size());
    Buffer key(16);
    (void)are_hex_digits(digits);
    decode_hex(digits, "the key", key);
  }

  static constexpr CipherPolicy with_legacy{.allow_legacy = true};
  EngineOptions options_;
  bool is_short_;
};

int run_planted(const std::string& name) {
  Buffer secret = secret_bytes(64, 16);
  return run_planted_leak(name, secret) ? 0 : 2;
}

}  // namespace
}  // namespace phalanx::test

int main(int argc, char** argv) {
  using namespace phalanx::test;
  if (argc == 3 && std::strcmp(argv[1], "planted") == 0) return run_planted(argv[2]);
  if (argc < 2) {
    std::fprintf(stderr, "usage: secret_flow ENGINE [short] | planted NAME\n");
    return 2;
  }
  SecretFlow(argv[1], argc > 2).run();
  std::puts(RUNNING_ON_VALGRIND != 0 ? "under valgrind" : "not under valgrind: nothing is checked");
  return 0;
}

// Calls a cipher of one engine while valgrind's callgrind counts instructions. count_costs reads what callgrind writes, which is a
// part for each call.
//
//   valgrind --tool=callgrind --callgrind-out-file=FILE cipher_costs ENGINE CIPHER
//
// count_costs takes the difference of two sizes: what is done once for a call cancels out.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

namespace phalanx::bench {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t short_bytes = std::size_t{64} << 10;
constexpr std::size_t long_bytes = 2 * short_bytes;
constexpr std::size_t message_bytes = 1024;

Buffer some_bytes(std::size_t num_bytes, unsigned seed) {
  Buffer bytes(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) bytes[i] = static_cast<std::uint8_t>(seed * 31 + i * 37 + i / 7);
  return bytes;
}

class CipherCosts {
 public:
  explicit CipherCosts(const std::string& engine) : options_{.engine = engine, .num_threads = 1} {}

  void count(const std::string& cipher) {
    count_key(cipher_facts(cipher + "-ctr"));
    for (const char* mode : {"ecb", "cbc", "ctr", "cfb", "ofb", "xts"}) {
      const bool is_there = std::string(mode) != "xts" || cipher_facts(cipher + "-ecb").block_bytes == 16;
      if (is_there) count_mode(cipher_facts(cipher + "-" + mode));
    }
    if (cipher_facts(cipher + "-ecb").block_bytes == 16) count_gcm(cipher_facts(cipher + "-gcm"));
    count_batch(cipher_facts(cipher + "-cbc"));
  }

 private:
  // Runs it once before: what is only made at the first call belongs to none.
  template <class Call>
  static void count_call(const std::string& name, Call call) {
    call();
    CALLGRIND_ZERO_STATS;
    call();
    CALLGRIND_DUMP_STATS_AT(name.c_str());
  }

  void count_mode(const CipherFacts& facts) {
    const Cipher cipher(facts.name, some_bytes(facts.key_bytes, 1), options_, with_legacy);
    const Buffer iv = some_bytes(facts.iv_bytes, 2);
    const Buffer in = some_bytes(long_bytes, 3);
    Buffer out(long_bytes);
    const bool is_chained = facts.mode == "cbc" || facts.mode == "cfb";
    for (const std::size_t num_bytes : {short_bytes, long_bytes}) {
      const Bytes part = Bytes(in).first(num_bytes);
      const MutableBytes into = MutableBytes(out).first(num_bytes);
      const std::string size = num_bytes == short_bytes ? ", short" : ", long";
      count_call(facts.name + " encrypt" + size, [&] { cipher.encrypt(iv, part, into); });
      if (is_chained) count_call(facts.name + " decrypt" + size, [&] { cipher.decrypt(iv, part, into); });
    }
    if (facts.mode != "ctr") return;
    const std::size_t block = facts.block_bytes;
    count_call(facts.name + ", a call of one block",
               [&] { cipher.encrypt(iv, Bytes(in).first(block), MutableBytes(out).first(block)); });
  }

  void count_gcm(const CipherFacts& facts) {
    const Aead aead(facts.name, some_bytes(facts.key_bytes, 1), options_);
    const Buffer nonce = some_bytes(facts.iv_bytes, 2);
    const Buffer in = some_bytes(long_bytes, 3);
    Buffer sealed(long_bytes);
    Buffer opened(long_bytes);
    Buffer tag(16);
    for (const std::size_t num_bytes : {short_bytes, long_bytes}) {
      const MutableBytes into = MutableBytes(sealed).first(num_bytes);
      const std::string size = num_bytes == short_bytes ? ", short" : ", long";
      count_call(facts.name + " encrypt" + size, [&] { aead.seal(nonce, {}, Bytes(in).first(num_bytes), into, tag); });
      count_call(facts.name + " decrypt" + size,
                 [&] { aead.open(nonce, {}, into, MutableBytes(opened).first(num_bytes), tag); });
    }
  }

  void count_key(const CipherFacts& facts) {
    const Buffer key = some_bytes(facts.key_bytes, 1);
    count_call(facts.cipher + ", a key", [&] { const Cipher cipher(facts.name, key, options_, with_legacy); });
  }

  // A batch of short messages with a key each, in the mode whose blocks wait for one another.
  void count_batch(const CipherFacts& facts) {
    const Cipher cipher(facts.name, some_bytes(facts.key_bytes, 1), options_, with_legacy);
    const Buffer iv = some_bytes(facts.iv_bytes, 2);
    const Buffer in = some_bytes(message_bytes, 3);
    std::vector<Buffer> keys;
    for (unsigned i = 0; i < 512; ++i) keys.push_back(some_bytes(facts.key_bytes, i));
    std::vector<Buffer> outs(keys.size(), Buffer(message_bytes));
    std::vector<Message> messages;
    for (std::size_t i = 0; i < keys.size(); ++i) messages.push_back({.iv = iv, .in = in, .out = outs[i], .key = keys[i]});
    count_call(facts.name + " encrypt, 512 x 1 KiB, a key each", [&] { cipher.encrypt_batch(messages); });
  }

  static constexpr CipherPolicy with_legacy{.allow_legacy = true};
  EngineOptions options_;
};

}  // namespace
}  // namespace phalanx::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    (void)std::fprintf(stderr, "usage: cipher_costs ENGINE CIPHER\n");
    return 2;
  }
  phalanx::bench::CipherCosts(argv[1]).count(argv[2]);
}

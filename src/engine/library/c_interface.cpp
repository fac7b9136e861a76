// phalanx.h over phalanx.hpp: no exception leaves these functions.
#include <phalanx/phalanx.h>

#include <algorithm>
#include <cstring>
#include <phalanx/aead.hpp>
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <string>
#include <vector>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

namespace {

// Such an engine waits for the GPU's driver, and that may be where a thread is cancelled.
bool is_of_gpu(const std::string& engine) { return engine.starts_with("cuda"); }

}  // namespace

struct phalanx_cipher {
  phalanx::Cipher cipher;
  bool waits = is_of_gpu(cipher.engine());
};
struct phalanx_sector_cipher {
  phalanx::SectorCipher cipher;
  bool waits = is_of_gpu(cipher.engine());
};
struct phalanx_aead {
  phalanx::Aead cipher;
  phalanx::PlaintextRelease release;
  bool waits = is_of_gpu(cipher.engine());
};

namespace {

using phalanx::Bytes;
using phalanx::CipherFacts;
using phalanx::elements_at;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::MutableBytes;
using phalanx::not_null;

// The iv of a cipher; none where ECB's caller gives null.
Bytes iv_of(const CipherFacts& facts, const std::uint8_t* iv) {
  if (facts.iv_bytes != 0 && iv == nullptr) {
    throw Error(ErrorCode::usage, "the iv is null: " + facts.name + " takes " + std::to_string(facts.iv_bytes) + " bytes");
  }
  return {iv, facts.iv_bytes};
}

// A call reads its text from `in`, and writes it to `out`.
struct Text {
  Bytes in;
  MutableBytes out;

  Text(const std::uint8_t* in_at, std::size_t in_bytes, std::uint8_t* out_at, std::size_t out_bytes)
      : in(elements_at(in_at, in_bytes, "the input")), out(elements_at(out_at, out_bytes, "the output")) {}
  Text(const std::uint8_t* in_at, std::uint8_t* out_at, std::size_t size) : Text(in_at, size, out_at, size) {}
};

void check_device_text(const void* in, void* out, std::size_t size) {
  static_cast<void>(Text(static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out), size));
}

void store_next_iv(const phalanx::ChainValue& next, std::uint8_t* next_iv) {
  if (next_iv != nullptr) std::memcpy(next_iv, next.bytes.data(), next.size);
}

// Makes what a handle holds, and the handle; null until there is one.
template <class Handle>
int new_cipher(Handle** place, const char* name, const std::uint8_t* key, std::size_t key_bytes,
               const phalanx_cipher_policy* policy, const phalanx_engine_options* options) {
  return guarded([&] {
    Handle*& result = phalanx::place_of(place);
    result = new Handle{{&not_null(name, "the cipher's name"), elements_at(key, key_bytes, "the key"),
                         phalanx::engine_in_c(options), phalanx::policy_in_c(policy)}};
  });
}

// One message of so many bytes: where it is short, and no GPU has it, no thread is waited for. `run` has copies of what the
// call was given, which stay in registers.
template <class Handle, class Run>
inline int guarded_message(const Handle* handle, std::size_t size, Run run) {
  constexpr std::size_t most_of_one_thread = 2048;
  if (size > most_of_one_thread || handle == nullptr || handle->waits) [[unlikely]]
    return guarded(run);
  return phalanx::guarded_computation(run);
}

template <class Handle>
const auto& cipher_of(const Handle* handle) {
  return not_null(handle, "the cipher").cipher;
}

template <class Handle>
int give_engine(const Handle* handle, const char** engine) {
  return guarded([&] { not_null(engine, "the place of the name") = cipher_of(handle).engine().c_str(); });
}

constexpr phalanx_message defaults_of(const phalanx_message*) { return PHALANX_MESSAGE_INIT; }
constexpr phalanx_aead_message defaults_of(const phalanx_aead_message*) { return PHALANX_AEAD_MESSAGE_INIT; }
constexpr phalanx_aead_leading_nonce_message defaults_of(const phalanx_aead_leading_nonce_message*) {
  return PHALANX_AEAD_LEADING_NONCE_MESSAGE_INIT;
}

template <class Message>
class Batch : public phalanx::StructsAt<Message> {
 public:
  Batch(Message* messages, std::size_t num_messages)
      : phalanx::StructsAt<Message>(messages, num_messages, defaults_of(messages), "the batch") {}
};

std::vector<phalanx::Message> batch_of(const phalanx::Cipher& cipher, const Batch<const phalanx_message>& messages) {
  std::vector<phalanx::Message> batch;
  batch.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const phalanx_message m = messages[i];
    const Text text(m.in, m.out, m.size);
    const Bytes key = m.key == nullptr ? Bytes{} : Bytes{m.key, cipher.facts().key_bytes};
    const phalanx::Cipher* const own = m.cipher == nullptr ? nullptr : &cipher_of(m.cipher);
    batch.push_back({iv_of(cipher.facts(), m.iv), text.in, text.out, key, own});
  }
  return batch;
}

// Makes a batch of phalanx::MessageToSeal or MessageToOpen.
template <class Message>
std::vector<Message> aead_batch_of(const phalanx::Aead& aead, const Batch<const phalanx_aead_message>& messages) {
  std::vector<Message> batch;
  batch.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const phalanx_aead_message m = messages[i];
    const Text text(m.in, m.in_bytes, m.out, m.out_bytes);
    batch.push_back({elements_at(m.nonce, m.nonce_bytes, "the nonce"),
                     elements_at(m.associated_data, m.associated_bytes, "the associated data"), text.in, text.out,
                     elements_at(m.tag, m.tag_bytes, "the tag"),
                     m.key == nullptr ? Bytes{} : Bytes{m.key, aead.facts().key_bytes}});
  }
  return batch;
}

template <class Message>
void forget_verdicts(const Batch<Message>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) messages.put(i, &Message::is_authentic, 0);
}

template <class Message, class Opened>
void give_verdicts(const Batch<Message>& messages, const std::vector<Opened>& opened, bool all_fit) {
  for (std::size_t i = 0; i < messages.size(); ++i) messages.put(i, &Message::is_authentic, opened[i].is_authentic ? 1 : 0);
  if (!all_fit) throw Error(ErrorCode::authentication, "a tag of the batch does not verify: the messages say which");
}

// Makes a batch of phalanx::MessageToSealWithNewNonce or MessageToOpenWithLeadingNonce.
template <class Message>
std::vector<Message> random_batch_of(const phalanx::Aead& aead,
                                     const Batch<const phalanx_aead_leading_nonce_message>& messages) {
  std::vector<Message> batch;
  batch.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const phalanx_aead_leading_nonce_message m = messages[i];
    const Text text(m.in, m.in_bytes, m.out, m.out_bytes);
    batch.push_back({elements_at(m.associated_data, m.associated_bytes, "the associated data"), text.in, text.out,
                     m.key == nullptr ? Bytes{} : Bytes{m.key, aead.facts().key_bytes}});
  }
  return batch;
}

void give_facts(const CipherFacts& facts, phalanx_facts* place) {
  const phalanx_facts given{sizeof(phalanx_facts), facts.name.c_str(), facts.key_bytes,      facts.block_bytes,
                            facts.iv_bytes,        facts.tag_bytes,    facts.encrypts_parts, facts.decrypts_parts};
  phalanx::give_struct(given, not_null(place, "the place of the facts"));
}

}  // namespace

const char* phalanx_version(void) { return phalanx::version(); }

int phalanx_facts_of(const char* name, phalanx_facts* facts) {
  return guarded([&] { give_facts(phalanx::cipher_facts(&not_null(name, "the cipher's name")), facts); });
}
int phalanx_facts_at(std::size_t index, phalanx_facts* facts) {
  return guarded([&] {
    const auto all = phalanx::all_cipher_facts();
    if (index >= all.size()) throw Error(ErrorCode::usage, "there are " + std::to_string(all.size()) + " ciphers and modes");
    give_facts(all[index], facts);
  });
}

int phalanx_engine_at(std::size_t index, const char** name, const char** description, const char** reason) {
  return guarded([&] {
    static const auto& infos = *new std::vector<phalanx::EngineInfo>(phalanx::engines());  // its strings live for ever
    if (index >= infos.size()) throw Error(ErrorCode::usage, "there are " + std::to_string(infos.size()) + " engines");
    if (name != nullptr) *name = infos[index].name.c_str();
    if (description != nullptr) *description = infos[index].description.c_str();
    if (reason != nullptr) *reason = infos[index].reason.c_str();
  });
}
int phalanx_self_test(const char* engine) {
  return guarded([&] { phalanx::self_test(engine == nullptr ? "" : engine); });
}

int phalanx_cipher_new(phalanx_cipher** cipher, const char* name, const std::uint8_t* key, std::size_t key_bytes,
                       const phalanx_cipher_policy* policy, const phalanx_engine_options* options) {
  return new_cipher(cipher, name, key, key_bytes, policy, options);
}
void phalanx_cipher_free(phalanx_cipher* cipher) { phalanx::free_in_c(cipher); }
int phalanx_cipher_engine(const phalanx_cipher* cipher, const char** engine) { return give_engine(cipher, engine); }

int phalanx_cipher_encrypt(const phalanx_cipher* cipher, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t size, std::uint8_t* next_iv) {
  return guarded_message(cipher, size, [=] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    store_next_iv(keyed.encrypt(iv_of(keyed.facts(), iv), text.in, text.out), next_iv);
  });
}
int phalanx_cipher_encrypt_part(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset,
                                const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded_message(cipher, size, [=] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    keyed.encrypt_part(iv_of(keyed.facts(), iv), offset, text.in, text.out);
  });
}
int phalanx_cipher_encrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    keyed.encrypt_batch(batch_of(keyed, {messages, num_messages}));
  });
}

int phalanx_cipher_decrypt(const phalanx_cipher* cipher, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t size, std::uint8_t* next_iv) {
  return guarded_message(cipher, size, [=] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    store_next_iv(keyed.decrypt(iv_of(keyed.facts(), iv), text.in, text.out), next_iv);
  });
}
int phalanx_cipher_decrypt_part(const phalanx_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset,
                                const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded_message(cipher, size, [=] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    const Text text(in, out, size);
    keyed.decrypt_part(iv_of(keyed.facts(), iv), offset, text.in, text.out);
  });
}
int phalanx_cipher_decrypt_batch(const phalanx_cipher* cipher, const phalanx_message* messages, std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Cipher& keyed = cipher_of(cipher);
    keyed.decrypt_batch(batch_of(keyed, {messages, num_messages}));
  });
}

int phalanx_sector_cipher_new(phalanx_sector_cipher** cipher, const char* name, const std::uint8_t* key,
                              std::size_t key_bytes, const phalanx_cipher_policy* policy,
                              const phalanx_engine_options* options) {
  return new_cipher(cipher, name, key, key_bytes, policy, options);
}
void phalanx_sector_cipher_free(phalanx_sector_cipher* cipher) { phalanx::free_in_c(cipher); }
int phalanx_sector_cipher_engine(const phalanx_sector_cipher* cipher, const char** engine) {
  return give_engine(cipher, engine);
}

int phalanx_sector_cipher_encrypt(const phalanx_sector_cipher* cipher, std::uint64_t first_tweak, std::uint64_t tweak_step,
                                  std::size_t sector_bytes, const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded_message(cipher, size, [=] {
    const Text text(in, out, size);
    cipher_of(cipher).encrypt(first_tweak, tweak_step, sector_bytes, text.in, text.out);
  });
}

int phalanx_sector_cipher_decrypt(const phalanx_sector_cipher* cipher, std::uint64_t first_tweak, std::uint64_t tweak_step,
                                  std::size_t sector_bytes, const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
  return guarded_message(cipher, size, [=] {
    const Text text(in, out, size);
    cipher_of(cipher).decrypt(first_tweak, tweak_step, sector_bytes, text.in, text.out);
  });
}

int phalanx_device_cipher_new(phalanx_device_cipher** cipher, const char* name, const std::uint8_t* key,
                              std::size_t key_bytes, const phalanx_cipher_policy* policy,
                              const phalanx_engine_options* options) {
  return new_cipher(cipher, name, key, key_bytes, policy, options);
}
void phalanx_device_cipher_free(phalanx_device_cipher* cipher) { phalanx::free_in_c(cipher); }
int phalanx_device_cipher_engine(const phalanx_device_cipher* cipher, const char** engine) {
  return give_engine(cipher, engine);
}

int phalanx_device_cipher_encrypt(const phalanx_device_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset,
                                  const void* in, void* out, std::size_t size, void* stream) {
  return guarded([&] {
    const phalanx::DeviceCipher& keyed = cipher_of(cipher);
    check_device_text(in, out, size);
    keyed.encrypt(iv_of(keyed.facts(), iv), offset, in, out, size, stream);
  });
}

int phalanx_device_cipher_decrypt(const phalanx_device_cipher* cipher, const std::uint8_t* iv, std::uint64_t offset,
                                  const void* in, void* out, std::size_t size, void* stream) {
  return guarded([&] {
    const phalanx::DeviceCipher& keyed = cipher_of(cipher);
    check_device_text(in, out, size);
    keyed.decrypt(iv_of(keyed.facts(), iv), offset, in, out, size, stream);
  });
}

int phalanx_aead_new(phalanx_aead** aead, const char* name, const std::uint8_t* key, std::size_t key_bytes,
                     const phalanx_aead_options* aead_options, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_aead*& place = phalanx::place_of(aead);
    place = new phalanx_aead{{&not_null(name, "the cipher's name"), elements_at(key, key_bytes, "the key"),
                              phalanx::engine_in_c(options), phalanx::aead_options_in_c(aead_options)},
                             phalanx::release_in_c(aead_options)};
  });
}
void phalanx_aead_free(phalanx_aead* aead) { phalanx::free_in_c(aead); }
int phalanx_aead_engine(const phalanx_aead* aead, const char** engine) { return give_engine(aead, engine); }

int phalanx_aead_seal(const phalanx_aead* aead, const std::uint8_t* nonce, std::size_t nonce_bytes,
                      const std::uint8_t* associated_data, std::size_t associated_bytes, const std::uint8_t* in,
                      std::size_t in_bytes, std::uint8_t* out, std::size_t out_bytes, std::uint8_t* tag,
                      std::size_t tag_bytes) {
  return guarded_message(aead, in_bytes, [=] {
    const phalanx::Aead& keyed = cipher_of(aead);
    const Text text(in, in_bytes, out, out_bytes);
    keyed.seal(elements_at(nonce, nonce_bytes, "the nonce"),
               elements_at(associated_data, associated_bytes, "the associated data"), text.in, text.out,
               elements_at(tag, tag_bytes, "the tag"));
  });
}
int phalanx_aead_open(const phalanx_aead* aead, const std::uint8_t* nonce, std::size_t nonce_bytes,
                      const std::uint8_t* associated_data, std::size_t associated_bytes, const std::uint8_t* in,
                      std::size_t in_bytes, std::uint8_t* out, std::size_t out_bytes, const std::uint8_t* tag,
                      std::size_t tag_bytes) {
  return guarded_message(aead, in_bytes, [=] {
    const phalanx::Aead& keyed = cipher_of(aead);
    const Text text(in, in_bytes, out, out_bytes);
    keyed.open(elements_at(nonce, nonce_bytes, "the nonce"),
               elements_at(associated_data, associated_bytes, "the associated data"), text.in, text.out,
               elements_at(tag, tag_bytes, "the tag"), aead->release);
  });
}

int phalanx_aead_seal_batch(const phalanx_aead* aead, const phalanx_aead_message* messages, std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Aead& keyed = cipher_of(aead);
    keyed.seal_batch(aead_batch_of<phalanx::MessageToSeal>(keyed, {messages, num_messages}));
  });
}
int phalanx_aead_open_batch(const phalanx_aead* aead, phalanx_aead_message* messages, std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Aead& keyed = cipher_of(aead);
    const Batch<phalanx_aead_message> all(messages, num_messages);
    forget_verdicts(all);
    auto batch = aead_batch_of<phalanx::MessageToOpen>(keyed, {messages, num_messages});
    const bool all_fit = keyed.open_batch(batch, aead->release);
    give_verdicts(all, batch, all_fit);
  });
}

int phalanx_aead_seal_with_new_nonce(const phalanx_aead* aead, const std::uint8_t* associated_data,
                                     std::size_t associated_bytes, const std::uint8_t* in, std::size_t in_bytes,
                                     std::uint8_t* out, std::size_t out_bytes) {
  return guarded([&] {
    cipher_of(aead).seal_with_new_nonce(elements_at(associated_data, associated_bytes, "the associated data"),
                                        elements_at(in, in_bytes, "the input"), elements_at(out, out_bytes, "the output"));
  });
}
int phalanx_aead_open_with_leading_nonce(const phalanx_aead* aead, const std::uint8_t* associated_data,
                                         std::size_t associated_bytes, const std::uint8_t* in, std::size_t in_bytes,
                                         std::uint8_t* out, std::size_t out_bytes) {
  return guarded([&] {
    cipher_of(aead).open_with_leading_nonce(elements_at(associated_data, associated_bytes, "the associated data"),
                                            elements_at(in, in_bytes, "the input"),
                                            elements_at(out, out_bytes, "the output"), aead->release);
  });
}

int phalanx_aead_seal_with_new_nonce_batch(const phalanx_aead* aead, const phalanx_aead_leading_nonce_message* messages,
                                           std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Aead& keyed = cipher_of(aead);
    const Batch<const phalanx_aead_leading_nonce_message> all(messages, num_messages);
    keyed.seal_with_new_nonce_batch(random_batch_of<phalanx::MessageToSealWithNewNonce>(keyed, all));
  });
}
int phalanx_aead_open_with_leading_nonce_batch(const phalanx_aead* aead, phalanx_aead_leading_nonce_message* messages,
                                               std::size_t num_messages) {
  return guarded([&] {
    const phalanx::Aead& keyed = cipher_of(aead);
    const Batch<phalanx_aead_leading_nonce_message> all(messages, num_messages);
    forget_verdicts(all);
    auto batch = random_batch_of<phalanx::MessageToOpenWithLeadingNonce>(keyed, {messages, num_messages});
    const bool all_fit = keyed.open_with_leading_nonce_batch(batch, aead->release);
    give_verdicts(all, batch, all_fit);
  });
}

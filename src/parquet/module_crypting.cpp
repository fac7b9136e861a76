// These are the public functions for modules. They make AADs, and crypt batches of modules through the library's GCM
// and CTR.
#include <algorithm>
#include <array>
#include <optional>
#include <phalanx/aead.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/parquet/modular_encryption.hpp>

#include "engine/bytes/byte_order.hpp"
#include "engine/host/host.hpp"
#include "engine/text/counted.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

std::string cipher_of(Bytes key, const char* mode) {
  require_key_bytes(key.size());
  return "aes-" + std::to_string(key.size() * 8) + "-" + mode;
}

// Parquet Modular Encryption, section 4.4.2, says which modules have a place and which have a page.
constexpr bool has_place(ParquetModule module) { return module != ParquetModule::footer; }
constexpr bool has_page(ParquetModule module) {
  return module == ParquetModule::data_page || module == ParquetModule::data_page_header;
}

void put_ordinal(Buffer& out, unsigned ordinal, const char* what) {
  if (ordinal > most_ordinal) {
    throw Error(ErrorCode::usage, std::string("an encrypted Parquet file has at most 32,768 ") + what);
  }
  out.push_back(static_cast<std::uint8_t>(ordinal));
  out.push_back(static_cast<std::uint8_t>(ordinal >> 8));
}

// Section 4.2.2: the nonce and a counter that begins with 1.
std::array<std::uint8_t, 16> first_counter(Bytes nonce) {
  std::array<std::uint8_t, 16> counter{};
  std::ranges::copy(nonce, counter.begin());
  counter[15] = 1;
  return counter;
}

Bytes nonce_of(Bytes module) { return module.subspan(module_length_bytes, module_nonce_bytes); }

}  // namespace

void append_aad(Buffer& out, Bytes base, const ParquetPlace& place) {
  out.insert(out.end(), base.begin(), base.end());
  out.push_back(static_cast<std::uint8_t>(place.module));
  if (!has_place(place.module)) return;
  put_ordinal(out, place.row_group, "row groups");
  put_ordinal(out, place.column, "columns");
  if (has_page(place.module)) put_ordinal(out, place.page, "data pages in a column chunk");
}

void require_key_bytes(std::size_t num_bytes) {
  if (num_bytes == 16 || num_bytes == 24 || num_bytes == 32) return;
  throw Error(ErrorCode::usage,
              "a key of Parquet has 16, 24 or 32 bytes (AES), and " + std::to_string(num_bytes) + " were given");
}

struct ParquetModules::State {
  ParquetAlgorithm algorithm;
  Buffer aad_base;
  Aead gcm;
  std::optional<Cipher> ctr;

  State(ParquetAlgorithm wanted, Bytes key, Bytes aad_prefix, Bytes aad_file_unique, const EngineOptions& options)
      : algorithm(wanted), aad_base(aad_prefix.begin(), aad_prefix.end()), gcm(cipher_of(key, "gcm"), key, options) {
    aad_base.insert(aad_base.end(), aad_file_unique.begin(), aad_file_unique.end());
    if (algorithm == ParquetAlgorithm::aes_gcm_ctr_v1) ctr.emplace(cipher_of(key, "ctr"), key, options);
  }

  [[nodiscard]] Buffer aad_of(const ParquetPlace& place) const {
    Buffer aad;
    append_aad(aad, aad_base, place);
    return aad;
  }

  // The tag over a footer, by the nonce that the signature begins with.
  void sign(Bytes footer, MutableBytes signature) const {
    Buffer ciphertext(footer.size());
    gcm.seal(signature.first(module_nonce_bytes), aad_of({}), footer, ciphertext, signature.subspan(module_nonce_bytes));
  }
};

ParquetModules::ParquetModules(ParquetAlgorithm algorithm, Bytes key, Bytes aad_prefix, Bytes aad_file_unique,
                               const EngineOptions& options)
    : state_(std::make_unique<const State>(algorithm, key, aad_prefix, aad_file_unique, options)) {}
ParquetModules::~ParquetModules() = default;
ParquetModules::ParquetModules(ParquetModules&&) noexcept = default;
ParquetModules& ParquetModules::operator=(ParquetModules&&) noexcept = default;

bool ParquetModules::is_authenticated(ParquetModule module) const {
  const bool is_page = module == ParquetModule::data_page || module == ParquetModule::dictionary_page;
  return !is_page || state_->algorithm == ParquetAlgorithm::aes_gcm_v1;
}

std::size_t ParquetModules::sealed_bytes(ParquetModule module, std::size_t plain_bytes) const {
  const std::size_t added = is_authenticated(module) ? gcm_module_added_bytes : ctr_module_added_bytes;
  // Page headers hold such lengths in 31 bits.
  if (plain_bytes > INT32_MAX - added) {
    throw Error(ErrorCode::usage, "a part of the Parquet file is too long to be encrypted: " + count_bytes(plain_bytes));
  }
  return plain_bytes + added;
}

bool ParquetModules::open_batch(std::span<ParquetModuleToOpen> modules) const {
  std::vector<Buffer> aads;
  std::vector<std::array<std::uint8_t, 16>> counters;
  std::vector<MessageToOpen> sealed;
  std::vector<std::size_t> sealed_places;
  std::vector<Message> unsealed;
  aads.reserve(modules.size());
  counters.reserve(modules.size());
  for (ParquetModuleToOpen& module : modules) {
    const bool has_tag = is_authenticated(module.place.module);
    const std::size_t size = module.module.size(), added = has_tag ? gcm_module_added_bytes : ctr_module_added_bytes;
    if (size < added || load_u32(module.module.data()) != size - module_length_bytes) {
      fail_parquet("the length of an encrypted module does not fit");
    }
    module.is_authentic = false;
    module.plain = module.module.subspan(ctr_module_added_bytes, size - added);
    if (has_tag) {
      aads.push_back(state_->aad_of(module.place));
      sealed.push_back({.nonce = nonce_of(module.module),
                        .associated_data = aads.back(),
                        .in = module.plain,
                        .out = module.plain,
                        .tag = module.module.last(module_tag_bytes),
                        .key = {}});
      sealed_places.push_back(static_cast<std::size_t>(&module - modules.data()));
    } else {
      counters.push_back(first_counter(nonce_of(module.module)));
      unsealed.push_back({.iv = counters.back(), .in = module.plain, .out = module.plain, .key = {}});
    }
  }
  const bool all_authentic = state_->gcm.open_batch(sealed);
  for (std::size_t i = 0; i < sealed.size(); ++i) modules[sealed_places[i]].is_authentic = sealed[i].is_authentic;
  if (all_authentic && !unsealed.empty()) state_->ctr->decrypt_batch(unsealed);
  return all_authentic;
}

void ParquetModules::seal_batch(std::span<const ParquetModuleToSeal> modules) const {
  std::vector<Buffer> aads;
  std::vector<std::array<std::uint8_t, 16>> counters;
  std::vector<MessageToSeal> to_seal;
  std::vector<Message> to_encrypt;
  aads.reserve(modules.size());
  counters.reserve(modules.size());
  Buffer nonces(modules.size() * module_nonce_bytes);
  fill_random(nonces);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const ParquetModuleToSeal& module = modules[i];
    if (module.module.size() != sealed_bytes(module.place.module, module.plain.size())) {
      throw Error(ErrorCode::usage, "the place of a sealed module has another size than sealed_bytes says");
    }
    store_u32(module.module.data(), static_cast<std::uint32_t>(module.module.size() - module_length_bytes));
    const Bytes nonce = Bytes(nonces).subspan(i * module_nonce_bytes, module_nonce_bytes);
    std::ranges::copy(nonce, module.module.begin() + module_length_bytes);
    const MutableBytes out = module.module.subspan(ctr_module_added_bytes, module.plain.size());
    if (is_authenticated(module.place.module)) {
      aads.push_back(state_->aad_of(module.place));
      to_seal.push_back({.nonce = nonce,
                         .associated_data = aads.back(),
                         .in = module.plain,
                         .out = out,
                         .tag = module.module.last(module_tag_bytes),
                         .key = {}});
    } else {
      counters.push_back(first_counter(nonce));
      to_encrypt.push_back({.iv = counters.back(), .in = module.plain, .out = out, .key = {}});
    }
  }
  state_->gcm.seal_batch(to_seal);
  if (!to_encrypt.empty()) state_->ctr->encrypt_batch(to_encrypt);
}

// Section 5.5: the signature is what sealing the footer gives, without the ciphertext.
Buffer ParquetModules::sign_footer(Bytes footer) const {
  Buffer signature(footer_signature_bytes);
  fill_random(MutableBytes(signature).first(module_nonce_bytes));
  state_->sign(footer, signature);
  return signature;
}

bool ParquetModules::verify_footer(Bytes footer, Bytes signature) const {
  if (signature.size() != footer_signature_bytes) return false;
  Buffer expected(signature.begin(), signature.end());
  state_->sign(footer, expected);
  return equal_in_constant_time(expected, signature);
}

inline namespace PHALANX_VERSION_NAMESPACE {

std::vector<ParquetSpan> walk_parquet_modules(Bytes bytes) {
  std::vector<ParquetSpan> spans;
  for (std::uint64_t offset = 0; offset < bytes.size();) {
    const Bytes rest = bytes.subspan(offset);
    const std::uint64_t num_bytes =
        rest.size() < module_length_bytes ? rest.size() + 1 : module_length_bytes + std::uint64_t{load_u32(rest.data())};
    if (num_bytes > rest.size()) {
      throw Error(ErrorCode::truncated, "a module of the Parquet file reaches over the end of its part");
    }
    spans.push_back({offset, num_bytes});
    offset += num_bytes;
  }
  return spans;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

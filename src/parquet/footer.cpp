#include "parquet/footer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/bytes/byte_order.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

constexpr std::size_t magic_bytes = 4;
constexpr std::size_t end_bytes = 8;  // the length of the footer, and the magic bytes

// These are the ids of the fields of FileCryptoMetaData, and of the structures of EncryptionAlgorithm.
constexpr int encryption_algorithm = 1, key_metadata = 2;
constexpr int aad_prefix = 1, aad_file_unique = 2, supply_aad_prefix = 3;

Buffer buffer_of(std::optional<Bytes> bytes) { return bytes ? Buffer(bytes->begin(), bytes->end()) : Buffer(); }

void take_crypto(const std::optional<CompactStruct>& algorithms, Footer& footer) {
  if (!algorithms) fail_parquet("it does not say how it is encrypted");
  for (const ParquetAlgorithm algorithm : {ParquetAlgorithm::aes_gcm_v1, ParquetAlgorithm::aes_gcm_ctr_v1}) {
    const std::optional<CompactStruct> facts = algorithms->structure(static_cast<int>(algorithm));
    if (!facts) continue;
    footer.crypto.algorithm = algorithm;
    footer.crypto.aad_prefix = buffer_of(facts->binary(aad_prefix));
    footer.crypto.aad_file_unique = buffer_of(facts->binary(aad_file_unique));
    footer.wants_aad_prefix = facts->truth(supply_aad_prefix).value_or(false);
    return;
  }
  throw Error(ErrorCode::format, "the Parquet file is encrypted by an algorithm that is not known here");
}

CompactStruct algorithms_of(const CryptoToWrite& how) {
  CompactStruct facts;
  if (!how.crypto.aad_prefix.empty()) {
    if (how.store_aad_prefix) {
      facts.set_binary(aad_prefix, how.crypto.aad_prefix);
    } else {
      facts.set_truth(supply_aad_prefix, true);
    }
  }
  facts.set_binary(aad_file_unique, how.crypto.aad_file_unique);
  CompactStruct algorithms;
  algorithms.set_structure(static_cast<int>(how.crypto.algorithm), facts);
  return algorithms;
}

void read_encrypted(Bytes end, Footer& footer) {
  const CompactStruct crypto = CompactStruct::read(end);
  take_crypto(crypto.structure(encryption_algorithm), footer);
  footer.key_metadata = buffer_of(crypto.binary(key_metadata));
  const Bytes module = end.subspan(crypto.num_bytes());
  if (module.size() < gcm_module_added_bytes) fail_parquet("its footer is too short to be encrypted");
  footer.metadata.assign(module.begin(), module.end());
}

void read_plaintext(Bytes end, Footer& footer) {
  const CompactStruct metadata = CompactStruct::read(end);
  footer.metadata.assign(end.begin(), end.begin() + static_cast<std::ptrdiff_t>(metadata.num_bytes()));
  const Bytes behind = end.subspan(metadata.num_bytes());
  if (!metadata.has(file_metadata::encryption_algorithm)) return;  // whatever follows then: other readers take it as well
  footer.kind = FooterKind::signed_plaintext;
  take_crypto(metadata.structure(file_metadata::encryption_algorithm), footer);
  footer.key_metadata = buffer_of(metadata.binary(file_metadata::footer_signing_key_metadata));
  if (behind.size() != footer_signature_bytes) fail_parquet("its footer is encrypted or not, but has no signature");
  footer.signature.assign(behind.begin(), behind.end());
}

}  // namespace

Bytes magic_of(FooterKind kind) { return bytes_of(kind == FooterKind::encrypted ? "PARE" : "PAR1"); }

Footer read_footer(PartSource& source) {
  if (source.num_bytes() < magic_bytes + end_bytes)
    throw Error(ErrorCode::truncated, "a Parquet file has at least 12 bytes");
  std::array<std::uint8_t, magic_bytes> beginning{};
  std::array<std::uint8_t, end_bytes> end{};
  source.read_at(0, beginning);
  source.read_at(source.num_bytes() - end_bytes, end);
  const Bytes magic = Bytes(end).last(magic_bytes);
  const auto has_magic = [magic](FooterKind kind) { return std::ranges::equal(magic, magic_of(kind)); };
  if (!std::ranges::equal(beginning, magic) || (!has_magic(FooterKind::plain) && !has_magic(FooterKind::encrypted))) {
    fail_parquet("it does not begin and end with PAR1 or PARE");
  }
  const std::uint64_t num_bytes = load_u32(end.data());
  if (num_bytes > source.num_bytes() - end_bytes - magic_bytes) fail_parquet("its footer is longer than the file");
  const Buffer bytes = source.read(source.claim(static_cast<std::int64_t>(source.num_bytes() - end_bytes - num_bytes),
                                                static_cast<std::int64_t>(num_bytes)));
  Footer footer;
  if (has_magic(FooterKind::encrypted)) {
    footer.kind = FooterKind::encrypted;
    read_encrypted(bytes, footer);
  } else {
    read_plaintext(bytes, footer);
  }
  return footer;
}

void write_footer(CompactStruct metadata, const CryptoToWrite& how, SealingKey* key, PartSink& sink) {
  Buffer all;
  if (how.kind == FooterKind::encrypted) {
    CompactStruct crypto;
    crypto.set_structure(encryption_algorithm, algorithms_of(how));
    if (!key->key_metadata().empty()) crypto.set_binary(key_metadata, key->key_metadata());
    all = crypto.bytes();
    const Buffer module = key->seal({}, metadata.bytes());
    all.insert(all.end(), module.begin(), module.end());
  } else if (how.kind == FooterKind::signed_plaintext) {
    metadata.set_structure(file_metadata::encryption_algorithm, algorithms_of(how));
    if (!key->key_metadata().empty()) metadata.set_binary(file_metadata::footer_signing_key_metadata, key->key_metadata());
    all = metadata.bytes();
    const Buffer signature = key->sign_footer(all);
    all.insert(all.end(), signature.begin(), signature.end());
  } else {
    all = metadata.bytes();
  }
  if (all.size() > INT32_MAX) throw Error(ErrorCode::usage, "the footer of the Parquet file would be longer than 2 GiB");
  std::array<std::uint8_t, 4> length{};
  store_u32(length.data(), static_cast<std::uint32_t>(all.size()));
  sink.write(all);
  sink.write(length);
  sink.write(magic_of(how.kind));
}

}  // namespace phalanx

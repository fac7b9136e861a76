// encrypt_parquet and encrypt_parquet_file.
#include <algorithm>
#include <phalanx/parquet/modular_encryption.hpp>
#include <set>

#include "engine/host/host.hpp"
#include "files/system/paths.hpp"
#include "parquet/file_rewrite.hpp"

namespace phalanx {
namespace {

constexpr std::size_t file_unique_bytes = 16;

bool are_equal(const ParquetKey& one, const ParquetKey& other) {
  const Bytes a = one.state().key, b = other.state().key;
  return a.size() == b.size() && equal_in_constant_time(a, b);
}

// Two counts of one key would count neither.
void require_other_keys(const ParquetKey& footer_key, const std::map<std::string, ParquetKey>& column_keys) {
  std::vector<const ParquetKey*> keys{&footer_key};
  for (const auto& [path, key] : column_keys) {
    for (const ParquetKey* other : keys) {
      if (&other->state() != &key.state() && are_equal(*other, key)) {
        throw Error(ErrorCode::usage,
                    "two keys for the Parquet file are equal: give copies of one ParquetKey, which share its count");
      }
    }
    keys.push_back(&key);
  }
}

class KeysForFile : public ChunkKeys {
 public:
  KeysForFile(const CryptoToWrite& how, SealingKey& footer_key, const EncryptParquetOptions& options)
      : how_(how), footer_key_(footer_key), plain_columns_(options.plain_columns.begin(), options.plain_columns.end()) {
    for (const auto& [path, key] : options.column_keys) {
      if (plain_columns_.contains(path)) {
        throw Error(ErrorCode::usage, "column " + path + " has a key and is to stay plain: only one of these can be");
      }
      // A copy of the footer's key is the footer's key.
      if (!footer_key_.is_of(key)) column_keys_.try_emplace(path, how.crypto, key, options.engine);
      unseen_.insert(path);
    }
    unseen_.insert(plain_columns_.begin(), plain_columns_.end());
  }

  void find(Chunk& chunk) override {
    const std::optional<CompactStruct> metadata = chunk.chunk.structure(column_chunk::meta_data);
    if (!metadata) fail_parquet("a column chunk has no metadata");
    if (chunk.chunk.has(column_chunk::crypto_metadata)) fail_parquet("a column is encrypted, though the file is not");
    chunk.metadata = *metadata;
    chunk.path = path_of(chunk.metadata, column_metadata::path_in_schema);
    unseen_.erase(chunk.path);
    if (plain_columns_.contains(chunk.path)) return;
    const auto found = column_keys_.find(chunk.path);
    chunk.seal = found == column_keys_.end() ? &footer_key_ : &found->second;
  }

  // Sections 5.3 and 5.5.
  void put_metadata(Chunk& chunk) override {
    if (chunk.seal == nullptr) {
      chunk.chunk.set_structure(column_chunk::meta_data, chunk.metadata);
      return;
    }
    const bool is_footer_key = chunk.seal == &footer_key_;
    put_crypto(chunk, is_footer_key);
    if (is_footer_key && how_.kind == FooterKind::encrypted) {
      chunk.chunk.set_structure(column_chunk::meta_data, chunk.metadata);
      return;
    }
    const Buffer module = chunk.seal->seal(chunk.place(ParquetModule::column_metadata), chunk.metadata.bytes());
    chunk.chunk.set_binary(column_chunk::encrypted_column_metadata, module);
    if (how_.kind == FooterKind::encrypted) {
      chunk.chunk.remove(column_chunk::meta_data);
      return;
    }
    for (const int id : {column_metadata::statistics, column_metadata::encoding_stats, column_metadata::size_statistics,
                         column_metadata::geospatial_statistics}) {
      chunk.metadata.remove(id);
    }
    chunk.chunk.set_structure(column_chunk::meta_data, chunk.metadata);
  }

  void require_all_seen(bool has_row_groups) const {
    if (has_row_groups && !unseen_.empty()) {
      throw Error(ErrorCode::usage,
                  "the Parquet file has no column " + *unseen_.begin() + ": give a path as its schema has it");
    }
  }

  [[nodiscard]] std::uint64_t num_sealed() const {
    std::uint64_t all = 0;
    for (const auto& [path, key] : column_keys_) all += key.num_sealed();
    return all;
  }

 private:
  static void put_crypto(Chunk& chunk, bool is_footer_key) {
    CompactStruct facts, crypto;
    if (is_footer_key) {
      crypto.set_structure(crypto_metadata::with_footer_key, facts);
    } else {
      facts.set_texts(crypto_metadata::path_in_schema, chunk.metadata.texts(column_metadata::path_in_schema).value());
      if (!chunk.seal->key_metadata().empty()) facts.set_binary(crypto_metadata::key_metadata, chunk.seal->key_metadata());
      crypto.set_structure(crypto_metadata::with_column_key, facts);
    }
    chunk.chunk.set_structure(column_chunk::crypto_metadata, crypto);
  }

  const CryptoToWrite& how_;
  SealingKey& footer_key_;
  std::map<std::string, SealingKey> column_keys_;
  std::set<std::string> plain_columns_;
  std::set<std::string> unseen_;  // paths that were given and are of no column so far
};

CryptoToWrite crypto_of(const EncryptParquetOptions& options) {
  CryptoToWrite how;
  how.crypto.algorithm = options.algorithm;
  how.crypto.aad_prefix = options.aad_prefix;
  how.crypto.aad_file_unique.resize(file_unique_bytes);
  fill_random(how.crypto.aad_file_unique);
  how.store_aad_prefix = options.store_aad_prefix;
  how.kind = options.plaintext_footer ? FooterKind::signed_plaintext : FooterKind::encrypted;
  return how;
}

EncryptedParquet encrypt(PartSource& source, ByteSink& out, const ParquetKey& key, const EncryptParquetOptions& options) {
  require_other_keys(key, options.column_keys);
  const Footer footer = read_footer(source);
  if (footer.kind != FooterKind::plain) throw Error(ErrorCode::usage, "the Parquet file is encrypted already");
  const CompactStruct metadata = CompactStruct::read_all(footer.metadata);
  const CryptoToWrite how = crypto_of(options);
  SealingKey footer_key(how.crypto, key, options.engine);
  KeysForFile keys(how, footer_key, options);
  PartSink sink(out);
  sink.write(magic_of(how.kind));
  FileRewrite rewrite(source, metadata, keys, sink);
  rewrite.move_parts();
  keys.require_all_seen(rewrite.has_row_groups());
  write_footer(rewrite.new_metadata(true), how, &footer_key, sink);
  return {.num_pages = rewrite.num_pages(),
          .num_modules = footer_key.num_sealed() + keys.num_sealed(),
          .encrypted_bytes = sink.position()};
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

EncryptedParquet encrypt_parquet_file(const std::string& in, const std::string& out, const ParquetKey& footer_key,
                                      const EncryptParquetOptions& options) {
  const Input input = open_regular_file(file_named(in));
  Output output(file_named(out), {.force = options.replace, .file_only = true}, &input);
  InputSource source(input);
  output.open();
  const EncryptedParquet encrypted = encrypt(source, output, footer_key, options);
  output.commit();
  return encrypted;
}

EncryptedParquet encrypt_parquet(Bytes in, std::vector<std::uint8_t>& encrypted, const ParquetKey& footer_key,
                                 const EncryptParquetOptions& options) {
  MemorySource source(in);
  MemorySink sink;
  const EncryptedParquet facts = encrypt(source, sink, footer_key, options);
  encrypted = std::move(sink.bytes);
  return facts;
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

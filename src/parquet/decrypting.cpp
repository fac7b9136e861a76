// decrypt_parquet and decrypt_parquet_file.
#include <phalanx/parquet/modular_encryption.hpp>

#include "engine/engines/registry.hpp"
#include "files/system/paths.hpp"
#include "parquet/device_pages.hpp"
#include "parquet/file_rewrite.hpp"

namespace phalanx {
namespace {

// Section 5.3: where a chunk's metadata are, and which key they are under.
class KeysOfFile : public ChunkKeys {
 public:
  explicit KeysOfFile(OpeningKeys& keys, const Footer& footer) : keys_(keys), footer_(footer) {}

  void find(Chunk& chunk) override {
    const std::optional<CompactStruct> crypto = chunk.chunk.structure(column_chunk::crypto_metadata);
    if (crypto) chunk.open = &key_of(*crypto);
    take_metadata(chunk);
    chunk.path = path_of(chunk.metadata, column_metadata::path_in_schema);
    if (crypto) check_path(*crypto, chunk.path);
  }

  void put_metadata(Chunk& chunk) override { chunk.chunk.set_structure(column_chunk::meta_data, chunk.metadata); }

 private:
  OpeningKey& key_of(const CompactStruct& crypto) {
    if (crypto.has(crypto_metadata::with_footer_key)) return keys_.footer_key(footer_.key_metadata);
    const std::optional<CompactStruct> facts = crypto.structure(crypto_metadata::with_column_key);
    if (!facts) fail_parquet("a column does not say which key it is under");
    return keys_.column_key(path_of(*facts, crypto_metadata::path_in_schema),
                            facts->binary(crypto_metadata::key_metadata).value_or(Bytes()));
  }

  static void take_metadata(Chunk& chunk) {
    const std::optional<Bytes> module = chunk.chunk.binary(column_chunk::encrypted_column_metadata);
    if (chunk.open != nullptr && module) {
      chunk.own_metadata =
          chunk.open->open_structure(chunk.place(ParquetModule::column_metadata), Buffer(module->begin(), module->end()));
      chunk.metadata = CompactStruct::read_all(chunk.own_metadata);
      return;
    }
    const std::optional<CompactStruct> metadata = chunk.chunk.structure(column_chunk::meta_data);
    if (!metadata) fail_parquet("a column chunk has no metadata");
    chunk.metadata = *metadata;
  }

  static void check_path(const CompactStruct& crypto, const std::string& path) {
    const std::optional<CompactStruct> facts = crypto.structure(crypto_metadata::with_column_key);
    if (facts && path_of(*facts, crypto_metadata::path_in_schema) != path) {
      fail_parquet("a column has one path in its metadata and another at its key");
    }
  }

  OpeningKeys& keys_;
  const Footer& footer_;
};

void take_aad_prefix(Footer& footer, const DecryptParquetOptions& options) {
  FileCrypto& crypto = footer.crypto;
  if (!options.aad_prefix) {
    if (!footer.wants_aad_prefix) return;
    throw Error(ErrorCode::usage, "the Parquet file was bound to an AAD prefix that it does not have: give it");
  }
  if (!crypto.aad_prefix.empty() && crypto.aad_prefix != *options.aad_prefix) {
    throw Error(ErrorCode::authentication, "the Parquet file has another AAD prefix than the one that it must be bound to");
  }
  crypto.aad_prefix = *options.aad_prefix;
}

void check_algorithm(const Footer& footer, const DecryptParquetOptions& options) {
  if (!options.require_gcm || footer.crypto.algorithm == ParquetAlgorithm::aes_gcm_v1) return;
  throw Error(
      ErrorCode::policy,
      "the Parquet file says that its pages are encrypted by CTR (AES_GCM_CTR_V1), which tells nobody of a page that "
      "was changed, and GCM is required");
}

Buffer authentic_metadata(const Footer& footer, OpeningKey& key) {
  if (footer.kind == FooterKind::encrypted) return key.open_structure({}, footer.metadata);
  key.verify_footer(footer.metadata, footer.signature);
  return footer.metadata;
}

DecryptedParquet decrypt(PartSource& source, PartSink& sink, const ParquetKeyFinder& keys,
                         const DecryptParquetOptions& options) {
  Footer footer = read_footer(source);
  if (footer.kind == FooterKind::plain) throw Error(ErrorCode::usage, "the Parquet file is not encrypted");
  check_algorithm(footer, options);
  take_aad_prefix(footer, options);
  OpeningKeys opening_keys(footer.crypto, keys, options.engine);
  const Buffer bytes = authentic_metadata(footer, opening_keys.footer_key(footer.key_metadata));
  const CompactStruct metadata = CompactStruct::read_all(bytes);
  KeysOfFile keys_of_file(opening_keys, footer);
  FileRewrite rewrite(source, metadata, keys_of_file, sink);
  const auto finish = [&sink] {
    if (sink.taker() != nullptr) sink.taker()->finish();
  };
  try {
    sink.write(magic_of(FooterKind::plain));
    rewrite.move_parts();
    write_footer(rewrite.new_metadata(false), {.kind = FooterKind::plain}, nullptr, sink);
  } catch (const Error&) {
    finish();  // where a page before was not authentic, it is named
    throw;
  }
  finish();
  const std::uint64_t num_authentic_pages =
      footer.crypto.algorithm == ParquetAlgorithm::aes_gcm_v1 ? rewrite.num_pages() : 0;
  return {.algorithm = footer.crypto.algorithm,
          .had_plaintext_footer = footer.kind == FooterKind::signed_plaintext,
          .verified = num_authentic_pages == rewrite.num_pages() && rewrite.num_copied_chunks() == 0,
          .num_pages = rewrite.num_pages(),
          .num_plain_chunks = rewrite.num_copied_chunks(),
          .plain_bytes = sink.position(),
          .num_authentic_pages = num_authentic_pages};
}

const Engine& device_engine(const std::string& name) {
  if (!name.empty() && !name.starts_with("cuda"))
    throw Error(ErrorCode::usage, "the engine " + name + " cannot reach a GPU's memory: choose cuda");
  return find_engine(name.empty() ? "cuda" : name);
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

DecryptedParquet decrypt_parquet_file(const std::string& in, const std::string& out, const ParquetKeyFinder& keys,
                                      const DecryptParquetOptions& options) {
  const Input input = open_regular_file(file_named(in));
  Output output(file_named(out), {.force = options.replace, .file_only = true}, &input);
  InputSource source(input);
  output.open();
  PartSink sink(output);
  const DecryptedParquet decrypted = decrypt(source, sink, keys, options);
  output.commit();
  return decrypted;
}

DecryptedParquet decrypt_parquet(Bytes in, std::vector<std::uint8_t>& plain, const ParquetKeyFinder& keys,
                                 const DecryptParquetOptions& options) {
  MemorySource source(in);
  MemorySink bytes;
  bytes.bytes.reserve(in.size());  // which is a little more than all
  PartSink sink(bytes);
  const DecryptedParquet decrypted = decrypt(source, sink, keys, options);
  plain = std::move(bytes.bytes);
  return decrypted;
}

DecryptedParquet decrypt_parquet_to_device(Bytes in, void* out, std::size_t out_bytes, const ParquetKeyFinder& keys,
                                           const DecryptParquetOptions& options, void* stream) {
  const Engine& engine = device_engine(options.engine.engine);
  DecryptParquetOptions on_host = options;
  on_host.engine.engine.clear();  // what is small is decrypted by the CPU
  MemorySource source(in);
  DevicePages pages(engine, {in, static_cast<std::uint8_t*>(out), out_bytes, options.engine.num_threads}, stream);
  PartSink sink(pages, &pages);
  try {
    return decrypt(source, sink, keys, on_host);
  } catch (...) {
    pages.clear();
    throw;
  }
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

// This header has Parquet Modular Encryption. It decrypts encrypted Parquet files, in a GPU's memory too, and encrypts plain
// ones. docs/parquet.md says which changes of a file are found and which are not. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <phalanx/secret.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

enum class ParquetAlgorithm : std::uint8_t {
  aes_gcm_v1 = 1,      ///< all modules by GCM
  aes_gcm_ctr_v1 = 2,  ///< pages by CTR: a page that was changed is not found
};

// These work on modules, for programs that read and write the file themselves.

/// Says what a module is; the numbers are the specification's.
enum class ParquetModule : std::uint8_t {
  footer = 0,
  column_metadata = 1,
  data_page = 2,
  dictionary_page = 3,
  data_page_header = 4,
  dictionary_page_header = 5,
  column_index = 6,
  offset_index = 7,
  bloom_filter_header = 8,
  bloom_filter_bitset = 9,
};

/// Says where a module stands. A number that the module's kind does not have is ignored; the others are at most 32,767.
struct ParquetPlace {
  ParquetModule module = ParquetModule::footer;
  unsigned row_group = 0;
  unsigned column = 0;
  unsigned page = 0;  ///< for data pages and their headers: the count within the column chunk, without dictionary pages
};

/// Says where a serialized module lies: its length of 4 bytes, nonce, ciphertext and, except for pages by CTR, the tag.
struct ParquetSpan {
  std::uint64_t offset = 0;
  std::uint64_t num_bytes = 0;  ///< with the 4 bytes of the length
};

/// Returns the modules that follow each other in `bytes`, by their lengths. Throws Error (truncated) where one reaches over
/// the end.
[[nodiscard]] std::vector<ParquetSpan> walk_parquet_modules(Bytes bytes);

/// Describes a serialized module of a batch to open, in place.
struct ParquetModuleToOpen {
  ParquetPlace place{};
  MutableBytes module{};  ///< the length of 4 bytes and what follows
  MutableBytes plain{};   ///< the result of open_batch: a part of `module`
  /// This is the result of open_batch. For a page by CTR it is false, and `plain` is what it decrypts to.
  bool is_authentic = false;
};

/// Describes a module of a batch to seal.
struct ParquetModuleToSeal {
  ParquetPlace place{};
  Bytes plain{};
  MutableBytes module{};  ///< sealed_bytes(); disjoint from `plain` and all others
};

/// Opens and seals the modules of one file under one key.
class ParquetModules {
 public:
  /// `key` has 16, 24 or 32 bytes. Throws Error (usage) for another size.
  ParquetModules(ParquetAlgorithm algorithm, Bytes key, Bytes aad_prefix, Bytes aad_file_unique,
                 const EngineOptions& options = {});
  ~ParquetModules();
  ParquetModules(ParquetModules&&) noexcept;
  ParquetModules& operator=(ParquetModules&&) noexcept;

  /// Says whether modules of this kind have a tag.
  [[nodiscard]] bool is_authenticated(ParquetModule module) const;
  /// Computes the size of a module with so much plaintext. Throws Error (usage) where a module cannot be so long.
  [[nodiscard]] std::size_t sealed_bytes(ParquetModule module, std::size_t plain_bytes) const;

  /// Opens modules as one batch on all cores. Returns true if all that have a tag are authentic; no plaintext of the others
  /// is written. Throws Error (format), before any is opened, where a length does not fit its module.
  [[nodiscard]] bool open_batch(std::span<ParquetModuleToOpen> modules) const;
  /// Seals modules as one batch, each under a nonce of the system's generator. The caller counts how often a key is used.
  void seal_batch(std::span<const ParquetModuleToSeal> modules) const;

  /// These compute the signature of a plaintext footer, and say whether `signature` is one.
  [[nodiscard]] std::vector<std::uint8_t> sign_footer(Bytes footer) const;
  [[nodiscard]] bool verify_footer(Bytes footer, Bytes signature) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

/// This says which key a file asks for.
struct ParquetKeyRequest {
  bool is_footer = false;
  std::string column{};  ///< for a column's own key: its path, "a.list.element"
  Bytes key_metadata{};  ///< what the file's writer stored to find the key by; it lives as long as the call
};

/// Finds a key of 16, 24 or 32 bytes. If it throws, the call that needs the key throws the same. It is called once for each
/// key.
using ParquetKeyFinder = std::function<Secret(const ParquetKeyRequest& request)>;

/// This is a key that a key management service (KMS) has wrapped, and where it comes from. All of it comes out of the file,
/// and nobody has authenticated it yet. Compare the address with those that you know before you send it a token.
struct ParquetWrappedKey {
  std::string wrapped{};  ///< the result of the service's wrapping
  std::string master_key_id{};
  std::string kms_instance_id{};
  std::string kms_instance_url{};
};

/// Finds keys by the key material that Apache's writers keep in key_metadata (JSON of type PKMT1), with single or double
/// wrapping. `unwrap` asks the service, once for each key that a service wrapped. The result throws Error with these codes:
/// - format: the metadata is no such material, or lies outside of the file
/// - authentication: a data key does not open under the key that `unwrap` gave
[[nodiscard]] ParquetKeyFinder parquet_keys_of_kms(std::function<Secret(const ParquetWrappedKey& key)> unwrap);

/// This is a key to encrypt with, and counts its uses. Copies share the count, in processes that are forked too. Past 2^32
/// modules (SP 800-38D, section 8.3) sealing with it throws Error (policy).
class ParquetKey {
 public:
  static constexpr std::uint64_t most_invocations = std::uint64_t{1} << 32;

  /// `key` has 16, 24 or 32 bytes; else it throws Error (usage). A reader finds the key by `key_metadata`, which stays
  /// readable in the file, or is encrypted with the footer. `num_invocations` is the number of modules that it has sealed
  /// elsewhere.
  explicit ParquetKey(Bytes key, Bytes key_metadata = {}, std::uint64_t num_invocations = 0);

  [[nodiscard]] std::uint64_t num_invocations() const;  ///< how many modules it has sealed
  [[nodiscard]] Bytes key_metadata() const;             ///< as it was given

  struct __attribute__((visibility("hidden"))) State;     // inside the library
  [[nodiscard]] State& state() const { return *state_; }  ///< for the library alone

 private:
  std::shared_ptr<State> state_;
};

struct NewKmsKey {
  std::string master_key_id{};
  bool is_footer = false;       ///< it is for the footer
  bool double_wrapping = true;  ///< the service wraps a key that wraps the data key
  std::size_t key_bytes = 16;   ///< size of the data key: 16, 24 or 32
  std::string kms_instance_id = "DEFAULT";
  std::string kms_instance_url = "DEFAULT";
};

/// Makes a fresh key, with key material for Apache's readers. `wrap` asks the service to wrap a key under a master key.
[[nodiscard]] ParquetKey new_kms_parquet_key(
    const NewKmsKey& wanted, const std::function<std::string(Bytes key, const std::string& master_key_id)>& wrap);

struct DecryptParquetOptions {
  std::optional<std::vector<std::uint8_t>> aad_prefix{};  ///< the file must be bound to it; nothing: the file says it itself
  bool replace = false;  ///< replace a file that has OUT's name; else that is an Error (usage)
  EngineOptions engine{};
  /// Takes aes_gcm_v1 alone. A file that says aes_gcm_ctr_v1 is an Error (policy), before a key is asked for. If the footer
  /// is encrypted, nothing authenticates which of both the file says. So somebody who can write to a file by GCM can make it
  /// one by CTR, and then change its pages.
  bool require_gcm = false;
};

struct DecryptedParquet {
  ParquetAlgorithm algorithm = ParquetAlgorithm::aes_gcm_v1;  ///< as the file says
  bool had_plaintext_footer = false;
  /// Says that every page of the plain file had a tag, which was right for its place in this file. The footer, all metadata,
  /// indexes and Bloom filters had one too. It is false if pages were encrypted by CTR, or columns were not encrypted at
  /// all. It does not say which file this is: without an AAD prefix an older or another file under the same keys is verified
  /// as well.
  bool verified = false;
  std::uint64_t num_pages = 0;            ///< pages that were decrypted
  std::uint64_t num_plain_chunks = 0;     ///< column chunks that were not encrypted, and were copied
  std::uint64_t plain_bytes = 0;          ///< bytes of OUT
  std::uint64_t num_authentic_pages = 0;  ///< of num_pages, those that had a tag; the others were by CTR
};

/// Makes a plain Parquet file of an encrypted one. It appears under its name when every module is decrypted and, except for
/// pages by CTR, authentic. Pages keep their compression; page checksums (CRC) are left out. Throws what `keys` throws, and
/// Error with these codes:
/// - usage: OUT exists or is IN, or the file wants an AAD prefix and there is none
/// - policy: require_gcm is set and the file is by CTR
/// - wrong_key: nothing opens under a key that was given
/// - authentication: a module was changed or has another's place
/// - format or truncated: it is no encrypted Parquet file, or is damaged where no tag is
[[nodiscard]] DecryptedParquet decrypt_parquet_file(const std::string& in, const std::string& out,
                                                    const ParquetKeyFinder& keys, const DecryptParquetOptions& options = {});
/// Decrypts a file in memory, as decrypt_parquet_file does. `plain` is replaced by a complete file alone.
[[nodiscard]] DecryptedParquet decrypt_parquet(Bytes in, std::vector<std::uint8_t>& plain, const ParquetKeyFinder& keys,
                                               const DecryptParquetOptions& options = {});

/// Decrypts a file of the host's memory into a GPU's, behind the work on `stream`, a cudaStream_t or nullptr for the default
/// stream, and waits. If `in` is page-locked, it is copied from there. Pages cross the link as they are encrypted, and are
/// opened in the GPU's memory. The CPU decrypts headers, indexes and footer, which are small.
///
/// `out` has room for as many bytes as `in` has; plain_bytes of it are the file. `options.engine.engine` is "cuda" or
/// "cuda:N"; empty means "cuda" here. Throws Error as decrypt_parquet_file does; usage, where `out` is too short or no
/// memory of such a GPU; runtime, if the GPU fails. No bytes of the file are then in `out`: it holds zeros, or its old
/// bytes.
[[nodiscard]] DecryptedParquet decrypt_parquet_to_device(Bytes in, void* out, std::size_t out_bytes,
                                                         const ParquetKeyFinder& keys,
                                                         const DecryptParquetOptions& options = {}, void* stream = nullptr);

struct EncryptParquetOptions {
  ParquetAlgorithm algorithm = ParquetAlgorithm::aes_gcm_v1;
  std::map<std::string, ParquetKey> column_keys{};  ///< by path; columns that are not here get the footer's key
  std::vector<std::string> plain_columns{};         ///< paths of columns that are not encrypted
  bool plaintext_footer = false;           ///< signed, so that readers without keys find the columns that are not encrypted
  std::vector<std::uint8_t> aad_prefix{};  ///< the prefix that the file is bound to; empty: nothing
  bool store_aad_prefix = true;            ///< false: the file does not have the prefix, and readers must be told of it
  bool replace = false;
  EngineOptions engine{};
};

struct EncryptedParquet {
  std::uint64_t num_pages = 0;        ///< pages that were encrypted
  std::uint64_t num_modules = 0;      ///< modules that were encrypted, pages among them
  std::uint64_t encrypted_bytes = 0;  ///< bytes of OUT
};

/// Encrypts a plain Parquet file. Throws Error with these codes:
/// - usage: OUT exists or is IN, a path is of no column, two keys are equal or a key was given twice, or the file is
///   encrypted already
/// - policy: a key wears out
/// - format or truncated: it is no Parquet file
[[nodiscard]] EncryptedParquet encrypt_parquet_file(const std::string& in, const std::string& out,
                                                    const ParquetKey& footer_key, const EncryptParquetOptions& options = {});
/// Encrypts a file in memory, as encrypt_parquet_file does. `encrypted` is replaced by a complete file alone.
[[nodiscard]] EncryptedParquet encrypt_parquet(Bytes in, std::vector<std::uint8_t>& encrypted, const ParquetKey& footer_key,
                                               const EncryptParquetOptions& options = {});

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop

// Parquet files, for phalanx.parquet.
#include <nanobind/stl/string.h>

#include <optional>
#include <phalanx/parquet/modular_encryption.hpp>
#include <utility>

#include "arguments/buffer.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

nb::bytes bytes_object(Bytes bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::vector<std::uint8_t> copy_of(nb::handle object, const char* what) {
  const HeldBuffer held(object, what);
  return {held.bytes().begin(), held.bytes().end()};
}

ParquetAlgorithm algorithm_of(const std::string& name) {
  if (name == "AES_GCM_V1") return ParquetAlgorithm::aes_gcm_v1;
  if (name == "AES_GCM_CTR_V1") return ParquetAlgorithm::aes_gcm_ctr_v1;
  throw Error(ErrorCode::usage, "algorithm is AES_GCM_V1 or AES_GCM_CTR_V1, and not " + name);
}
const char* name_of(ParquetAlgorithm algorithm) {
  return algorithm == ParquetAlgorithm::aes_gcm_v1 ? "AES_GCM_V1" : "AES_GCM_CTR_V1";
}

// Calls keys(column, key_metadata), where column is None for the footer. What it raises is raised by the call that asked.
ParquetKeyFinder finder_of(const nb::object& keys) {
  return [&keys](const ParquetKeyRequest& request) {
    const nb::gil_scoped_acquire acquired;
    const nb::object column =
        request.is_footer ? nb::object(nb::none()) : nb::object(nb::str(request.column.c_str(), request.column.size()));
    const nb::object key = keys(column, bytes_object(request.key_metadata));
    return Secret(HeldSecret(key, "the key").bytes());
  };
}

DecryptParquetOptions decrypt_options(nb::handle aad_prefix, bool require_gcm, const std::string& engine, int threads) {
  DecryptParquetOptions options;
  options.require_gcm = require_gcm;
  if (!aad_prefix.is_none()) options.aad_prefix = copy_of(aad_prefix, "the AAD prefix");
  options.engine = make_options(engine, threads);
  return options;
}

DecryptedParquet decrypt_file(nb::handle src, nb::handle dst, const nb::object& keys, nb::handle aad_prefix, bool replace,
                              bool require_gcm, const std::string& engine, int threads) {
  const std::string in = path_of(src), out = path_of(dst);
  DecryptParquetOptions options = decrypt_options(aad_prefix, require_gcm, engine, threads);
  options.replace = replace;
  const ParquetKeyFinder find = finder_of(keys);
  const nb::gil_scoped_release released;
  return decrypt_parquet_file(in, out, find, options);
}

nb::tuple decrypt(nb::handle data, const nb::object& keys, nb::handle aad_prefix, bool require_gcm,
                  const std::string& engine, int threads) {
  const HeldBuffer in(data, "data");
  const DecryptParquetOptions options = decrypt_options(aad_prefix, require_gcm, engine, threads);
  const ParquetKeyFinder find = finder_of(keys);
  std::vector<std::uint8_t> plain;
  DecryptedParquet decrypted;
  {
    const nb::gil_scoped_release released;
    decrypted = decrypt_parquet(in.bytes(), plain, find, options);
  }
  return nb::make_tuple(bytes_object(plain), decrypted);
}

// By the array's pointer, behind what is on the stream.
DecryptedParquet decrypt_to_device(nb::handle data, std::uintptr_t dst, std::size_t num_bytes, const nb::object& keys,
                                   nb::handle aad_prefix, bool require_gcm, const std::string& engine, int threads,
                                   std::uintptr_t stream) {
  note_cuda();
  const HeldBuffer in(data, "data");
  const DecryptParquetOptions options = decrypt_options(aad_prefix, require_gcm, engine, threads);
  const ParquetKeyFinder find = finder_of(keys);
  const nb::gil_scoped_release released;
  return decrypt_parquet_to_device(in.bytes(), reinterpret_cast<void*>(dst), num_bytes,  // NOLINT(performance-no-int-to-ptr)
                                   find, options,
                                   reinterpret_cast<void*>(stream));  // NOLINT(performance-no-int-to-ptr)
}

EncryptParquetOptions encrypt_options(nb::handle column_keys, nb::handle plain_columns, const std::string& algorithm,
                                      bool plaintext_footer, nb::handle aad_prefix, bool store_aad_prefix,
                                      const std::string& engine, int threads) {
  EncryptParquetOptions options;
  options.algorithm = algorithm_of(algorithm);
  for (const auto [path, key] : nb::cast<nb::dict>(column_keys)) {
    options.column_keys.insert_or_assign(nb::cast<std::string>(path), nb::cast<const ParquetKey&>(key));
  }
  for (const nb::handle path : plain_columns) options.plain_columns.push_back(nb::cast<std::string>(path));
  options.plaintext_footer = plaintext_footer;
  options.aad_prefix = copy_of(aad_prefix, "the AAD prefix");
  options.store_aad_prefix = store_aad_prefix;
  options.engine = make_options(engine, threads);
  return options;
}

EncryptedParquet encrypt_file(nb::handle src, nb::handle dst, const ParquetKey& footer_key, nb::handle column_keys,
                              nb::handle plain_columns, const std::string& algorithm, bool plaintext_footer,
                              nb::handle aad_prefix, bool store_aad_prefix, bool replace, const std::string& engine,
                              int threads) {
  const std::string in = path_of(src), out = path_of(dst);
  EncryptParquetOptions options = encrypt_options(column_keys, plain_columns, algorithm, plaintext_footer, aad_prefix,
                                                  store_aad_prefix, engine, threads);
  options.replace = replace;
  const nb::gil_scoped_release released;
  return encrypt_parquet_file(in, out, footer_key, options);
}

nb::tuple encrypt(nb::handle data, const ParquetKey& footer_key, nb::handle column_keys, nb::handle plain_columns,
                  const std::string& algorithm, bool plaintext_footer, nb::handle aad_prefix, bool store_aad_prefix,
                  const std::string& engine, int threads) {
  const HeldBuffer in(data, "data");
  const EncryptParquetOptions options = encrypt_options(column_keys, plain_columns, algorithm, plaintext_footer, aad_prefix,
                                                        store_aad_prefix, engine, threads);
  std::vector<std::uint8_t> encrypted;
  EncryptedParquet facts;
  {
    const nb::gil_scoped_release released;
    facts = encrypt_parquet(in.bytes(), encrypted, footer_key, options);
  }
  return nb::make_tuple(bytes_object(encrypted), facts);
}

// Asks unwrap(wrapped, master_key_id): the addresses that a file gives go nowhere.
class KmsKeyFinder {
 public:
  explicit KmsKeyFinder(nb::object unwrap)
      : unwrap_(std::move(unwrap)), find_(parquet_keys_of_kms([this](const ParquetWrappedKey& wrapped) {
          const nb::object key = unwrap_(bytes_object(bytes_of(wrapped.wrapped)), wrapped.master_key_id);
          return Secret(HeldSecret(key, "the key").bytes());
        })) {}
  KmsKeyFinder(const KmsKeyFinder&) = delete;
  KmsKeyFinder& operator=(const KmsKeyFinder&) = delete;

  [[nodiscard]] nb::object find(nb::handle /*column*/, nb::handle key_metadata) const {
    const HeldBuffer held(key_metadata, "key_metadata");
    const Secret key = find_({.key_metadata = held.bytes()});
    return nb::cast(PythonSecret{SecretBytes(Bytes(key))});
  }

 private:
  nb::object unwrap_;
  ParquetKeyFinder find_;
};

ParquetKey new_kms_key(const nb::object& wrap, const std::string& master_key_id, bool footer, bool double_wrapping,
                       std::size_t key_bytes) {
  const NewKmsKey wanted{
      .master_key_id = master_key_id, .is_footer = footer, .double_wrapping = double_wrapping, .key_bytes = key_bytes};
  return new_kms_parquet_key(wanted, [&wrap](Bytes key, const std::string& id) {
    const nb::object wrapped = wrap(bytes_object(key), id);
    if (nb::isinstance<nb::str>(wrapped)) return nb::cast<std::string>(wrapped);
    const HeldBuffer held(wrapped, "the wrapped key");
    return std::string(held.bytes().begin(), held.bytes().end());
  });
}

void bind_facts(nb::module_& module) {
  nb::class_<DecryptedParquet>(module, "DecryptedParquet", "What a Parquet file was that was decrypted.")
      .def_prop_ro(
          "algorithm", [](const DecryptedParquet& self) { return name_of(self.algorithm); },
          "\"AES_GCM_V1\" or \"AES_GCM_CTR_V1\".")
      .def_ro("verified", &DecryptedParquet::verified,
              R"(Every page had a tag, which was right for its place in this file.

False if pages were encrypted by CTR, or columns were not encrypted. It does not say which file this is: an older one under the
same keys is verified as well, unless an AAD prefix was given.)")
      .def_ro("had_plaintext_footer", &DecryptedParquet::had_plaintext_footer, "The footer was signed and not encrypted.")
      .def_ro("pages", &DecryptedParquet::num_pages, "Pages that were decrypted.")
      .def_ro("authentic_pages", &DecryptedParquet::num_authentic_pages, "Of these pages: those that had a tag.")
      .def_ro("plain_chunks", &DecryptedParquet::num_plain_chunks, "Column chunks that were not encrypted.")
      .def_ro("plain_bytes", &DecryptedParquet::plain_bytes, "Of the plain file.")
      .def("__repr__", [](const DecryptedParquet& self) {
        return std::string("DecryptedParquet(algorithm='") + name_of(self.algorithm) +
               "', verified=" + (self.verified ? "True" : "False") + ", pages=" + std::to_string(self.num_pages) +
               ", plain_bytes=" + std::to_string(self.plain_bytes) + ")";
      });
  nb::class_<EncryptedParquet>(module, "EncryptedParquet", "What became of a Parquet file that was encrypted.")
      .def_ro("pages", &EncryptedParquet::num_pages, "Pages that were encrypted.")
      .def_ro("modules", &EncryptedParquet::num_modules, "All modules that were encrypted, pages among them.")
      .def_ro("encrypted_bytes", &EncryptedParquet::encrypted_bytes, "Of the encrypted file.")
      .def("__repr__", [](const EncryptedParquet& self) {
        return "EncryptedParquet(pages=" + std::to_string(self.num_pages) + ", modules=" + std::to_string(self.num_modules) +
               ", encrypted_bytes=" + std::to_string(self.encrypted_bytes) + ")";
      });
}

void bind_keys(nb::module_& module) {
  nb::class_<ParquetKey> key(module, "ParquetKey", R"(A key to encrypt Parquet files with, and how often it was used.

It has 16, 24 or 32 bytes. key_metadata is what a reader finds it by. Past 2^32 modules, those of `invocations` among them,
sealing with it raises PolicyError.

>>> import phalanx.parquet
>>> phalanx.parquet.ParquetKey(bytes(16), b"the first").key_metadata
b'the first')");
  def_explained(
      key, "__init__",
      [](ParquetKey* self, nb::handle bytes, nb::handle key_metadata, std::uint64_t invocations) {
        new (self) ParquetKey(HeldSecret(bytes, "the key").bytes(), copy_of(key_metadata, "key_metadata"), invocations);
      },
      nb::arg("key").none(), nb::arg("key_metadata") = nb::bytes(""), nb::kw_only(), nb::arg("invocations") = 0);
  key.def_prop_ro(
         "key_metadata", [](const ParquetKey& self) { return bytes_object(self.key_metadata()); },
         "What a reader finds it by.")
      .def_prop_ro(
          "invocations", [](const ParquetKey& self) { return self.num_invocations(); }, "Modules that it has sealed.");
  refuse_pickling(key);
  nb::class_<KmsKeyFinder> finder(module, "KmsKeys", R"(Finds the keys of files by the key material of Apache's writers.

unwrap(wrapped, master_key_id) asks the key management service: as pyarrow's KmsClient.unwrap_key. An object of this class goes
where decrypt and decrypt_file take keys. Each key that a service wrapped is asked for once.)");
  def_explained(
      finder, "__init__", [](KmsKeyFinder* self, nb::object unwrap) { new (self) KmsKeyFinder(std::move(unwrap)); },
      nb::arg("unwrap"));
  def_explained(finder, "__call__", &KmsKeyFinder::find, nb::arg("column").none(), nb::arg("key_metadata"),
                "The key, as a phalanx.Secret.");
  refuse_pickling(finder);
  def_explained(module, "new_kms_parquet_key", new_kms_key, nb::arg("wrap"), nb::arg("master_key_id"), nb::kw_only(),
                nb::arg("footer") = false, nb::arg("double_wrapping") = true, nb::arg("key_bytes") = 16);
}

}  // namespace

void bind_parquet(nb::module_& module) {
  bind_facts(module);
  bind_keys(module);
  def_explained(module, "decrypt_parquet_file", decrypt_file, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("keys"),
                nb::kw_only(), nb::arg("aad_prefix") = nb::none(), nb::arg("replace") = false,
                nb::arg("require_gcm") = false, nb::arg("engine") = "auto", nb::arg("threads") = 0);
  def_explained(module, "decrypt_parquet", decrypt, nb::arg("data").none(), nb::arg("keys"), nb::kw_only(),
                nb::arg("aad_prefix") = nb::none(), nb::arg("require_gcm") = false, nb::arg("engine") = "auto",
                nb::arg("threads") = 0);
  def_explained(module, "decrypt_parquet_to_device", decrypt_to_device, nb::arg("data").none(), nb::arg("dst"),
                nb::arg("num_bytes"), nb::arg("keys"), nb::kw_only(), nb::arg("aad_prefix") = nb::none(),
                nb::arg("require_gcm") = false, nb::arg("engine") = "cuda", nb::arg("threads") = 0, nb::arg("stream") = 0);
  def_explained(
      module, "encrypt_parquet_file", encrypt_file, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("footer_key"),
      nb::kw_only(), nb::arg("column_keys") = nb::dict(), nb::arg("plain_columns") = nb::make_tuple(),
      nb::arg("algorithm") = "AES_GCM_V1", nb::arg("plaintext_footer") = false, nb::arg("aad_prefix") = nb::bytes(""),
      nb::arg("store_aad_prefix") = true, nb::arg("replace") = false, nb::arg("engine") = "auto", nb::arg("threads") = 0);
  def_explained(module, "encrypt_parquet", encrypt, nb::arg("data").none(), nb::arg("footer_key"), nb::kw_only(),
                nb::arg("column_keys") = nb::dict(), nb::arg("plain_columns") = nb::make_tuple(),
                nb::arg("algorithm") = "AES_GCM_V1", nb::arg("plaintext_footer") = false,
                nb::arg("aad_prefix") = nb::bytes(""), nb::arg("store_aad_prefix") = true, nb::arg("engine") = "auto",
                nb::arg("threads") = 0);
}

}  // namespace phalanx

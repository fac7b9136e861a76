// The key material that Apache's writers keep in key_metadata: an object of JSON of type PKMT1, as parquet-java and Arrow
// C++ write it (org.apache.parquet.crypto.keytools.KeyMaterial; arrow's parquet/encryption/key_material.h). With
// double wrapping the data key is under a key of ours, by AES-GCM with that key's id as associated data, and that key under
// the service's.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <phalanx/aead.hpp>
#include <phalanx/parquet/modular_encryption.hpp>
#include <tuple>

#include "engine/host/host.hpp"
#include "engine/text/json_line.hpp"
#include "files/age/raw_base64.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

constexpr const char* material_type = "PKMT1";
constexpr std::size_t wrapping_key_bytes = 16;  // as Apache's writers have it
constexpr std::size_t wrapped_added_bytes = module_nonce_bytes + module_tag_bytes;

[[noreturn]] void fail_material(const std::string& what) {
  throw Error(ErrorCode::format,
              "the file's key_metadata is no key material of " + std::string(material_type) + ": " + what);
}

std::string base64_of(Bytes bytes) {
  std::string text(raw_base64_characters(bytes.size()), '\0');
  encode_raw_base64(bytes, reinterpret_cast<std::uint8_t*>(text.data()));
  text.resize((text.size() + 3) / 4 * 4, '=');
  return text;
}

SecretBytes of_base64(std::string text) {
  if (text.size() % 4 != 0) fail_material("a base64 text has a broken length");
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.pop_back();
  std::optional<SecretBytes> bytes = decode_raw_base64(text);
  if (!bytes) fail_material("a text is not base64");
  return std::move(*bytes);
}

Aead gcm_of(Bytes key) {
  require_key_bytes(key.size());
  return Aead("aes-" + std::to_string(key.size() * 8) + "-gcm", key);
}

struct KeyMaterial {
  ParquetWrappedKey of_service{};  // what the service unwraps: the data key, or the key that wraps it
  bool double_wrapping = false;
  std::string wrapped_key{};  // with double wrapping: the data key
  std::string wrapping_key_id{};
};

std::string required_text(const JsonObject& object, const std::string& name) {
  std::optional<std::string> text = object.text(name);
  if (!text) fail_material("it has no " + name);
  return std::move(*text);
}

KeyMaterial material_of(const JsonObject& object) {
  if (object.text("keyMaterialType") != material_type) fail_material("its type is another");
  if (!object.truth("internalStorage").value_or(true)) {
    fail_material("it lies outside of the file: give keys that you find by keyReference");
  }
  KeyMaterial material;
  material.double_wrapping = object.truth("doubleWrapping").value_or(false);
  material.of_service.master_key_id = required_text(object, "masterKeyID");
  material.of_service.kms_instance_id = object.text("kmsInstanceID").value_or("");
  material.of_service.kms_instance_url = object.text("kmsInstanceURL").value_or("");
  material.of_service.wrapped = required_text(object, material.double_wrapping ? "wrappedKEK" : "wrappedDEK");
  if (material.double_wrapping) {
    material.wrapped_key = required_text(object, "wrappedDEK");
    material.wrapping_key_id = required_text(object, "keyEncryptionKeyID");
  }
  return material;
}

KeyMaterial read_material(Bytes key_metadata) {
  if (key_metadata.empty()) fail_material("there is none");
  try {
    return material_of(JsonObject({reinterpret_cast<const char*>(key_metadata.data()), key_metadata.size()}));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) fail_material("it is no such JSON");
    throw;
  }
}

Secret unwrap_locally(const KeyMaterial& material, Bytes wrapping_key) {
  const SecretBytes sealed = of_base64(material.wrapped_key);
  const SecretBytes id = of_base64(material.wrapping_key_id);
  if (sealed.size() < wrapped_added_bytes) fail_material("the wrapped key is too short");
  const Bytes all = sealed;
  Secret key(sealed.size() - wrapped_added_bytes);
  try {
    gcm_of(wrapping_key)
        .open(all.first(module_nonce_bytes), id, all.subspan(module_nonce_bytes, key.size()), key,
              all.last(module_tag_bytes));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::authentication) throw;
    throw Error(error, "the file's data key does not open under the key that the service gave");
  }
  return key;
}

// Keeps each unwrapped key, so that the service is asked once for each.
class KmsKeys {
 public:
  explicit KmsKeys(std::function<Secret(const ParquetWrappedKey&)> unwrap) : unwrap_(std::move(unwrap)) {}

  Secret find(Bytes key_metadata) {
    const KeyMaterial material = read_material(key_metadata);
    const Secret& key = of_service(material.of_service);
    return material.double_wrapping ? unwrap_locally(material, key) : Secret(Bytes(key));
  }

 private:
  const Secret& of_service(const ParquetWrappedKey& wrapped) {
    const auto name = std::tie(wrapped.wrapped, wrapped.master_key_id, wrapped.kms_instance_id, wrapped.kms_instance_url);
    const auto found = keys_.find(name);
    return found != keys_.end() ? found->second : keys_.try_emplace(name, unwrap_(wrapped)).first->second;
  }

  std::function<Secret(const ParquetWrappedKey&)> unwrap_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Secret> keys_;
};

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

ParquetKeyFinder parquet_keys_of_kms(std::function<Secret(const ParquetWrappedKey& key)> unwrap) {
  return [keys = std::make_shared<KmsKeys>(std::move(unwrap))](const ParquetKeyRequest& request) {
    return keys->find(request.key_metadata);
  };
}

ParquetKey new_kms_parquet_key(const NewKmsKey& wanted,
                               const std::function<std::string(Bytes key, const std::string& master_key_id)>& wrap) {
  require_key_bytes(wanted.key_bytes);
  const Secret key = random_secret(wanted.key_bytes);
  JsonLine material;
  material.put("keyMaterialType", material_type);
  material.put("internalStorage", true);
  material.put("isFooterKey", wanted.is_footer);
  if (wanted.is_footer) {
    material.put("kmsInstanceID", wanted.kms_instance_id);
    material.put("kmsInstanceURL", wanted.kms_instance_url);
  }
  material.put("masterKeyID", wanted.master_key_id);
  material.put("doubleWrapping", wanted.double_wrapping);
  if (wanted.double_wrapping) {
    const Secret wrapping_key = random_secret(wrapping_key_bytes);
    std::array<std::uint8_t, wrapping_key_bytes> id{};
    fill_random(id);
    Buffer sealed(key.size() + wrapped_added_bytes);
    const MutableBytes all(sealed);
    fill_random(all.first(module_nonce_bytes));
    gcm_of(wrapping_key)
        .seal(all.first(module_nonce_bytes), id, key, all.subspan(module_nonce_bytes, key.size()),
              all.last(module_tag_bytes));
    material.put("keyEncryptionKeyID", base64_of(id));
    material.put("wrappedKEK", wrap(wrapping_key, wanted.master_key_id));
    material.put("wrappedDEK", base64_of(sealed));
  } else {
    material.put("wrappedDEK", wrap(key, wanted.master_key_id));
  }
  return ParquetKey(key, bytes_of(material.finish()));
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

#include "parquet/file_keys.hpp"

#include <algorithm>

#include "engine/bytes/byte_order.hpp"
#include "engine/ciphers/cipher_spec.hpp"
#include "engine/engines/device_memory.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

constexpr const char* names_of_modules[] = {"the footer",
                                            "the metadata",
                                            "data page",
                                            "the dictionary page",
                                            "the header of data page",
                                            "the header of the dictionary page",
                                            "the column index",
                                            "the offset index",
                                            "the header of the Bloom filter",
                                            "the Bloom filter"};

}  // namespace

std::string text_of(const ParquetPlace& place) {
  std::string text = names_of_modules[static_cast<int>(place.module)];
  if (place.module == ParquetModule::footer) return text;
  if (place.module == ParquetModule::data_page || place.module == ParquetModule::data_page_header) {
    text += ' ' + std::to_string(place.page);
  }
  return text + " of column " + std::to_string(place.column) + " in row group " + std::to_string(place.row_group);
}

void OpeningKey::fail(const ParquetPlace& place) const {
  if (has_opened_) {
    throw Error(ErrorCode::authentication,
                text_of(place) + " is not authentic: it was changed, or belongs to another place or file");
  }
  throw Error(ErrorCode::wrong_key, text_of(place) + " does not open under " + name_ +
                                        ": it is another key, the AAD prefix is another, or the file was changed");
}

const KeyedDeviceAead& OpeningKey::on_device(const Engine& engine) {
  if (device_ == nullptr)
    device_ = device_memory_of(engine).set_device_aead_key(
        parse_cipher_name("aes-" + std::to_string(key_.size() * 8) + "-gcm"), key_);
  return *device_;
}

void OpeningKey::open(std::span<ParquetModuleToOpen> modules) {
  if (!modules_.open_batch(modules)) {
    const auto fails = [this](const ParquetModuleToOpen& module) {
      return !module.is_authentic && modules_.is_authenticated(module.place.module);
    };
    if (std::ranges::any_of(modules, &ParquetModuleToOpen::is_authentic)) has_opened_ = true;
    fail(std::ranges::find_if(modules, fails)->place);
  }
  has_opened_ = true;
}

Buffer OpeningKey::open(const ParquetPlace& place, Buffer module) {
  ParquetModuleToOpen opened{.place = place, .module = module};
  open({&opened, 1});
  return {opened.plain.begin(), opened.plain.end()};
}

Buffer OpeningKey::open_structure(const ParquetPlace& place, Buffer module) {
  Buffer bytes = open(place, std::move(module));
  bytes.resize(CompactStruct::read(bytes).num_bytes());
  return bytes;
}

void OpeningKey::verify_footer(Bytes footer, Bytes signature) {
  if (!modules_.verify_footer(footer, signature)) fail({});
  has_opened_ = true;
}

OpeningKey& OpeningKeys::footer_key(Bytes key_metadata) {
  if (!footer_key_) {
    const Secret key = find_({.is_footer = true, .key_metadata = key_metadata});
    footer_key_ = std::make_unique<OpeningKey>(crypto_, key, "the footer's key", options_);
  }
  return *footer_key_;
}

OpeningKey& OpeningKeys::column_key(const std::string& column, Bytes key_metadata) {
  std::pair<std::string, Buffer> name(column, Buffer(key_metadata.begin(), key_metadata.end()));
  const auto found = column_keys_.find(name);
  if (found != column_keys_.end()) return found->second;
  const Secret key = find_({.column = column, .key_metadata = key_metadata});
  return column_keys_.try_emplace(std::move(name), crypto_, key, "the key of column " + column, options_).first->second;
}

ParquetKey::ParquetKey(Bytes key, Bytes key_metadata, std::uint64_t num_invocations)
    : state_(std::make_shared<State>(key, key_metadata, num_invocations)) {
  require_key_bytes(key.size());
}

std::uint64_t ParquetKey::num_invocations() const { return state_->num_invocations.value(); }
Bytes ParquetKey::key_metadata() const { return state_->key_metadata; }

void ParquetKey::State::count(std::uint64_t num_modules) {
  if (num_invocations.add_up_to(most_invocations, num_modules)) return;
  throw Error(ErrorCode::policy, "a key has sealed 2^32 modules: take a fresh one (SP 800-38D, section 8.3)");
}

Buffer SealingKey::sign_footer(Bytes footer) {
  key_.state().count(1);
  ++num_sealed_;
  return modules_.sign_footer(footer);
}

void SealingKey::seal(std::span<const ParquetModuleToSeal> modules) {
  key_.state().count(modules.size());
  num_sealed_ += modules.size();
  modules_.seal_batch(modules);
}

Buffer SealingKey::seal(const ParquetPlace& place, Bytes plain) {
  Buffer module(modules_.sealed_bytes(place.module, plain.size()));
  const ParquetModuleToSeal sealed{.place = place, .plain = plain, .module = module};
  seal({&sealed, 1});
  return module;
}

}  // namespace phalanx

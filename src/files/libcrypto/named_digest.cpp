#include "files/libcrypto/named_digest.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>

#include "engine/host/libcrypto.hpp"
#include "engine/text/characters.hpp"
#include "files/libcrypto/legacy_provider.hpp"

namespace phalanx {
namespace {

constexpr const char* legacy_digests[] = {"md4", "whirlpool", "mdc2"};

bool is_legacy_digest(const std::string& name) {
  return std::ranges::find(legacy_digests, lower_case(name)) != std::end(legacy_digests);
}

Digest fetch_legacy_digest(const std::string& name) {
  Digest digest{.handle = nullptr, .context = legacy_context("digest '" + name + "'")};
  digest.handle.reset(EVP_MD_fetch(digest.context, name.c_str(), nullptr));
  return digest;
}

void require(bool succeeded) {
  if (!succeeded) throw Error(ErrorCode::runtime, "libcrypto failed to compute a digest");
}

}  // namespace

void DigestFree::operator()(EVP_MD* digest) const { EVP_MD_free(digest); }

void DigestContextFree::operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }

Digest fetch_digest(const std::string& name) {
  require_libcrypto();
  const bool is_name = name.find(' ') == std::string::npos;  // OpenSSL 3.5 takes "md5 " for md5
  const auto fetch = [&] { return is_name ? EVP_MD_fetch(nullptr, name.c_str(), nullptr) : nullptr; };
  Digest digest{.handle = DigestHandle(fetch())};
  if (digest.handle == nullptr) {
    if (DigestHandle(EVP_MD_fetch(nullptr, "SHA256", nullptr)) == nullptr) {
      throw Error(ErrorCode::runtime, "libcrypto offers no digest at all: is there memory left?");
    }
    digest.handle.reset(fetch());  // there may be memory again
  }
  if (digest.handle == nullptr && is_legacy_digest(name)) digest = fetch_legacy_digest(name);
  if (digest.handle == nullptr) {
    throw Error(ErrorCode::usage,
                "libcrypto has no digest '" + name + "' here; choose one such as sha256, md5, sha1 or sha512");
  }
  return digest;
}

NamedDigest::NamedDigest(const std::string& name)
    : digest_(fetch_digest(name)),
      context_(EVP_MD_CTX_new()),
      num_bytes_(static_cast<std::size_t>(std::max(0, EVP_MD_get_size(digest_.handle.get())))) {
  require(context_ != nullptr);
  const bool has_fixed_size = num_bytes_ != 0 && (EVP_MD_get_flags(digest_.handle.get()) & EVP_MD_FLAG_XOF) == 0;
  if (!has_fixed_size) throw Error(ErrorCode::usage, "digest '" + name + "' has no size of its own");
}

void NamedDigest::begin() const { require(EVP_DigestInit_ex2(context_.get(), digest_.handle.get(), nullptr) == 1); }

void NamedDigest::update(Bytes bytes) const { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

void NamedDigest::finish(MutableBytes out) const {
  require(out.size() == num_bytes_ && EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1);
}

void NamedDigest::compute(std::initializer_list<Bytes> parts, MutableBytes out) const {
  begin();
  for (const Bytes part : parts) update(part);
  finish(out);
}

}  // namespace phalanx

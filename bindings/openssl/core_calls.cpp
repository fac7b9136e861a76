#include "core_calls.hpp"

#include <openssl/err.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>

namespace phalanx {

Provider::Provider(const OSSL_CORE_HANDLE* core, const OSSL_DISPATCH* calls) : handle(core) {
  for (; calls->function_id != 0; ++calls) {
    switch (calls->function_id) {
      case OSSL_FUNC_CORE_NEW_ERROR:
        new_error = OSSL_FUNC_core_new_error(calls);
        break;
      case OSSL_FUNC_CORE_VSET_ERROR:
        set_error = OSSL_FUNC_core_vset_error(calls);
        break;
      case OSSL_FUNC_CORE_GET_PARAMS:
        get_parameters = OSSL_FUNC_core_get_params(calls);
        break;
      case OSSL_FUNC_GET_ENTROPY:
        get_entropy = OSSL_FUNC_get_entropy(calls);
        break;
      case OSSL_FUNC_CLEANUP_ENTROPY:
        cleanup_entropy = OSSL_FUNC_cleanup_entropy(calls);
        break;
      default:
        break;
    }
  }
}

void Provider::set_words(int reason, const char* format, ...) const {
  if (new_error == nullptr || set_error == nullptr) return;
  std::va_list words;
  va_start(words, format);
  new_error(handle);
  // The core takes a number of another part of libcrypto for that part's; without one it would be of a part of our own, for
  // which no program asks.
  set_error(handle, static_cast<std::uint32_t>(ERR_LIB_PROV) << ERR_LIB_OFFSET | static_cast<std::uint32_t>(reason), format,
            words);
  va_end(words);
}

bool Provider::fail(int reason) const {
  set_words(reason, nullptr);
  return false;
}

bool Provider::fail(int reason, const std::string& words) const {
  set_words(reason, "phalanx: %s", words.c_str());
  return false;
}

bool Provider::fill_random(MutableBytes out) const {
  constexpr std::size_t most_at_once = 64;
  while (!out.empty()) {
    const std::size_t wanted = std::min(out.size(), most_at_once);
    if (get_entropy == nullptr || cleanup_entropy == nullptr) {
      if (getrandom(out.data(), wanted, 0) != static_cast<ssize_t>(wanted)) return false;
    } else {
      unsigned char* bytes = nullptr;
      const std::size_t given = get_entropy(handle, &bytes, static_cast<int>(8 * wanted), wanted, wanted);
      if (bytes != nullptr && given >= wanted) std::memcpy(out.data(), bytes, wanted);
      if (bytes != nullptr) cleanup_entropy(handle, bytes, given);
      if (bytes == nullptr || given < wanted) return false;
    }
    out = out.subspan(wanted);
  }
  return true;
}

std::optional<std::string> Provider::setting(const char* name) const {
  if (get_parameters == nullptr) return {};
  const char* text = nullptr;
  OSSL_PARAM asked[] = {{name, OSSL_PARAM_UTF8_PTR, &text, sizeof text, OSSL_PARAM_UNMODIFIED}, {nullptr, 0, nullptr, 0, 0}};
  if (get_parameters(handle, asked) != 1 || text == nullptr) return {};
  return text;
}

}  // namespace phalanx

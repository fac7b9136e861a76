// What the provider asks of the libcrypto that has loaded it: its core calls (provider-base(7)). Nothing else of libcrypto is
// called, so that a provider that is preferred for everything never calls itself.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <memory>
#include <optional>
#include <phalanx/bytes.hpp>
#include <string>

#include "engine/engines/cpu/cpu_engine.hpp"

namespace phalanx {

/// One per library context that has loaded the provider.
struct Provider {
  const OSSL_CORE_HANDLE* handle = nullptr;
  OSSL_FUNC_core_new_error_fn* new_error = nullptr;
  OSSL_FUNC_core_vset_error_fn* set_error = nullptr;
  OSSL_FUNC_core_get_params_fn* get_parameters = nullptr;
  OSSL_FUNC_get_entropy_fn* get_entropy = nullptr;
  OSSL_FUNC_cleanup_entropy_fn* cleanup_entropy = nullptr;

  std::unique_ptr<const CpuEngine> engine;
  std::string engine_name;
  int num_threads = 1;  ///< the most for one call: the caller's alone, unless openssl.cnf says otherwise
  std::string report;   ///< the file that says what was used; empty: none
  /// This is the version of libcrypto, 305 for 3.5. From 3.4 and from 3.6 on the default provider lists other parameters
  /// for some ciphers.
  int core_version = 0;
  std::string build;  ///< what `openssl list -providers -verbose` shows

  /// Takes the core's functions that are among these.
  Provider(const OSSL_CORE_HANDLE* core, const OSSL_DISPATCH* calls);

  /// Puts an error of the library part PROV where the program asks for it. Returns false, for the caller to return.
  bool fail(int reason) const;
  /// The same with words of ours.
  bool fail(int reason, const std::string& words) const;

  /// Fills `out` with random bytes of the system, by way of libcrypto's sources. False if these fail. A process and its forked
  /// children never get the same: no generator is between.
  [[nodiscard]] bool fill_random(MutableBytes out) const;

  /// What stands under that name in the provider's section of openssl.cnf.
  [[nodiscard]] std::optional<std::string> setting(const char* name) const;

 private:
  void set_words(int reason, const char* format, ...) const;
};

}  // namespace phalanx

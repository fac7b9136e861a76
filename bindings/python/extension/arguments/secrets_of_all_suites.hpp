// The keys and passphrases of Python's arguments, for containers of which none is known yet.
#pragma once

#include <algorithm>
#include <exception>
#include <iterator>
#include <vector>

#include "arguments/secret_arguments.hpp"
#include "engine/chunked/suite.hpp"

namespace phalanx {

/// The keys of files are read in every length that a suite has.
class SecretsOfAllSuites {
 public:
  explicit SecretsOfAllSuites(const SecretArguments& secrets) {
    std::vector<std::size_t> sizes;
    std::exception_ptr failure;
    for (const Suite& suite : all_suites()) {
      if (std::ranges::find(sizes, suite.key_bytes) != sizes.end()) continue;
      sizes.push_back(suite.key_bytes);
      try {
        given_.emplace_back(secrets, suite.key_bytes, SecretUse::opens);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::usage) throw;
        failure = std::current_exception();
      }
    }
    if (given_.empty()) std::rethrow_exception(failure);
  }

  /// Passphrases once, since each costs time; a key that is there twice is only tried twice.
  [[nodiscard]] std::vector<Identity> identities() const {
    std::vector<Identity> result = given_.front().identities();
    for (std::size_t i = 1; i < given_.size(); ++i) {
      std::ranges::copy_if(given_[i].identities(), std::back_inserter(result),
                           [](const Identity& identity) { return identity.kind == KeyKind::key; });
    }
    return result;
  }

 private:
  std::vector<GivenSecrets> given_;
};

}  // namespace phalanx

// Two contexts of one cipher, ours and OpenSSL's, that get the same calls and must give the same answers.
#pragma once

#include "provider_fixture.hpp"

namespace phalanx {

/// What a call gave: its return value, its bytes, and the last error in the queue.
struct Answer {
  int returned = 0;
  ByteVector bytes;
  unsigned long error = 0;  // NOLINT(google-runtime-int): as libcrypto has it

  bool operator==(const Answer&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  out << "returned " << answer.returned << ", " << answer.bytes.size() << " bytes:" << std::hex;
  for (std::size_t i = 0; i < std::min<std::size_t>(answer.bytes.size(), 40); ++i) out << ' ' << int{answer.bytes[i]};
  return out << std::dec << ", error " << (answer.error == 0 ? "none" : ERR_reason_error_string(answer.error));
}

class ComparedContexts {
 public:
  ComparedContexts(const EVP_CIPHER* ours, const EVP_CIPHER* theirs)
      : ciphers_{ours, theirs}, contexts_{ContextPointer(EVP_CIPHER_CTX_new()), ContextPointer(EVP_CIPHER_CTX_new())} {}

  /// Calls with the context and the cipher of each, compares, and returns what ours gave.
  template <class Call>
  Answer call(const char* what, const Call& call) {
    Answer answers[2];
    for (int i = 0; i < 2; ++i) {
      ERR_clear_error();
      answers[i].returned = call(contexts_[i].get(), ciphers_[i], answers[i].bytes);
      // The library and the reason, without the function and the place.
      if (answers[i].returned <= 0) answers[i].error = ERR_peek_last_error();
    }
    EXPECT_EQ(answers[0], answers[1]) << what;
    ERR_clear_error();
    return answers[0];
  }

  /// Goes on with copies of both.
  void copy() {
    for (ContextPointer& context : contexts_) {
      ContextPointer copied(EVP_CIPHER_CTX_new());
      ASSERT_EQ(EVP_CIPHER_CTX_copy(copied.get(), context.get()), 1);
      context = std::move(copied);
    }
  }

 private:
  const EVP_CIPHER* ciphers_[2];
  ContextPointer contexts_[2];
};

}  // namespace phalanx

#include "cipher_calls.hpp"

#include <openssl/core_dispatch.h>

#include <array>
#include <exception>
#include <phalanx/error.hpp>
#include <utility>

#include "cipher_context.hpp"
#include "described_parameters.hpp"
#include "pipelines.hpp"
#include "used_ciphers.hpp"

namespace phalanx {

namespace {

CipherContext& context_of(void* context) { return *static_cast<CipherContext*>(context); }

// What the engine throws is a failure of the call: no exception goes into libcrypto.
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    return call() ? 1 : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

// A key or an iv that stays comes as a null pointer, whatever its size.
int start(Direction direction, void* context, const unsigned char* key, std::size_t key_bytes, const unsigned char* iv,
          std::size_t iv_bytes, const OSSL_PARAM* parameters) noexcept {
  return guarded([&] {
    CipherContext& message = context_of(context);
    message.pipes.clear();
    return message.start(direction, key, key_bytes, iv, iv_bytes) && message.set(parameters);
  });
}

int start_encryption(void* context, const unsigned char* key, std::size_t key_bytes, const unsigned char* iv,
                     std::size_t iv_bytes, const OSSL_PARAM* parameters) noexcept {
  return start(Direction::encrypt, context, key, key_bytes, iv, iv_bytes, parameters);
}

int start_decryption(void* context, const unsigned char* key, std::size_t key_bytes, const unsigned char* iv,
                     std::size_t iv_bytes, const OSSL_PARAM* parameters) noexcept {
  return start(Direction::decrypt, context, key, key_bytes, iv, iv_bytes, parameters);
}

int update(void* context, unsigned char* out, std::size_t* written, std::size_t room, const unsigned char* in,
           std::size_t num_bytes) noexcept {
  return guarded([&] { return context_of(context).update({out, written, room}, {in, num_bytes}); });
}

int finish(void* context, unsigned char* out, std::size_t* written, std::size_t room) noexcept {
  return guarded([&] { return context_of(context).finish({out, written, room}); });
}

int crypt(void* context, unsigned char* out, std::size_t* written, std::size_t room, const unsigned char* in,
          std::size_t num_bytes) noexcept {
  return guarded([&] { return context_of(context).crypt({out, written, room}, {in, num_bytes}); });
}

int get_of_context(void* context, OSSL_PARAM* parameters) noexcept {
  return guarded([&] {
    CipherContext& message = context_of(context);
    return message.get(parameters) && (message.pipes.empty() || get_of_pipes(message, parameters));
  });
}

int set_of_context(void* context, const OSSL_PARAM* parameters) noexcept {
  return guarded([&] {
    CipherContext& message = context_of(context);
    return message.set(parameters) && (message.pipes.empty() || set_of_pipes(message, parameters));
  });
}

int start_pipeline(Direction direction, void* context, Bytes key, std::span<const unsigned char*> ivs, std::size_t iv_bytes,
                   const OSSL_PARAM* parameters) noexcept {
  return guarded([&] {
    return start_pipes(context_of(context), direction, key, ivs, iv_bytes) && set_of_context(context, parameters) == 1;
  });
}

int start_encrypting_pipeline(void* context, const unsigned char* key, std::size_t key_bytes, std::size_t num_pipes,
                              const unsigned char** ivs, std::size_t iv_bytes, const OSSL_PARAM* parameters) noexcept {
  return start_pipeline(Direction::encrypt, context, {key, key_bytes}, {ivs, num_pipes}, iv_bytes, parameters);
}

int start_decrypting_pipeline(void* context, const unsigned char* key, std::size_t key_bytes, std::size_t num_pipes,
                              const unsigned char** ivs, std::size_t iv_bytes, const OSSL_PARAM* parameters) noexcept {
  return start_pipeline(Direction::decrypt, context, {key, key_bytes}, {ivs, num_pipes}, iv_bytes, parameters);
}

int update_pipeline(void* context, std::size_t num_pipes, unsigned char** outs, std::size_t* written,
                    const std::size_t* rooms, const unsigned char** ins, const std::size_t* sizes) noexcept {
  return guarded([&] { return update_pipes(context_of(context), {num_pipes, outs, written, rooms}, ins, sizes); });
}

int finish_pipeline(void* context, std::size_t num_pipes, unsigned char** outs, std::size_t* written,
                    const std::size_t* rooms) noexcept {
  return guarded([&] { return finish_pipes(context_of(context), {num_pipes, outs, written, rooms}); });
}

void* copy(void* context) noexcept {
  try {
    return context_of(context).copy().release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void destroy(void* context) noexcept { delete static_cast<CipherContext*>(context); }

// From OpenSSL 3.5 on, whose core_dispatch.h has these numbers; an older libcrypto passes over them.
constexpr int pipeline_encrypt_init = 15, pipeline_decrypt_init = 16, pipeline_update = 17, pipeline_final = 18;

// What libcrypto asks of a cipher before it makes a context: it names none, so that each has functions of its own.
template <std::size_t number>
struct CallsOfCipher {
  static constexpr const ServedCipher& served = served_ciphers[number];

  static void* create(void* provider) noexcept {
    try {
      const auto& made_for = *static_cast<const Provider*>(provider);
      report_use(made_for, number);
      return make_context(made_for, served).release();
    } catch (const std::exception&) {
      return nullptr;
    }
  }
  static int get(OSSL_PARAM* parameters) noexcept { return write_facts(served, parameters) ? 1 : 0; }
  static const OSSL_PARAM* described_of_context(void*, void* provider) noexcept {
    return parameters_to_get(served, *static_cast<const Provider*>(provider));
  }
  static const OSSL_PARAM* settable_of_context(void*, void* provider) noexcept {
    return parameters_to_set(served, *static_cast<const Provider*>(provider));
  }
  static const OSSL_PARAM* described(void* provider) noexcept {
    return described_facts(*static_cast<const Provider*>(provider));
  }

  template <class Function>
  static constexpr OSSL_DISPATCH row(int id, Function* function) {
    return {id, reinterpret_cast<void (*)()>(function)};
  }
  static const OSSL_DISPATCH* table() {
    static const OSSL_DISPATCH rows[] = {
        row(OSSL_FUNC_CIPHER_NEWCTX, create),
        row(OSSL_FUNC_CIPHER_FREECTX, destroy),
        row(OSSL_FUNC_CIPHER_DUPCTX, copy),
        row(OSSL_FUNC_CIPHER_ENCRYPT_INIT, start_encryption),
        row(OSSL_FUNC_CIPHER_DECRYPT_INIT, start_decryption),
        row(OSSL_FUNC_CIPHER_UPDATE, update),
        row(OSSL_FUNC_CIPHER_FINAL, finish),
        row(OSSL_FUNC_CIPHER_CIPHER, crypt),
        row(OSSL_FUNC_CIPHER_GET_PARAMS, get),
        row(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, described),
        row(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_of_context),
        row(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, described_of_context),
        row(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_of_context),
        row(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_of_context),
        row(pipeline_encrypt_init, start_encrypting_pipeline),
        row(pipeline_decrypt_init, start_decrypting_pipeline),
        row(pipeline_update, update_pipeline),
        row(pipeline_final, finish_pipeline),
        {0, nullptr},
    };
    return rows;
  }
};

// The last one is for a preference beside a property `provider` of a program's own, which overwrites a preference of that name.
constexpr const char* property_definition = "provider=phalanx,fips=no,phalanx.cipher=yes";

template <std::size_t... numbers>
std::array<OSSL_ALGORITHM, num_served_ciphers + 1> list_algorithms(std::index_sequence<numbers...>) {
  return {{{served_ciphers[numbers].names, property_definition, CallsOfCipher<numbers>::table(), "of Phalanx"}...,
           {nullptr, nullptr, nullptr, nullptr}}};
}

}  // namespace

const OSSL_ALGORITHM* cipher_algorithms() {
  static const auto algorithms = list_algorithms(std::make_index_sequence<num_served_ciphers>());
  return algorithms.data();
}

}  // namespace phalanx

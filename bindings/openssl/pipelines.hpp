// Pipelines: several messages under one key in one context, from OpenSSL 3.5 on (EVP_CipherPipelineEncryptInit(3)). Where a
// message alone leaves lanes empty, as in the encryption of CBC, several fill them.
#pragma once

#include "cipher_context.hpp"

namespace phalanx {

/// Where each of several messages puts its result, as EVP_CipherPipelineUpdate has it.
struct PipeOutputs {
  std::size_t num_pipes;
  std::uint8_t* const* data;  ///< nullptr, to an AEAD: the input is associated data
  std::size_t* written;
  const std::size_t* rooms;

  [[nodiscard]] Output of(std::size_t pipe) const {
    return {data == nullptr ? nullptr : data[pipe], written + pipe, data == nullptr ? SIZE_MAX : rooms[pipe]};
  }
};

/// Begins a message for each iv.
bool start_pipes(CipherContext& pipeline, Direction direction, Bytes key, std::span<const std::uint8_t* const> ivs,
                 std::size_t iv_bytes);
bool update_pipes(CipherContext& pipeline, const PipeOutputs& outs, const std::uint8_t* const* ins,
                  const std::size_t* sizes);
bool finish_pipes(CipherContext& pipeline, const PipeOutputs& outs);

/// The parameters of all messages; "pipeline-tag" has a tag for each, in memory of the caller's.
bool get_of_pipes(CipherContext& pipeline, OSSL_PARAM* parameters);
bool set_of_pipes(CipherContext& pipeline, const OSSL_PARAM* parameters);

}  // namespace phalanx

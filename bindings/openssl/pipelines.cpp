#include "pipelines.hpp"

#include <algorithm>

#include "parameter_calls.hpp"

namespace phalanx {
namespace {

// The memory of each message's tag. The parameter points to the caller's pointer to these.
std::uint8_t* const* tags_in(const OSSL_PARAM& parameter) {
  if (parameter.data_type != OSSL_PARAM_OCTET_PTR || parameter.data == nullptr) return nullptr;
  return *static_cast<std::uint8_t* const* const*>(parameter.data);
}

OSSL_PARAM tag_parameter(std::uint8_t* tag, std::size_t num_bytes) {
  return {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tag, num_bytes, 0};
}

}  // namespace

bool start_pipes(CipherContext& pipeline, Direction direction, Bytes key, std::span<const std::uint8_t* const> ivs,
                 std::size_t iv_bytes) {
  pipeline.pipes.clear();
  if (!pipeline.start(direction, key.data(), key.size(), nullptr, 0)) return false;
  std::vector<std::unique_ptr<CipherContext>> pipes;
  for (const std::uint8_t* const iv : ivs) {
    pipes.push_back(pipeline.copy());
    if (!pipes.back()->start(direction, nullptr, 0, iv, iv_bytes)) return false;
  }
  pipeline.pipes = std::move(pipes);
  return true;
}

bool update_pipes(CipherContext& pipeline, const PipeOutputs& outs, const std::uint8_t* const* ins,
                  const std::size_t* sizes) {
  if (outs.num_pipes != pipeline.pipes.size() || outs.num_pipes == 0) return false;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < outs.num_pipes; ++i)
    pieces.push_back({pipeline.pipes[i].get(), outs.of(i), {ins[i], sizes[i]}});
  return pipeline.pipes[0]->update_together(pieces);
}

bool finish_pipes(CipherContext& pipeline, const PipeOutputs& outs) {
  if (outs.num_pipes != pipeline.pipes.size()) return false;
  for (std::size_t i = 0; i < outs.num_pipes; ++i) {
    if (!pipeline.pipes[i]->finish(outs.of(i))) return false;
  }
  return true;
}

bool get_of_pipes(CipherContext& pipeline, OSSL_PARAM* parameters) {
  const OSSL_PARAM* const asked = find_parameter(parameters, pipeline_tags_name);
  if (asked == nullptr) return true;
  std::uint8_t* const* const tags = tags_in(*asked);
  if (tags == nullptr) return false;
  for (std::size_t i = 0; i < pipeline.pipes.size(); ++i) {
    OSSL_PARAM one[] = {tag_parameter(tags[i], asked->data_size), last_described};
    if (!pipeline.pipes[i]->get(one)) return false;
  }
  return true;
}

bool set_of_pipes(CipherContext& pipeline, const OSSL_PARAM* parameters) {
  const auto takes = [parameters](const std::unique_ptr<CipherContext>& pipe) { return pipe->set(parameters); };
  if (!std::all_of(pipeline.pipes.begin(), pipeline.pipes.end(), takes)) return false;
  const OSSL_PARAM* const given = find_parameter(parameters, pipeline_tags_name);
  if (given == nullptr) return true;
  std::uint8_t* const* const tags = tags_in(*given);
  if (tags == nullptr) return false;
  for (std::size_t i = 0; i < pipeline.pipes.size(); ++i) {
    const OSSL_PARAM one[] = {tag_parameter(tags[i], given->data_size), last_described};
    if (!pipeline.pipes[i]->set(one)) return false;
  }
  return true;
}

}  // namespace phalanx

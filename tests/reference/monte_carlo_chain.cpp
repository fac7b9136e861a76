#include "monte_carlo_chain.hpp"

#include <bit>
#include <stdexcept>

#include "reference/reference.hpp"

namespace phalanx::test {
namespace {

void xor_into(ByteVector& out, const ByteVector& in) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= in[i];
}

// One block after another of a message in a mode: what a call with a one-block message and the chaining value gives.
class BlockByBlock {
 public:
  BlockByBlock(const reference::BlockCipher& cipher, std::string mode, Direction direction, ByteVector iv)
      : cipher_(cipher), mode_(std::move(mode)), direction_(direction), chaining_value_(std::move(iv)) {}

  ByteVector operator()(const ByteVector& in) {
    ByteVector out = crypt(in);
    const ByteVector& ciphertext = direction_ == Direction::encrypt ? out : in;
    if (mode_ == "cbc" || mode_ == "cfb") chaining_value_ = ciphertext;
    if (mode_ == "ofb") {
      chaining_value_ = in;
      xor_into(chaining_value_, out);
    }
    return out;
  }

 private:
  ByteVector crypt(const ByteVector& in) {
    if (mode_ == "ecb") return reference::ecb(cipher_, direction_, in);
    if (mode_ == "cbc") return reference::cbc(cipher_, direction_, chaining_value_, in);
    if (mode_ == "cfb") return reference::cfb(cipher_, direction_, chaining_value_, in);
    if (mode_ == "ofb") return reference::ofb(cipher_, chaining_value_, in);
    throw std::runtime_error("no chain is defined for the mode " + mode_);
  }

  const reference::BlockCipher& cipher_;
  std::string mode_;
  Direction direction_;
  ByteVector chaining_value_;
};

// The last outputs of a step, the latest first.
struct LastOutputs {
  ByteVector last, before, before_that;

  void push(ByteVector output) {
    before_that = std::move(before);
    before = std::move(last);
    last = std::move(output);
  }
};

// The key of the AES chains: XOR with as many bits as it has, the latest output at its end.
void change_key(ByteVector& key, const LastOutputs& outputs) {
  ByteVector mask = outputs.before;
  mask.insert(mask.end(), outputs.last.begin(), outputs.last.end());
  mask.erase(mask.begin(), mask.end() - static_cast<std::ptrdiff_t>(key.size()));
  xor_into(key, mask);
}

// The keys of the TDES chains: KEY1 with the latest output, KEY2 with the one before, KEY3 with the one before that; then
// each byte gets odd parity.
void change_tdes_keys(ByteVector& keys, const LastOutputs& outputs) {
  ByteVector mask = outputs.last;
  mask.insert(mask.end(), outputs.before.begin(), outputs.before.end());
  mask.insert(mask.end(), outputs.before_that.begin(), outputs.before_that.end());
  xor_into(keys, mask);
  for (std::uint8_t& byte : keys) {
    if (std::popcount(byte) % 2 == 0) byte ^= 1;
  }
}

}  // namespace

ByteVector run_step(ChainRule rule, const std::string& cipher_name, const std::string& mode, Direction direction,
                    ChainState& state) {
  const auto cipher = reference::make_cipher(cipher_name, state.key);
  BlockByBlock crypt(*cipher, mode, direction, state.iv);
  // In ECB, and in CBC decryption of the AES candidates' chains, an output is the next input; otherwise the output before it
  // is, and the first time the iv.
  const bool output_is_next_input = mode == "ecb" || (rule == ChainRule::aes_candidate && direction == Direction::decrypt);
  const int num_blocks = rule == ChainRule::cavp_aes ? 1000 : 10000;
  LastOutputs outputs;
  outputs.last = state.iv;
  ByteVector input = state.input;
  for (int j = 0; j < num_blocks; ++j) {
    outputs.push(crypt(input));
    input = output_is_next_input ? outputs.last : outputs.before;
  }
  if (rule == ChainRule::cavp_tdes) {
    change_tdes_keys(state.key, outputs);
  } else {
    change_key(state.key, outputs);
  }
  if (mode != "ecb") state.iv = output_is_next_input ? outputs.before : outputs.last;
  state.input = input;
  return outputs.last;
}

}  // namespace phalanx::test

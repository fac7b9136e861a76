#include "engine/chunked/chunked_encryption.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "engine/bytes/equal_bytes.hpp"
#include "engine/engines/device_memory.hpp"
#include "engine/engines/registry.hpp"
#include "engine/host/host.hpp"
#include "engine/host/process_mark.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/secrets/stack_wipe.hpp"
#include "engine/text/characters.hpp"

namespace phalanx {
namespace {

constexpr std::size_t nonce_bytes = 12;
constexpr std::string_view derivation_label = "c2sp.org/chunked-encryption@v1+";

[[noreturn]] void fail_too_many_chunks(ErrorCode code) {
  throw Error(code, "a message of chunked encryption has at most 2^38 chunks of 16384 bytes: cut the data into several");
}

// The key derivation gives these in its order: key || base nonce || commitment.
struct MessageKeys {
  SecretBytes bytes;
  std::size_t key_bytes;

  [[nodiscard]] Bytes key() const { return Bytes(bytes).first(key_bytes); }
  [[nodiscard]] Bytes base_nonce() const { return Bytes(bytes).subspan(key_bytes, nonce_bytes); }
  [[nodiscard]] Bytes commitment() const { return Bytes(bytes).subspan(key_bytes + nonce_bytes); }
};

MessageKeys derive_message_keys(const Suite& suite, Bytes input_key, Bytes salt, Bytes context) {
  if (input_key.size() != suite.key_bytes) {
    fail_usage("an input key for " + std::string(suite.name) + " is " + std::to_string(suite.key_bytes) + " bytes, and " +
               std::to_string(input_key.size()) + " were given");
  }
  const std::string_view aead = suite.aead_name;
  std::vector<std::uint8_t> info(derivation_label.begin(), derivation_label.end());
  info.insert(info.end(), aead.begin(), aead.end());
  info.push_back(0);
  info.insert(info.end(), salt.begin(), salt.end());
  info.insert(info.end(), context.begin(), context.end());
  MessageKeys keys{SecretBytes(suite.key_bytes + nonce_bytes + commitment_bytes), suite.key_bytes};
  expand_hkdf_sha512(input_key, info, keys.bytes);
  return keys;
}

// Writes the nonce of a chunk: the base nonce XOR the chunk's number, big-endian.
void write_chunk_nonce(Bytes base_nonce, std::uint64_t chunk, std::uint8_t* nonce) {
  std::copy_n(base_nonce.begin(), nonce_bytes, nonce);
  for (std::size_t i = nonce_bytes; chunk != 0; chunk >>= 8) {
    --i;
    nonce[i] = static_cast<std::uint8_t>(nonce[i] ^ (chunk & 0xff));
  }
}

// Returns how many chunks these sizes mean. The sizes must fit each other.
std::size_t count_chunks(std::uint64_t first_chunk, std::size_t plain_size, std::size_t sealed_size) {
  const std::size_t rest = sealed_size % sealed_chunk_bytes;
  const std::size_t num_chunks = sealed_size / sealed_chunk_bytes + (rest != 0 ? 1 : 0);
  if (rest != 0 && rest < chunk_tag_bytes) {
    throw Error(ErrorCode::truncated,
                "the last chunk has " + std::to_string(rest) + " bytes, fewer than its tag of 16: the data are cut short");
  }
  if (sealed_size - num_chunks * chunk_tag_bytes != plain_size) {
    fail_usage("chunks of " + std::to_string(sealed_size) + " bytes hold " +
               std::to_string(sealed_size - num_chunks * chunk_tag_bytes) + " bytes, and " + std::to_string(plain_size) +
               " were given");
  }
  if (first_chunk > max_chunks || num_chunks > max_chunks - first_chunk) fail_too_many_chunks(ErrorCode::usage);
  return num_chunks;
}

// The most that an engine is given at once. A GPU takes as many as a few large buffers hold.
constexpr std::size_t chunks_at_once = 8192;

// Crypting may leave nonces, which are derived from the key, in so much of the stack.
constexpr std::size_t crypt_stack_bytes = 8192;

}  // namespace

void fail_not_authentic(std::uint64_t chunk) {
  throw Error(ErrorCode::authentication,
              "chunk " + std::to_string(chunk) + " is not authentic: the data were changed or cut after they were sealed");
}

std::uint64_t chunks_bytes(std::uint64_t plain_bytes) {
  const std::uint64_t num_chunks = num_chunks_of_plain(plain_bytes);
  if (num_chunks > max_chunks) fail_too_many_chunks(ErrorCode::usage);
  return plain_bytes + num_chunks * chunk_tag_bytes;
}

std::uint64_t plain_bytes_of_chunks(std::uint64_t sealed_bytes) {
  const std::uint64_t num_full = sealed_bytes / sealed_chunk_bytes;
  const std::uint64_t rest = sealed_bytes % sealed_chunk_bytes;
  if (rest == 0) {
    throw Error(ErrorCode::truncated, "the data end without a short last chunk: they are cut short");
  }
  if (rest < chunk_tag_bytes) {
    throw Error(ErrorCode::truncated,
                "the last chunk has " + std::to_string(rest) + " bytes, fewer than its tag of 16: the data are cut short");
  }
  if (num_full >= max_chunks) fail_too_many_chunks(ErrorCode::format);
  return sealed_bytes - (num_full + 1) * chunk_tag_bytes;
}

ChunkSalt random_chunk_salt() {
  ChunkSalt salt;
  fill_random(salt);
  return salt;
}

struct ChunkedCipher::State {
  const Suite& suite;
  MessagePrefix prefix{};
  MessageKeys keys;
  const Engine& engine;
  std::string engine_name;
  int num_threads;
  ProcessMark process;  // a child has the same keys, and would seal other chunks under the same nonces

  State(const Suite& own_suite, MessageKeys message_keys, Bytes salt, const EngineOptions& options)
      : suite(own_suite),
        keys(std::move(message_keys)),
        engine(find_engine(options.engine)),
        engine_name(engine.info().name),
        num_threads(options.num_threads) {
    check_options(options);
    std::copy(salt.begin(), salt.end(), prefix.begin());
    const Bytes commitment = keys.commitment();
    std::copy(commitment.begin(), commitment.end(), prefix.begin() + chunk_salt_bytes);
  }

  // Crypts the chunks; the tags lie behind the sealed ones. Returns the number, within these, of the first one that is not
  // authentic, or num_chunks.
  std::uint64_t crypt(Direction direction, std::uint64_t first_chunk, std::size_t num_chunks, Bytes in,
                      MutableBytes out) const;

  // Over the host's memory, and over a GPU's: of the engine, where that has one, else of any GPU. Each is made when it is
  // first asked for.
  [[nodiscard]] const KeyedAead& aead() const;
  [[nodiscard]] const KeyedDeviceAead& device_aead() const;
  void put_nonces(ChunkCutting& cutting, std::uint64_t first_chunk) const;

 private:
  // Crypts up to chunks_at_once chunks, and returns as crypt does.
  std::uint64_t crypt_together(Direction direction, std::uint64_t first_chunk, std::size_t num_chunks, Bytes in,
                               MutableBytes out) const;

  mutable std::once_flag aead_is_made_, device_aead_is_made_;
  mutable std::unique_ptr<const KeyedAead> aead_;
  mutable std::unique_ptr<const KeyedDeviceAead> device_aead_;
};

const KeyedAead& ChunkedCipher::State::aead() const {
  std::call_once(aead_is_made_, [this] { aead_ = engine.set_aead_key(aead_of(suite), keys.key(), num_threads); });
  return *aead_;
}

const KeyedDeviceAead& ChunkedCipher::State::device_aead() const {
  std::call_once(device_aead_is_made_, [this] {
    const Engine& of_gpus = engine_name.starts_with("cuda") ? engine : find_engine("cuda");
    device_aead_ = device_memory_of(of_gpus).set_device_aead_key(aead_of(suite), keys.key());
  });
  return *device_aead_;
}

void ChunkedCipher::State::put_nonces(ChunkCutting& cutting, std::uint64_t first_chunk) const {
  std::ranges::copy(keys.base_nonce(), cutting.base_nonce.begin());
  cutting.first_chunk = first_chunk;
}

std::uint64_t ChunkedCipher::State::crypt(Direction direction, std::uint64_t first_chunk, std::size_t num_chunks, Bytes in,
                                          MutableBytes out) const {
  const bool encrypts = direction == Direction::encrypt;
  const std::size_t in_stride = encrypts ? plain_chunk_bytes : sealed_chunk_bytes;
  const std::size_t out_stride = encrypts ? sealed_chunk_bytes : plain_chunk_bytes;
  std::uint64_t first_bad = num_chunks;
  for (std::size_t done = 0; done < num_chunks; done += chunks_at_once) {
    const std::size_t count = std::min(chunks_at_once, num_chunks - done);
    const Bytes from = in.subspan(done * in_stride);
    const MutableBytes to = out.subspan(done * out_stride);
    const std::uint64_t bad = crypt_together(direction, first_chunk + done, count, from, to);
    if (bad != count) first_bad = std::min(first_bad, done + bad);
  }
  return first_bad;
}

std::uint64_t ChunkedCipher::State::crypt_together(Direction direction, std::uint64_t first_chunk, std::size_t num_chunks,
                                                   Bytes in, MutableBytes out) const {
  const bool encrypts = direction == Direction::encrypt;
  const std::size_t sealed_size = encrypts ? out.size() : in.size();
  SecretBytes nonces(num_chunks * nonce_bytes);
  std::vector<AeadMessage> messages(num_chunks);
  for (std::size_t i = 0; i < num_chunks; ++i) {
    AeadMessage& message = messages[i];
    const std::size_t sealed_place = i * sealed_chunk_bytes;
    const std::size_t plain_place = i * plain_chunk_bytes;
    message.num_bytes = std::min(sealed_size - sealed_place, sealed_chunk_bytes) - chunk_tag_bytes;
    message.in = in.data() + (encrypts ? plain_place : sealed_place);
    message.out = out.data() + (encrypts ? sealed_place : plain_place);
    if (encrypts) {
      message.tag = message.out + message.num_bytes;
    } else {
      message.expected_tag = message.in + message.num_bytes;
    }
    message.tag_bytes = chunk_tag_bytes;
    write_chunk_nonce(keys.base_nonce(), first_chunk + i, nonces.data() + i * nonce_bytes);
    message.nonce = nonces.data() + i * nonce_bytes;
    message.nonce_bytes = nonce_bytes;
  }
  const KeyedAead& keyed = aead();
  call_then_wipe_stack<crypt_stack_bytes>([&] { keyed.crypt(direction, messages, Unverified::wiped); });
  if (encrypts) return num_chunks;
  const auto bad = std::ranges::find(messages, false, &AeadMessage::is_authentic);
  return static_cast<std::uint64_t>(bad - messages.begin());
}

ChunkedCipher::ChunkedCipher(const Suite& suite, Bytes input_key, const ChunkSalt& salt, Bytes context,
                             const EngineOptions& options)
    : state_(std::make_unique<const State>(suite, derive_message_keys(suite, input_key, salt, context), salt, options)) {}

ChunkedCipher::ChunkedCipher(const Suite& suite, Bytes input_key, const MessagePrefix& prefix, Bytes context,
                             const EngineOptions& options) {
  const Bytes salt = Bytes(prefix).first(chunk_salt_bytes);
  MessageKeys keys = derive_message_keys(suite, input_key, salt, context);
  if (!are_equal(keys.commitment().data(), prefix.data() + chunk_salt_bytes, commitment_bytes)) {
    throw Error(ErrorCode::wrong_key, "wrong key or context: the commitment at the beginning of the data is not theirs");
  }
  state_ = std::make_unique<const State>(suite, std::move(keys), salt, options);
}

ChunkedCipher::~ChunkedCipher() = default;
ChunkedCipher::ChunkedCipher(ChunkedCipher&&) noexcept = default;
ChunkedCipher& ChunkedCipher::operator=(ChunkedCipher&&) noexcept = default;

const MessagePrefix& ChunkedCipher::prefix() const { return state_->prefix; }
ChunkedCipher::ChunkedCipher(std::unique_ptr<const State> state) : state_(std::move(state)) {}

ChunkedCipher ChunkedCipher::of_message_keys(const Suite& suite, Bytes message_keys, Bytes salt,
                                             const EngineOptions& options) {
  if (message_keys.size() != suite.key_bytes + nonce_bytes + commitment_bytes || salt.size() != chunk_salt_bytes)
    fail_usage("these are no keys of a message of chunked encryption");
  return ChunkedCipher(
      std::make_unique<const State>(suite, MessageKeys{SecretBytes(message_keys), suite.key_bytes}, salt, options));
}

Bytes ChunkedCipher::message_keys() const { return state_->keys.bytes; }
const Suite& ChunkedCipher::suite() const { return state_->suite; }

void ChunkedCipher::derive_key(std::string_view label, MutableBytes key) const {
  expand_hkdf_sha512(state_->keys.bytes, bytes_of(label), key);
}

const std::string& ChunkedCipher::engine() const { return state_->engine_name; }

void ChunkedCipher::seal(std::uint64_t first_chunk, Bytes plain, MutableBytes sealed) const {
  state_->process.require_this_process();
  const std::size_t num_chunks = count_chunks(first_chunk, plain.size(), sealed.size());
  state_->crypt(Direction::encrypt, first_chunk, num_chunks, plain, sealed);
}

void ChunkedCipher::open(std::uint64_t first_chunk, Bytes sealed, MutableBytes plain) const {
  const std::size_t num_chunks = count_chunks(first_chunk, plain.size(), sealed.size());
  const std::uint64_t first_bad = state_->crypt(Direction::decrypt, first_chunk, num_chunks, sealed, plain);
  if (first_bad != num_chunks) fail_not_authentic(first_chunk + first_bad);
}

void ChunkedCipher::set_key_early() const noexcept {
  try {
    static_cast<void>(state_->aead());
  } catch (...) {  // whoever needs the key tries again
  }
}

std::unique_ptr<PageLock> ChunkedCipher::lock_pages(MutableBytes memory) const { return state_->aead().lock_pages(memory); }

std::unique_ptr<DeviceBatchResult> ChunkedCipher::crypt_on_device(Direction direction, const void* in, void* out,
                                                                  std::uint64_t plain_bytes, void* stream) const {
  const bool seals = direction == Direction::encrypt;
  if (seals) state_->process.require_this_process();
  DeviceChunks chunks{{plain_chunk_bytes, plain_bytes, num_chunks_of_plain(plain_bytes), {}, 0},
                      static_cast<const std::uint8_t*>(in),
                      static_cast<std::uint8_t*>(out),
                      seals ? Bytes(prefix()) : Bytes()};
  state_->put_nonces(chunks.cutting, 0);
  return state_->device_aead().crypt_chunks(direction, chunks, stream);
}

void ChunkedCipher::open_to_device(std::uint64_t first_chunk, SealedChunks chunks, void* out, void* stream) const {
  state_->put_nonces(chunks.cutting, first_chunk);
  chunks.num_threads = state_->num_threads;
  const std::uint64_t first_bad = state_->device_aead().open_chunks(chunks, static_cast<std::uint8_t*>(out), stream);
  if (first_bad != chunks.cutting.num_chunks) fail_not_authentic(first_chunk + first_bad);
}

void ChunkedCipher::seal_from_device(std::uint64_t first_chunk, ChunksToSeal chunks, const void* in, void* stream) const {
  state_->process.require_this_process();
  if (chunks.cutting.num_chunks > max_chunks - first_chunk) fail_too_many_chunks(ErrorCode::usage);
  state_->put_nonces(chunks.cutting, first_chunk);
  chunks.num_threads = state_->num_threads;
  state_->device_aead().seal_chunks(chunks, static_cast<const std::uint8_t*>(in), stream);
}

}  // namespace phalanx

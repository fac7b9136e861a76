#include <algorithm>
#include <exception>
#include <optional>
#include <phalanx/foreign.hpp>

#include "files/input.hpp"
#include "files/input_watch.hpp"
#include "foreign/message.hpp"
#include "library/argument_checks.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void require_size(const char* what, std::size_t size, std::size_t wanted, const std::string& cipher) {
  if (size == wanted) return;
  throw_usage(cipher + " takes " + what + " of " + std::to_string(wanted) + " bytes, not of " + std::to_string(size));
}

void plan_key(const ForeignFormat& format, MessagePlan& plan) {
  plan.from_passphrase = format.key.empty();
  if (!plan.from_passphrase) {
    if (!format.passphrase.empty()) throw_usage("foreign data has a key or a passphrase: give one of them");
    return require_size("a key", format.key.size(), key_bytes(plan.cipher), full_name(plan.cipher));
  }
  if (format.passphrase.empty()) throw_usage("foreign data needs a key or a passphrase: both are empty");
  require_digest(format.derivation.digest);
  const bool searchable = takes_padding(plan.job.mode) && can_check(plan.job.padding);
  if (format.find_digest && !searchable)
    throw_usage("the digest is found by the padding, and there is none to check: name it");
}

void plan_sectors(const ForeignFormat& format, MessagePlan& plan) {
  const std::size_t size = format.sectors.sector_bytes;
  if (size == 0) return;
  if (plan.job.mode != Mode::xts) throw_usage("sectors are XTS's");
  if (size % largest_block_bytes != 0 || size > most_sector_bytes) {
    throw_usage("a sector has a multiple of 16 bytes, 1 MiB at most, and not " + std::to_string(size));
  }
  if (!format.iv.empty() || format.begins_with_iv) throw_usage("sectors have tweaks, and no iv");
  if (plan.from_passphrase) throw_usage("sectors have a key, and no passphrase of `openssl enc`");
  plan.job.sectors = format.sectors;
}

void plan_iv(const ForeignFormat& format, MessagePlan& plan) {
  const std::size_t size = plan.job.sectors.sector_bytes != 0 ? 0 : iv_bytes(plan.cipher);
  plan.iv_given = !format.iv.empty();
  plan.iv_prefix = format.begins_with_iv;
  if (plan.iv_given && plan.iv_prefix) throw_usage("foreign data begins with its iv, or the format gives it: not both");
  if (plan.iv_prefix && plan.from_passphrase)
    throw_usage("the passphrase gives the iv, and data cannot begin with it as well");
  if (plan.iv_prefix && size == 0) throw_usage(full_name(plan.cipher) + " has no iv that data could begin with");
  const bool comes_later = plan.iv_prefix || (plan.from_passphrase && !plan.iv_given);
  if (!comes_later) require_size("an iv", format.iv.size(), size, full_name(plan.cipher));
  plan.job.iv.size = size;
  std::ranges::copy(format.iv, plan.job.iv.bytes.begin());
}

}  // namespace

void require_bare_mode(const NamedCipher& named) {
  if (named.mode != Mode::gcm) return;
  throw_usage(
      "gcm is no mode of bare data, since its tag must be checked before a byte is let out: choose ecb, cbc, ctr, cfb, "
      "ofb or xts");
}

MessagePlan plan_foreign(const ForeignFormat& format, const Options& options) {
  MessagePlan plan;
  plan.options = options;
  plan.cipher = format.key.empty() ? parse_openssl_cipher_name(format.cipher) : parse_cipher_name(format.cipher);
  require_bare_mode(plan.cipher);
  plan.job.direction = Direction::decrypt;
  plan.job.mode = plan.cipher.mode;
  plan.job.padding = takes_padding(plan.cipher.mode) ? format.padding : Padding::none;
  plan_key(format, plan);
  plan_sectors(format, plan);
  plan_iv(format, plan);
  plan.openssl = {.derivation = format.derivation,
                  .find_digest = plan.from_passphrase && format.find_digest,
                  .salted = format.salted,
                  .base64 = format.base64};
  return plan;
}

namespace {

class CallSource : public ByteSource {
 public:
  explicit CallSource(ReadNext read_next) : read_next_(std::move(read_next)) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t size = read_next_(out);
    if (size > out.size()) throw_usage("a read of foreign data says that it gave more than was asked for");
    return size;
  }

 private:
  ReadNext read_next_;
};

}  // namespace

struct ForeignReader::State {
  State(std::unique_ptr<ByteSource> from, Input* file, const ForeignFormat& format, const Options& options)
      : plan(plan_foreign(format, options)), source(std::move(from)) {
    const Bytes secret = plan.from_passphrase ? format.passphrase : format.key;
    if (file != nullptr) {
      watch.emplace(*file);
      message.emplace(plan, secret, *file);
    } else {
      message.emplace(plan, secret, *source, "the data");
    }
    reader = message->reader(piece_bytes_for(plan.job, is_gpu(message->cipher().engine())), watch ? &*watch : nullptr);
  }

  // As ForeignReader::read. What failed once stays so: what it had read is neither whole nor checked, and the source may
  // stand anywhere.
  std::size_t read(MutableBytes out) {
    if (failure) std::rethrow_exception(failure);
    try {
      return read_on(out);
    } catch (...) {
      failure = std::current_exception();
      piece = {};
      memory = SecretBytes();
      throw;
    }
  }

  std::size_t read_on(MutableBytes out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t left = piece.size - num_taken;
      if (left == 0) {
        if (!advance()) break;
        continue;
      }
      const std::size_t size = std::min(left, out.size() - done);
      std::ranges::copy(piece.buffer.subspan(num_taken, size), out.begin() + static_cast<std::ptrdiff_t>(done));
      num_taken += size;
      done += size;
    }
    return done;
  }

  // The next piece of plaintext; false: there is none.
  bool advance() {
    if (is_at_end) return false;
    if (memory.size() == 0) memory = SecretBytes(reader->buffer_bytes());
    piece.buffer = memory;
    num_taken = 0;
    bool there_is_one = reader->read(piece);
    while (there_is_one && piece.lacks_room()) {
      memory = SecretBytes(piece.size + max_padding_bytes);
      piece.buffer = memory;
      there_is_one = reader->read(piece);
    }
    ++piece.number;
    if (!there_is_one) {
      piece.size = 0;
      is_at_end = true;
      if (watch) static_cast<void>(watch->judge());
      return false;
    }
    try {
      message->decryption().process(piece);
    } catch (const Error& error) {
      throw Error(error.code(), explain_old(error, plan));
    }
    return true;
  }

  MessagePlan plan;
  std::unique_ptr<ByteSource> source;
  std::optional<InputWatch> watch;  // over a file
  std::optional<ForeignMessage> message;
  std::unique_ptr<PieceReader> reader;
  SecretBytes memory;
  Piece piece;
  std::size_t num_taken = 0;  // bytes of the piece that were handed out
  bool is_at_end = false;
  std::exception_ptr failure;
};

namespace {

constexpr const char* moved_reader = "this reader of foreign data was moved from: use the one that it was moved to";

}  // namespace

ForeignReader::ForeignReader(ReadNext read_next, const ForeignFormat& format, const Options& options) {
  if (!read_next) throw_usage("foreign data needs a function that reads it");
  state_ = std::make_unique<State>(std::make_unique<CallSource>(std::move(read_next)), nullptr, format, options);
}

ForeignReader::ForeignReader(const std::string& path, const ForeignFormat& format, const Options& options) {
  auto input = std::make_unique<Input>(path);
  Input* const file = input.get();
  state_ = std::make_unique<State>(std::move(input), file, format, options);
}

ForeignReader::~ForeignReader() = default;
ForeignReader::ForeignReader(ForeignReader&&) noexcept = default;
ForeignReader& ForeignReader::operator=(ForeignReader&&) noexcept = default;

std::size_t ForeignReader::read(MutableBytes out) { return state_of(state_, moved_reader).read(out); }

const std::string& ForeignReader::engine() const { return state_of(state_, moved_reader).message->cipher().engine(); }
const std::string& ForeignReader::digest() const { return state_of(state_, moved_reader).message->digest(); }

}  // namespace phalanx

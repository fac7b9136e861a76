#include <algorithm>
#include <exception>
#include <optional>
#include <phalanx/files/foreign.hpp>

#include "engine/host/process_mark.hpp"
#include "engine/library/argument_checks.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/search/opened_file.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

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
  State(Input&& from, const ForeignFormat& format, const EngineOptions& options)
      : plan(plan_foreign(format, options)),
        candidates(make_candidates(plan, SecretBytes(secret_of(format)))),
        file(std::move(from)),
        watch(*file),
        opened(std::in_place, candidates, *file, trials),
        message(opened->message()),
        reader(message.reader(piece_bytes(), &*watch)) {
    candidates.secrets.clear();  // what they give is in the message's cipher
  }

  State(ReadNext read_next, const ForeignFormat& format, const EngineOptions& options)
      : plan(plan_foreign(format, options)),
        source(std::make_unique<CallSource>(std::move(read_next))),
        streamed(std::in_place, require_digest_named(plan), secret_of(format), *source, "the data"),
        message(*streamed),
        reader(message.reader(piece_bytes())) {}

  static Bytes secret_of(const ForeignFormat& format) { return format.key.empty() ? format.passphrase : format.key; }

  static const MessagePlan& require_digest_named(const MessagePlan& plan) {
    if (plan.openssl.find_digest)
      throw_usage("the search for the digest looks at the end first: name a file, or the digest");
    return plan;
  }

  [[nodiscard]] std::size_t piece_bytes() const { return piece_bytes_for(plan.job, is_gpu(message.engine())); }

  // Reads as ForeignReader::read does. After a failure each call fails again: what was read is neither whole nor checked,
  // and the source may stand anywhere.
  std::size_t read(MutableBytes out) {
    process.require_this_process();  // a child shares the file's position
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

  // Decrypts the next piece. Returns false where there is none.
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
      message.decryption().process(piece);
    } catch (const Error& error) {
      throw Error(error, explain_foreign(error, plan));
    }
    return true;
  }

  ProcessMark process;
  MessagePlan plan;
  Candidates candidates;  // of a file
  KeyTrials trials;
  std::optional<Input> file;
  std::optional<InputWatch> watch;
  std::optional<OpenedFile> opened;
  std::unique_ptr<ByteSource> source;  // of all else
  std::optional<ForeignMessage> streamed;
  ForeignMessage& message;  // of whichever it is
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

ForeignReader::ForeignReader(ReadNext read_next, const ForeignFormat& format, const EngineOptions& options) {
  if (!read_next) throw_usage("foreign data needs a function that reads it");
  state_ = std::make_unique<State>(std::move(read_next), format, options);
}

ForeignReader::ForeignReader(const std::string& path, const ForeignFormat& format, const EngineOptions& options)
    : state_(std::make_unique<State>(Input(require_named(path)), format, options)) {}

ForeignReader::~ForeignReader() = default;
ForeignReader::ForeignReader(ForeignReader&&) noexcept = default;
ForeignReader& ForeignReader::operator=(ForeignReader&&) noexcept = default;

std::size_t ForeignReader::read(MutableBytes out) { return state_of(state_, moved_reader).read(out); }

const std::string& ForeignReader::engine() const { return state_of(state_, moved_reader).message.engine(); }
const std::string& ForeignReader::digest() const { return state_of(state_, moved_reader).message.digest(); }

}  // namespace phalanx

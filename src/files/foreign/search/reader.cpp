#include <optional>
#include <phalanx/files/foreign.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/search/opened_file.hpp"
#include "files/pipeline/called_source.hpp"
#include "files/pipeline/reading_to_end.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

// Decrypts pieces, and says of one that fails what may be wrong.
class ExplainedDecryption : public PipelineStage {
 public:
  ExplainedDecryption(OldMessage& message, const MessagePlan& plan) : message_(message), plan_(plan) {}

  void process(Piece& piece) override {
    try {
      message_.decryption().process(piece);
    } catch (const Error& error) {
      throw Error(error, explain_foreign(error, plan_));
    }
  }

 private:
  OldMessage& message_;
  const MessagePlan& plan_;
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
        source(std::make_unique<CalledSource>(std::move(read_next), "foreign data")),
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

  std::size_t read(MutableBytes out) {
    return plaintext.read(out, [this] {
      if (watch) static_cast<void>(watch->judge());
    });
  }

  MessagePlan plan;
  Candidates candidates;  // of a file
  KeyTrials trials;
  std::optional<Input> file;
  std::optional<InputWatch> watch;
  std::optional<OpenedFile> opened;
  std::unique_ptr<ByteSource> source;  // of all else
  std::optional<ForeignMessage> streamed;
  OldMessage& message;  // of whichever it is
  std::unique_ptr<PieceReader> reader;
  ExplainedDecryption stage{message, plan};
  ReadingToEnd plaintext{*reader, stage};
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

#include <optional>
#include <phalanx/files/openpgp.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/foreign/openpgp/openpgp_content.hpp"
#include "files/pipeline/called_source.hpp"
#include "files/pipeline/reading_to_end.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

OpenPgpKeys keys_of(const OpenPgpSecrets& given) {
  const bool has_passphrase = !given.passphrase.empty() || given.passphrase_is_empty;
  if (has_passphrase == !given.session_key.empty())
    throw_usage("a message is opened by a passphrase or by its session key: give one");
  OpenPgpKeys keys;
  if (has_passphrase) keys.passphrase.emplace(given.passphrase);
  if (!given.session_key.empty()) keys.session_key = parse_session_key(given.session_key);
  keys.allows_unauthenticated = given.allow_unauthenticated;
  return keys;
}

}  // namespace

struct OpenPgpReader::State {
  State(Input&& from, const OpenPgpSecrets& secrets, const EngineOptions& options)
      : given(keys_of(secrets)), file(std::move(from)), watch(*file), message(*file) {
    watch->begin();
    open(options);
  }

  State(ReadNext read_next, const OpenPgpSecrets& secrets, const EngineOptions& options)
      : given(keys_of(secrets)),
        source(std::make_unique<CalledSource>(std::move(read_next), "a message")),
        message(*source, "the message") {
    open(options);
  }

  void open(const EngineOptions& options) {
    Progress nobody;
    message.open(given, RunOptions{options});
    given = {};  // what they give is in the message's cipher
    message.verify(nobody);
    content.emplace(message);
  }

  std::size_t read(MutableBytes out) {
    return reading.read([&] {
      const std::size_t got = content->read(out);
      if (got < out.size() && watch && !is_at_end) static_cast<void>(watch->judge());
      is_at_end = is_at_end || got < out.size();
      return got;
    });
  }

  OpenPgpKeys given;  // before anything is read
  std::optional<Input> file;
  std::optional<InputWatch> watch;
  std::unique_ptr<ByteSource> source;  // of what is no file
  OpenPgpMessage message;
  std::optional<OpenPgpContent> content;
  FailingOnce reading;
  bool is_at_end = false;
};

namespace {

constexpr const char* moved_reader = "this reader of a message was moved from: use the one that it was moved to";

}  // namespace

OpenPgpReader::OpenPgpReader(ReadNext read_next, const OpenPgpSecrets& secrets, const EngineOptions& options) {
  if (!read_next) throw_usage("a message needs a function that reads it");
  state_ = std::make_unique<State>(std::move(read_next), secrets, options);
}

OpenPgpReader::OpenPgpReader(const std::string& path, const OpenPgpSecrets& secrets, const EngineOptions& options)
    : state_(std::make_unique<State>(Input(require_named(path)), secrets, options)) {}

OpenPgpReader::~OpenPgpReader() = default;
OpenPgpReader::OpenPgpReader(OpenPgpReader&&) noexcept = default;
OpenPgpReader& OpenPgpReader::operator=(OpenPgpReader&&) noexcept = default;

std::size_t OpenPgpReader::read(MutableBytes out) { return state_of(state_, moved_reader).read(out); }

const std::string& OpenPgpReader::engine() const { return state_of(state_, moved_reader).message.engine(); }
const std::string& OpenPgpReader::cipher() const { return state_of(state_, moved_reader).message.cipher(); }
bool OpenPgpReader::is_authenticated() const { return state_of(state_, moved_reader).message.is_authenticated(); }
bool OpenPgpReader::is_signed() const { return state_of(state_, moved_reader).content->is_signed(); }

}  // namespace phalanx

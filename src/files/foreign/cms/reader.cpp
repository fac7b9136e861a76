#include <optional>
#include <phalanx/files/cms.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/foreign/cms/cms_message.hpp"
#include "files/foreign/cms/recipient_keys.hpp"
#include "files/pipeline/called_source.hpp"
#include "files/pipeline/reading_to_end.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

CmsKeys keys_of(const CmsRecipientKeys& given) {
  const bool has_passphrase = !given.passphrase.empty() || given.passphrase_is_empty;
  const int num_given = (given.private_key.empty() ? 0 : 1) + (given.key.empty() ? 0 : 1) + (has_passphrase ? 1 : 0);
  if (num_given != 1) throw_usage("a message is opened by one of a private key, a key and a passphrase: give one");
  if (given.private_key.empty() && !(given.certificate.empty() && given.private_key_passphrase.empty()))
    throw_usage("a certificate, and the passphrase of a private key, go with a private key: give that too");
  CmsKeys keys;
  if (!given.private_key.empty()) {
    return keys_of_files(given.private_key, given.certificate, [&] { return SecretBytes(given.private_key_passphrase); });
  }
  if (has_passphrase) keys.passphrase.emplace(given.passphrase);
  if (!given.key.empty()) keys.wrapping_keys.emplace_back(given.key);
  return keys;
}

}  // namespace

struct CmsReader::State {
  State(Input&& from, const CmsRecipientKeys& keys, const EngineOptions& options)
      : given(keys_of(keys)), file(std::move(from)), watch(*file), message(*file) {
    watch->begin();
    open(options);
  }

  State(ReadNext read_next, const CmsRecipientKeys& keys, const EngineOptions& options)
      : given(keys_of(keys)),
        source(std::make_unique<CalledSource>(std::move(read_next), "a message")),
        message(*source, "the message") {
    open(options);
  }

  void open(const EngineOptions& options) {
    Progress nobody;
    message.open(given, RunOptions{options}, nobody);
    given = {};  // what they give is in the message's cipher
    reader = message.reader();
    plaintext.emplace(*reader, message.decryption());
  }

  std::size_t read(MutableBytes out) {
    return plaintext->read(out, [this] {
      reader->finish();
      if (watch) static_cast<void>(watch->judge());
    });
  }

  CmsKeys given;  // before anything is read
  std::optional<Input> file;
  std::optional<InputWatch> watch;
  std::unique_ptr<ByteSource> source;  // of what is no file
  CmsMessage message;
  std::unique_ptr<PieceReader> reader;
  std::optional<ReadingToEnd> plaintext;
};

namespace {

constexpr const char* moved_reader = "this reader of a message was moved from: use the one that it was moved to";

}  // namespace

CmsReader::CmsReader(ReadNext read_next, const CmsRecipientKeys& keys, const EngineOptions& options) {
  if (!read_next) throw_usage("a message needs a function that reads it");
  state_ = std::make_unique<State>(std::move(read_next), keys, options);
}

CmsReader::CmsReader(const std::string& path, const CmsRecipientKeys& keys, const EngineOptions& options)
    : state_(std::make_unique<State>(Input(require_named(path)), keys, options)) {}

CmsReader::~CmsReader() = default;
CmsReader::CmsReader(CmsReader&&) noexcept = default;
CmsReader& CmsReader::operator=(CmsReader&&) noexcept = default;

std::size_t CmsReader::read(MutableBytes out) { return state_of(state_, moved_reader).read(out); }

const std::string& CmsReader::engine() const { return state_of(state_, moved_reader).message.engine(); }
const std::string& CmsReader::cipher() const { return state_of(state_, moved_reader).message.front().content.name; }
bool CmsReader::is_authenticated() const { return state_of(state_, moved_reader).message.is_authenticated(); }

}  // namespace phalanx

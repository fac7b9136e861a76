#include "files/foreign/search/unopened_file.hpp"

#include <optional>
#include <string_view>

#include "files/recognition/recognise.hpp"

namespace phalanx {
namespace {

bool is_about_input(ErrorCode code) {
  return code == ErrorCode::truncated || code == ErrorCode::format || code == ErrorCode::wrong_key;
}

bool is_base64_text(const RecognisedFile& file) {
  const bool holds_ciphertext = file.kind == FileKind::base64 || file.kind == FileKind::openssl_enc;
  return holds_ciphertext && file.form == "base64";
}

// Says whether the plan can be of such a file. Then the failure itself says what is wrong.
bool can_be_of_plan(const RecognisedFile& file, const MessagePlan& plan, bool reads_base64) {
  if (plan.own_format == OwnFormat::cms) return file.kind == FileKind::cms;
  if (plan.own_format == OwnFormat::openpgp) return file.kind == FileKind::openpgp;
  if (file.kind == FileKind::unknown || file.kind == FileKind::data) return true;
  return is_base64_text(file) ? reads_base64 : file.kind == FileKind::openssl_enc && file.form.empty();
}

}  // namespace

void refuse_kind(const RecognisedFile& file, const std::string& name) {
  std::string words = "the input " + words_of(file);
  if (!is_readable_by_all(file)) throw OtherFile(ErrorCode::format, words, {.name = name});
  if (words.find("not encrypted") == words.npos) words += "; it is not encrypted";
  throw PlaintextFile(ErrorCode::format, words + ", so that there is nothing to open", {.name = name});
}

void refuse_unstated_base64(const MessagePlan& plan, const RecognisedFile& file, const std::string& name) {
  const SettingNames names = plan.names == nullptr ? SettingNames() : *plan.names;
  std::string words = "the input is " + file.description + ": give " + names.base64;
  const bool may_begin_with_iv = !plan.from_passphrase && !plan.iv_prefix && file.kind == FileKind::base64;
  if (may_begin_with_iv && plan.job.iv.size != 0)
    words += ", and " + names.begins_with_iv + " too where the iv stands before the ciphertext";
  throw UndecryptableFile(ErrorCode::format, words, {.name = name});
}

void explain_unopened(const Error& failure, const Input& input, std::uint64_t start, const MessagePlan& plan,
                      bool reads_base64) {
  if (!is_about_input(failure.code())) return;
  const std::optional<FileEnds> ends = read_ends(input, start);
  if (!ends || ends->beginning.empty()) return;
  const RecognisedFile file = recognise(ends->glimpse());
  if (can_be_of_plan(file, plan, reads_base64 || plan.openssl.base64)) return;
  const bool is_own_format = plan.own_format != OwnFormat::none;
  if (is_own_format && !is_named(file)) return;  // it is no message, as the failure says
  if (!file.is_certain) throw UndecryptableFile(failure, std::string(failure.what()) + "; the input " + words_of(file));
  if (is_base64_text(file) && !is_own_format) refuse_unstated_base64(plan, file, input.name());
  refuse_kind(file, input.name());
}

}  // namespace phalanx

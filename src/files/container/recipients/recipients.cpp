#include <phalanx/files/recipients.hpp>

#include "files/container/file/stream_reader.hpp"
#include "files/container/format/public_key_record.hpp"
#include "files/container/recipients/header_change.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

ListedRecipient listed(const Suite& suite, const WrappedKey& wrapped) {
  ListedRecipient recipient;
  recipient.kind = wrapped.kind;
  if (recipient.is(KeyKind::public_key)) {
    const std::optional<PublicKeyRecord> record = read_public_key_record(suite, wrapped.data);
    if (record) recipient.stanza_types = stanza_types_of(*record);
    if (record) recipient.labels = record->labels;
  }
  if (!wrapped.is(KeyKind::passphrase)) return recipient;
  recipient.cost = scrypt_cost_of(wrapped);
  recipient.scrypt_bytes = scrypt_bytes(recipient.cost);
  return recipient;
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

std::vector<ListedRecipient> list_recipients(Bytes beginning) {
  std::vector<ListedRecipient> recipients;
  const ContainerHeader header = parse_header(beginning);
  for (const WrappedKey& wrapped : header.wrapped_keys) recipients.push_back(listed(*header.suite, wrapped));
  return recipients;
}

std::vector<ListedRecipient> list_recipients(const std::string& path) {
  Input input(file_named(path));
  return list_recipients(read_header(input).bytes);
}

std::vector<std::size_t> recipients_opened_by(Bytes beginning, std::span<const Identity> identities,
                                              const CostLimits& limits) {
  return recipients_opened_by(parse_header(beginning), identities, limits);
}

std::vector<std::size_t> recipients_opened_by(const std::string& path, std::span<const Identity> identities,
                                              const CostLimits& limits) {
  Input input(file_named(path));
  return recipients_opened_by(read_header(input), identities, limits);
}

ChangedRecipients change_recipients(const std::string& path, std::span<const Identity> identities,
                                    const RecipientChanges& changes, const RecipientOptions& options) {
  if (changes.added.empty() && changes.removed.empty() && changes.removed_by.empty()) {
    throw Error(ErrorCode::usage, "no recipient is added or removed: name some");
  }
  ProgressCall progress(options.on_progress, options.cancellation);
  ProtectedFiles needed;
  HeaderChange change(file_named(path), needed, {});
  const Binding binding = placed_at(options.binding, name_of_container(last_name_of(path)));
  const auto open = [&](const ContainerHeader& header) {
    return open_header(header, identities, options.limits, binding).data_key;
  };
  change.unlock({.read = read_header, .open = open, .context = binding.context}, options.engine);
  return apply(change, changes, options.limits, progress);
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

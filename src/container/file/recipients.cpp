#include <phalanx/recipients.hpp>

#include "container/file/header_change.hpp"
#include "container/file/stream_reader.hpp"
#include "files/paths.hpp"
#include "pipeline/progress_call.hpp"

namespace phalanx {
namespace {

ListedRecipient listed(const WrappedKey& wrapped) {
  ListedRecipient recipient;
  recipient.kind = wrapped.kind;
  if (!wrapped.is(KeyKind::passphrase)) return recipient;
  recipient.cost = scrypt_cost_of(wrapped);
  recipient.scrypt_bytes = scrypt_bytes(recipient.cost);
  return recipient;
}

}  // namespace

std::vector<ListedRecipient> list_recipients(Bytes beginning) {
  std::vector<ListedRecipient> recipients;
  for (const WrappedKey& wrapped : parse_header(beginning).wrapped_keys) recipients.push_back(listed(wrapped));
  return recipients;
}

std::vector<ListedRecipient> list_recipients(const std::string& path) {
  Input input(file_named(path));
  return list_recipients(read_header(input).bytes);
}

ChangedRecipients change_recipients(const std::string& path, std::span<const Identity> identities,
                                    const RecipientChanges& changes, const RecipientOptions& options) {
  if (changes.added.empty() && changes.removed.empty()) {
    throw Error(ErrorCode::usage, "no recipient is added or removed: name some");
  }
  ProgressCall progress(options.on_progress, options.cancellation);
  ProtectedFiles needed;
  HeaderChange change(file_named(path), needed, {});
  ContainerHeader header = read_header(change.input());
  SecretBytes data_key = open_header(header, identities, options.limits).data_key;
  change.unlock({std::move(header), std::move(data_key)}, options.engine);
  change.remove({changes.removed.begin(), changes.removed.end()});
  change.add(changes.added);
  return change.write(progress);
}

}  // namespace phalanx

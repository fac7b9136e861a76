#include "container/file/header_change.hpp"

#include <algorithm>

#include "container/file/resume_record.hpp"
#include "container/file/stream_reader.hpp"
#include "files/file_descriptor.hpp"
#include "files/file_identity.hpp"
#include "files/named_place.hpp"
#include "files/output/file_copy.hpp"
#include "files/output/leftover_file.hpp"
#include "files/output/sibling_path.hpp"

namespace phalanx {
namespace {

using Beginning = std::vector<std::uint8_t>;

Beginning beginning_of(int descriptor, const std::string& name) {
  Beginning bytes(max_header_bytes + message_prefix_bytes);
  bytes.resize(read_at(descriptor, bytes, 0, name));
  return bytes;
}

// The salt and the commitment behind a container's header: of one message alone. "" where it has none.
std::string prefix_in(const Beginning& beginning) {
  try {
    const std::size_t header_size = header_bytes(beginning);
    if (beginning.size() < header_size + message_prefix_bytes) return "";
    return {reinterpret_cast<const char*>(beginning.data()) + header_size, message_prefix_bytes};
  } catch (const Error&) {
    return "";
  }
}

// Zeros, since files have their size before their bytes, or a header, whole or cut short.
bool holds_no_chunk(const Beginning& beginning, std::uint64_t file_bytes) {
  if (file_bytes > beginning.size()) return false;
  if (std::ranges::all_of(beginning, [](std::uint8_t byte) { return byte == 0; })) return true;
  try {
    return file_bytes <= header_bytes(beginning) + message_prefix_bytes;
  } catch (const Error& error) {
    return error.code() == ErrorCode::truncated;
  }
}

// A killed change leaves FILE's message under another header, and loses nothing. Anything else may be worth going on with.
void refuse_partial_of_others(const Input& input, const std::string& path, const ProtectedFiles& needed,
                              const HeaderChangeNames& names) {
  const std::string partial = sibling_path(path, partial_suffix);
  const std::optional<LeftoverFile> left = open_leftover(partial, &needed);
  if (!left) return;
  const int descriptor = left->file.get();
  if (!lock_file(descriptor, partial)) throw Error(ErrorCode::usage, partial + " is in use: another run is writing it");
  const Beginning beginning = beginning_of(descriptor, partial);
  const std::string prefix = prefix_in(beginning);
  if (!prefix.empty() && prefix == prefix_in(beginning_of(input.descriptor(), input.name()))) return;
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, partial).size);
  if (holds_no_chunk(beginning, num_bytes) && !identity_at(sibling_path(path, record_suffix))) return;
  throw Error(ErrorCode::usage, partial + " is what another command left: finish that, with " + names.resume +
                                    " where it has it, or remove it");
}

// What is known of FILE only once nobody else changes its recipients.
void require_same_file(const Input& input, const std::string& path) {
  const FileStamp now = stamp_of(input.descriptor(), input.name());
  if (now == FileStamp(input.status()) && identity_at(path) == now.identity) return;
  throw Error(ErrorCode::usage, input.name() +
                                    " was changed by another program meanwhile: it is left as it is; give the "
                                    "command again");
}

}  // namespace

HeaderChange::HeaderChange(const std::string& file, ProtectedFiles& needed, const HeaderChangeNames& names)
    : path_(resolve_links(file)), input_(open_regular_file(path_)), names_(names) {
  needed.refuse(input_.status(), input_.name());
  needed.add(input_.status(), "FILE");
  refuse_partial_of_others(input_, path_, needed, names_);
  file_.emplace(path_,
                AtomicFileOptions{
                    .replace = true, .replaced = FileIdentity(input_.status()), .needed = &needed, .names = names_.output});
  require_same_file(input_, path_);
}

void HeaderChange::unlock(UnlockedContainer container, const Options& options) {
  container_ = std::move(container);
  cipher_.emplace(read_prefix(input_, suite(), container_.data_key, body_context(suite()), options));
  SeekableMessage(input_, *cipher_).authenticate_length();
  wrapped_keys_ = container_.header.wrapped_keys;
}

void HeaderChange::remove(const std::set<std::size_t>& numbers) {
  const std::vector<WrappedKey>& old = container_.header.wrapped_keys;
  wrapped_keys_.clear();
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!numbers.contains(i + 1)) wrapped_keys_.push_back(old[i]);
  }
  if (numbers.empty() || (*numbers.begin() != 0 && *numbers.rbegin() <= old.size())) return;
  const std::size_t wrong = *numbers.begin() == 0 ? 0 : *numbers.rbegin();
  throw Error(ErrorCode::usage, "there is no recipient " + std::to_string(wrong) + ": " + names_.list + " shows all " +
                                    std::to_string(old.size()));
}

void HeaderChange::add(std::span<const Recipient> recipients) {
  for (const Recipient& recipient : recipients) {
    wrapped_keys_.push_back(wrap_data_key(suite(), recipient, container_.data_key));
  }
  if (wrapped_keys_.empty()) {
    throw Error(ErrorCode::usage, "nobody could open the file any more: keep a recipient, or add one");
  }
}

ChangedRecipients HeaderChange::write(Progress& progress) {
  const ContainerHeader header = make_header(suite(), wrapped_keys_, container_.data_key);
  file_->append(header.bytes);
  file_->append(cipher_->prefix());
  copy_rest(input_, *file_, progress);
  require_same_file(input_, path_);
  file_->commit();
  return {.num_recipients = header.wrapped_keys.size(),
          .num_other_names = static_cast<std::uint64_t>(input_.status().st_nlink) - 1,
          .lost_attributes = file_->lost_attributes()};
}

}  // namespace phalanx

#include <phalanx/files/container_file.hpp>

#include "files/container/file/file_sealing.hpp"
#include "files/container/file/file_unsealing.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

std::vector<std::string> lost_attributes_of(const Output& output) {
  return output.file() == nullptr ? std::vector<std::string>() : output.file()->lost_attributes();
}

}  // namespace

struct NewContainerFile::State {
  State(const std::string& out, bool replace) : output(out, {.force = replace}) {}

  Output output;
  std::optional<ContainerWriter> writer;  // nothing once it is finished or has failed
};

NewContainerFile::NewContainerFile(const std::string& out, std::string_view suite, std::span<const Recipient> recipients,
                                   bool replace, const EngineOptions& options, const Binding& binding)
    : state_(std::make_unique<State>(file_named(out), replace)) {
  Output& output = state_->output;
  output.open();
  state_->writer.emplace([&output](Bytes bytes) { output.write(bytes); }, suite, recipients, options, binding);
}

NewContainerFile::~NewContainerFile() = default;
NewContainerFile::NewContainerFile(NewContainerFile&&) noexcept = default;
NewContainerFile& NewContainerFile::operator=(NewContainerFile&&) noexcept = default;

namespace {

ContainerWriter& open_writer(std::optional<ContainerWriter>* writer) {
  if (writer != nullptr && writer->has_value()) return **writer;
  throw Error(ErrorCode::usage, "the container is closed: nothing can be written to it");
}

}  // namespace

void NewContainerFile::write(Bytes plain) { open_writer(state_ ? &state_->writer : nullptr).write(plain); }

void NewContainerFile::finish() {
  open_writer(state_ ? &state_->writer : nullptr).finish();
  state_->writer.reset();
  state_->output.commit();
}

inline namespace PHALANX_VERSION_NAMESPACE {

SealedFile seal_file(const std::string& in, const std::string& out, std::string_view suite,
                     std::span<const Recipient> recipients, const SealFileOptions& options) {
  ContainerJob job;
  job.suite = &find_suite(suite);
  job.recipients.assign(recipients.begin(), recipients.end());
  job.options = options.engine;
  job.identities = options.identities;
  job.binding = options.binding;
  if (recipients.empty()) throw Error(ErrorCode::usage, "a container has a recipient at least: name one");
  ProgressCall progress(options.on_progress, options.cancellation);
  SealedFile result;
  FileSealing sealing{.verify = options.verify};
  sealing.on_input_change = [&](const std::string& what) { result.input_change = what; };
  Input input(file_named(in));
  refuse_half_done(input);
  OutputOptions writing{.force = options.replace, .can_resume = true, .resume = options.resume};
  if (options.keep) keep_of_named(input, true, writing);
  Output output(file_named(out), writing, &input);
  InputWatch watch(input, {options.changing_input, "`changing_input`"});
  const SealedInput sealed = seal_input(job, sealing, watch, output, progress);
  result.plain_bytes = sealed.plain_bytes;
  result.container_bytes = sealed.container_bytes;
  result.resumed_bytes = sealed.resumed_bytes;
  result.lost_attributes = lost_attributes_of(output);
  return result;
}

UnsealedFile unseal_file(const std::string& in, const std::string& out, std::span<const Identity> identities,
                         const UnsealFileOptions& options) {
  const bool in_part = options.offset != 0 || options.num_bytes;
  if (in_part && options.resume) throw Error(ErrorCode::usage, "a part is written anew: only all of it can be resumed");
  ProgressCall progress(options.on_progress, options.cancellation);
  Input input = open_regular_file(file_named(in));
  const Binding binding = placed_at(options.binding, name_of_container(last_name_of(in)));
  OutputOptions writing{.force = options.replace, .can_resume = !in_part, .resume = options.resume};
  if (options.keep) keep_of_named(input, !in_part, writing);
  Output output(file_named(out), writing, &input);
  const ChunkedCipher cipher = read_beginning(input, identities, options.limits, binding, options.engine);
  UnsealedInput unsealed;
  if (in_part) {
    const SeekableMessage message(input, cipher);
    const Slice slice{.offset = options.offset, .num_bytes = options.num_bytes};
    static_cast<void>(message.bytes_of(slice));  // before anything is made
    output.open();
    unsealed = unseal_slice(message, slice, output, options.engine, progress);
  } else {
    require_possible_length(input);
    output.open();
    unsealed = unseal_input(cipher, input, output, options.engine, {}, progress);
  }
  return {.written_bytes = unsealed.written_bytes,
          .resumed_bytes = unsealed.resumed_bytes,
          .lost_attributes = lost_attributes_of(output)};
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

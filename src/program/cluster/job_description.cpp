#include "program/cluster/job_description.hpp"

#include <algorithm>

#include "files/container/file/checkpointed_sink.hpp"
#include "files/container/file/recorded_sink.hpp"
#include "files/container/file/stages.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/growing_pieces.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "program/cluster/shared_file.hpp"

namespace phalanx {
namespace {

void put_flag(JobEncoder& job, bool flag) { job.put(std::uint64_t{flag ? 1U : 0U}); }

bool put_reader(JobEncoder& job, PieceReader& reader) {
  const auto* const pieces = dynamic_cast<const FilePieces*>(&reader);
  if (pieces == nullptr) return false;
  if (auto* const growing = dynamic_cast<GrowingFilePieces*>(&reader)) {
    growing->settle();
    if (growing->num_bytes() == 0) return false;
  }
  const FilePieces::Part& part = pieces->part();
  job.put(JobPart::file_pieces);
  if (!put_file(job, part.file, part.name)) return false;
  job.put(part.position);
  job.put(pieces->num_bytes());
  job.put(std::uint64_t{pieces->piece_bytes()});
  job.put(std::uint64_t{pieces->block_bytes()});
  return true;
}

// As the cipher's engine holds it; of XTS both halves.
void put_key(JobEncoder& job, const KeyedMode& keyed) {
  const Bytes data_key = keyed.data_key->key();
  const Bytes tweak_key = keyed.tweak_key ? keyed.tweak_key->key() : Bytes();
  SecretBytes key(data_key.size() + tweak_key.size());
  std::ranges::copy(data_key, key.begin());
  std::ranges::copy(tweak_key, key.begin() + data_key.size());
  job.put(Bytes(key));
}

void put_cipher(JobEncoder& job, const MessageCipher& stage, std::string_view engine) {
  const RawCipher& cipher = stage.cipher();
  const CryptJob& crypt = stage.job();
  job.put(JobPart::piece_cipher);
  job.put(engine);
  job.put(cipher.facts().name);
  put_key(job, cipher.state());
  put_flag(job, cipher.is_by_sectors());
  job.put(crypt.direction);
  job.put(crypt.mode);
  job.put(crypt.padding);
  job.put(std::uint64_t{crypt.sectors.sector_bytes});
  job.put(crypt.sectors.first_tweak);
  job.put(crypt.sectors.tweak_step);
  job.put(Bytes(crypt.iv));
}

void put_chunks(JobEncoder& job, JobPart part, const ChunkedCipher& cipher, std::string_view engine) {
  job.put(part);
  job.put(engine);
  job.put(cipher.suite().name);
  job.put(cipher.message_keys());
  job.put(Bytes(cipher.prefix()).first(chunk_salt_bytes));
  put_flag(job, part == JobPart::seal);
}

// False: another kind of stage, or one that has an order.
bool put_stage(JobEncoder& job, const PipelineStage& any, std::string_view engine) {
  if (any.in_order()) return false;
  if (const auto* const cipher = dynamic_cast<const MessageCipher*>(&any)) {
    if (cipher->job().restart_bytes != 0) return false;
    put_cipher(job, *cipher, engine);
  } else if (const auto* const seal = dynamic_cast<const SealStage*>(&any)) {
    put_chunks(job, JobPart::seal, seal->cipher(), engine);
    job.put(std::uint64_t{0});
    put_flag(job, false);
  } else if (const auto* const open = dynamic_cast<const OpenStage*>(&any)) {
    put_chunks(job, JobPart::open, open->cipher(), engine);
    job.put(open->first_chunk());
    put_flag(job, open->to_the_end());
  } else if (const auto* const mac = dynamic_cast<const PlaintextMacStage*>(&any)) {
    job.put(JobPart::plaintext_mac);
    job.put(Bytes(mac->mac().key().bytes()));
  } else if (dynamic_cast<const PlaintextKindStage*>(&any) != nullptr) {
    job.put(JobPart::plaintext_kind);
  } else {
    return false;
  }
  return true;
}

bool put_records(JobEncoder& job, const RecordFile& records) {
  if (!put_file(job, records.descriptor(), records.path())) return false;
  job.put(records.keys());
  return true;
}

bool put_recorded(JobEncoder& job, const RecordedSink& sink) {
  const RecordedSink::Target& target = sink.target();
  job.put(JobPart::sealed_file_records);
  if (!put_written(job, target.file)) return false;
  job.put(target.body_position);
  job.put(target.force_name);
  job.put(sink.take());
  return put_records(job, sink.records());
}

bool put_checkpointed(JobEncoder& job, const CheckpointedSink& sink) {
  job.put(JobPart::written_file_records);
  if (!put_written(job, sink.file())) return false;
  job.put(sink.sealed_bytes());
  job.put(Bytes(sink.key().bytes()));
  return put_records(job, sink.records());
}

bool put_file_sink(JobEncoder& job, const FileSink& sink) {
  job.put(JobPart::file);
  if (!put_written(job, sink.file())) return false;
  job.put(sink.position());
  return true;
}

// A CheckpointedSink is a FileSink, too.
bool put_sink(JobEncoder& job, const PieceSink& any) {
  if (const auto* const recorded = dynamic_cast<const RecordedSink*>(&any)) return put_recorded(job, *recorded);
  if (const auto* const checked = dynamic_cast<const CheckpointedSink*>(&any)) return put_checkpointed(job, *checked);
  if (const auto* const file = dynamic_cast<const FileSink*>(&any)) return put_file_sink(job, *file);
  if (dynamic_cast<const NullPieces*>(&any) == nullptr) return false;
  job.put(JobPart::nowhere);
  return true;
}

void put_mark_of(JobEncoder& job, const PieceSink& any) {
  if (const auto* const recorded = dynamic_cast<const RecordedSink*>(&any)) {
    put_mark_before(job, recorded->target().file, recorded->target().body_position);
  } else if (const auto* const file = dynamic_cast<const FileSink*>(&any)) {
    put_mark(job, file->file());
  }
}

void put_stage_result(JobEncoder& result, const PipelineStage& any) {
  if (const auto* const cipher = dynamic_cast<const MessageCipher*>(&any)) {
    result.put(std::uint64_t{cipher->checked_padding_bytes()});
  } else if (const auto* const mac = dynamic_cast<const PlaintextMacStage*>(&any)) {
    result.put(Bytes(mac->mac().sum()));
    result.put(mac->mac().num_bytes());
  } else if (const auto* const kind = dynamic_cast<const PlaintextKindStage*>(&any)) {
    const PlaintextKindStage::Seen seen = kind->seen();
    result.put(seen.kind);
    for (const bool found : seen.begins_beyond_chance) put_flag(result, found);
    for (const bool found : {seen.ends_as_padding, seen.any_noise}) put_flag(result, found);
  }
}

PlaintextKindStage::Seen read_seen(JobDecoder& result) {
  PlaintextKindStage::Seen seen{.kind = result.text()};
  for (bool& found : seen.begins_beyond_chance) found = result.number() != 0;
  for (bool* const found : {&seen.ends_as_padding, &seen.any_noise}) *found = result.number() != 0;
  return seen;
}

void merge_mac(JobDecoder& result, PlaintextMac& mac) {
  PlaintextMacKey::Tag sum{};
  std::ranges::copy(result.bytes_of(sum.size()), sum.begin());
  mac.merge(sum, result.number());
}

void merge_stage_result(JobDecoder& result, PipelineStage& any) {
  if (auto* const cipher = dynamic_cast<MessageCipher*>(&any)) {
    cipher->take_checked_padding(static_cast<std::size_t>(result.number_up_to(max_padding_bytes)));
  } else if (auto* const mac = dynamic_cast<PlaintextMacStage*>(&any)) {
    merge_mac(result, mac->mac());
  } else if (auto* const kind = dynamic_cast<PlaintextKindStage*>(&any)) {
    kind->merge(read_seen(result));
  }
}

}  // namespace

bool describe_run(JobEncoder& job, const RunParts& parts, std::string_view engine) {
  if (parts.reader.in_order() || parts.sink.in_order()) return false;
  job.put(program_of_job());
  if (!put_reader(job, parts.reader)) return false;
  job.put(static_cast<std::uint64_t>(parts.stages.size()));
  for (const PipelineStage* stage : parts.stages) {
    if (!put_stage(job, *stage, engine)) return false;
  }
  if (!put_sink(job, parts.sink)) return false;
  const FilePieces::Part& part = dynamic_cast<const FilePieces&>(parts.reader).part();
  put_input_proof(job, part.file, part.name);
  put_mark_of(job, parts.sink);
  return true;
}

// The number goes up with each change of what a description or a result holds.
std::string program_of_job() { return "phalanx-mpi " + std::string(version()) + ", jobs of form 3"; }

std::uint64_t described_bytes(const PieceReader& reader) { return dynamic_cast<const FilePieces&>(reader).num_bytes(); }

const WrittenFile* written_by(const PieceSink& sink) {
  if (const auto* const recorded = dynamic_cast<const RecordedSink*>(&sink)) return &recorded->target().file;
  const auto* const file = dynamic_cast<const FileSink*>(&sink);
  return file == nullptr ? nullptr : &file->file();
}

void put_result(JobEncoder& result, std::span<PipelineStage* const> stages, const PieceSink& sink) {
  for (const PipelineStage* stage : stages) put_stage_result(result, *stage);
  if (const auto* const recorded = dynamic_cast<const RecordedSink*>(&sink)) {
    result.put(recorded->end());
    result.put(recorded->num_pieces());
  } else if (const auto* const file = dynamic_cast<const FileSink*>(&sink)) {
    result.put(file->end());
  }
}

void merge_result(JobDecoder& result, std::span<PipelineStage* const> stages, PieceSink& sink) {
  for (PipelineStage* stage : stages) merge_stage_result(result, *stage);
  if (auto* const recorded = dynamic_cast<RecordedSink*>(&sink)) {
    const std::uint64_t end = result.number_up_to(most_job_bytes);
    const std::uint64_t num_pieces = result.number_up_to(most_job_bytes);
    recorded->merge(end, num_pieces);
  } else if (auto* const file = dynamic_cast<FileSink*>(&sink)) {
    file->extend(result.number_up_to(most_job_bytes));
  }
}

}  // namespace phalanx

// Descriptions of jobs as a rank of phalanx-mpi hears them, with any number, name or size in one of their fields, over files of
// one folder.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "program/cluster/job_description.hpp"
#include "program/cluster/shared_file.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {

inline constexpr std::size_t in_bytes = 80000;

// The path of a file of this folder, and of no other, whatever the name is.
inline std::string path_of(std::string name) {
  static const ScratchFolder folder;
  std::ranges::replace(name, '/', '_');
  return (folder.path() / name).string();
}

// The field of a message that is not what it should be, counted down to 1; 0: none is left.
inline std::size_t fields_to_odd_one = 0;

inline void choose_odd_field(FuzzedInput& input) {
  constexpr std::size_t most_fields = 32;
  fields_to_odd_one = input.below(most_fields);
}

inline bool is_odd_one() { return fields_to_odd_one != 0 && --fields_to_odd_one == 0; }

inline std::uint64_t odd(FuzzedInput& input, std::uint64_t usual) {
  constexpr std::uint64_t others[] = {0,     1,        7,          15,         16,         17,         255,        4096,
                                      60000, 1U << 20, 1ULL << 32, 1ULL << 61, 1ULL << 62, 1ULL << 63, ~0ULL - 15, ~0ULL};
  if (!is_odd_one()) return usual;
  const std::size_t choice = input.below(std::size(others) + 2);
  if (choice == std::size(others)) return usual + 1;
  return choice < std::size(others) ? others[choice] : usual - 1;
}

inline std::string take_text(FuzzedInput& input, std::string_view usual) {
  return is_odd_one() ? input.text(input.below(20)) : std::string(usual);
}

inline Buffer take_bytes(FuzzedInput& input, std::size_t usual) { return input.fill(odd(input, usual) % 100); }

inline void put_shared_file(JobEncoder& job, FuzzedInput& input, std::string_view usual) {
  constexpr std::string_view names[] = {"IN", "OUT", "SEALED", "WRITTEN", "PIPE", ".", "missing"};
  const std::string name = take_text(input, is_odd_one() ? input.one_of(names) : usual);
  struct stat status {};
  if (::stat(path_of(name).c_str(), &status) != 0) status = {};
  job.put(path_of(name));
  job.put(odd(input, status.st_ino));
  job.put(odd(input, static_cast<std::uint64_t>(status.st_size)));
}

inline void put_cipher(JobEncoder& job, FuzzedInput& input) {
  constexpr std::string_view names[] = {"aes-256-ctr", "aes-256-cbc", "des-ede3-cbc",
                                        "aes-256-xts", "aes-128-ecb", "aes-256-gcm"};
  const std::string name = take_text(input, input.one_of(names));
  const bool by_sectors = name == "aes-256-xts" && input.flag();
  std::optional<NamedCipher> named;
  static_cast<void>(error_of([&] { named = parse_cipher_name(name); }));
  job.put(JobPart::piece_cipher);
  job.put(take_text(input, "cpu"));
  job.put(name);
  job.put(Bytes(take_bytes(input, named ? key_bytes(*named) : 16)));
  job.put(odd(input, by_sectors ? 1 : 0));
  job.put(odd(input, 1));
  job.put(odd(input, named ? static_cast<std::uint64_t>(named->mode) : 0));
  job.put(odd(input, input.below(5)));
  job.put(odd(input, by_sectors ? 16 : 0));
  job.put(odd(input, 0));
  job.put(odd(input, 1));
  job.put(Bytes(take_bytes(input, named && !by_sectors ? iv_bytes(*named) : 0)));
}

inline void put_chunks(JobEncoder& job, FuzzedInput& input, bool seals) {
  constexpr std::size_t message_key_bytes = 32 + 12 + commitment_bytes;
  job.put(seals ? JobPart::seal : JobPart::open);
  job.put(take_text(input, "cpu"));
  job.put(take_text(input, "aes-256"));
  job.put(Bytes(take_bytes(input, message_key_bytes)));
  job.put(Bytes(take_bytes(input, chunk_salt_bytes)));
  for (const std::uint64_t field : {seals ? 1U : 0U, 0U, 0U}) job.put(odd(input, field));
}

inline void put_sink(JobEncoder& job, FuzzedInput& input, JobPart kind) {
  job.put(kind);
  if (kind == JobPart::nowhere) return;
  put_shared_file(job, input, "OUT");
  job.put(odd(input, 56));
  if (kind == JobPart::file) return;
  if (kind == JobPart::sealed_file_records) {
    job.put(take_text(input, "--force"));
    job.put(odd(input, input.below(4)));
  } else {
    job.put(Bytes(take_bytes(input, PlaintextMacKey::all_key_bytes)));
  }
  put_shared_file(job, input, kind == JobPart::sealed_file_records ? "SEALED" : "WRITTEN");
  job.put(Bytes(take_bytes(input, records_key_bytes + cmac_key_bytes)));
}

// As of a file with zeros, or nothing, where a mark should be: no job writes so far.
inline void put_proofs(JobEncoder& job, FuzzedInput& input, JobPart sink) {
  constexpr std::uint64_t beyond_all = std::uint64_t{1} << 40;
  put_input_proof(job, open_file(path_of("IN"), O_RDONLY).get(), "IN");
  if (sink == JobPart::nowhere) return;
  job.put(odd(input, beyond_all));
  job.put(Bytes(Buffer(odd(input, 32) % 100)));
}

// A file through a cipher, or into a container, or out of one.
inline Buffer take_description(FuzzedInput& input) {
  constexpr std::uint64_t sizes_of_pieces[] = {4096, 16, 64, 16384};
  constexpr std::uint64_t sizes_of_blocks[] = {16, 8, 0};
  const std::size_t kind = input.below(4);  // raw data; seal; open; anything
  JobEncoder job;
  job.put(take_text(input, program_of_job()));
  job.put(odd(input, static_cast<std::uint64_t>(JobPart::file_pieces)));
  put_shared_file(job, input, "IN");
  job.put(odd(input, 0));
  job.put(odd(input, in_bytes));
  job.put(odd(input, kind == 1 ? plain_piece_bytes : kind == 2 ? sealed_piece_bytes : input.one_of(sizes_of_pieces)));
  job.put(odd(input, input.one_of(sizes_of_blocks)));
  const std::size_t num_stages = kind == 3 ? input.below(4) : 1 + input.below(3);
  job.put(odd(input, num_stages));
  for (std::size_t stage = 0; stage < num_stages; ++stage) {
    const std::size_t more = input.below(8) == 7 ? input.below(5) : 3 + input.below(2);
    const std::size_t what = kind == 3 || stage != 0 ? more : kind;
    if (what == 0) put_cipher(job, input);
    if (what == 1 || what == 2) put_chunks(job, input, what == 1);
    if (what == 3) job.put(JobPart::plaintext_kind);
    if (what != 4) continue;
    job.put(JobPart::plaintext_mac);
    job.put(Bytes(take_bytes(input, PlaintextMacKey::all_key_bytes)));
  }
  constexpr JobPart sinks[] = {JobPart::file, JobPart::sealed_file_records, JobPart::written_file_records, JobPart::nowhere};
  const JobPart sink = sinks[input.below(8) != 7 ? kind : input.below(4)];
  put_sink(job, input, sink);
  put_proofs(job, input, sink);
  if (is_odd_one()) job.put(std::uint64_t{5});
  const Bytes bytes = job.bytes();
  return {bytes.begin(), bytes.end()};
}

inline Buffer buffer_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }
inline Buffer bytes_of(const JobEncoder& message) { return buffer_of(message.bytes()); }

inline Buffer take_job(FuzzedInput& input, std::size_t& num_jobs) {
  JobEncoder message;
  choose_odd_field(input);
  message.put(MessageType::job);
  message.put(odd(input, num_jobs++));
  const std::uint64_t first = input.below(3);
  message.put(odd(input, first));
  message.put(odd(input, first + 1 + input.below(20)));
  message.put(odd(input, input.below(2)));
  message.put(Bytes(take_description(input)));
  return bytes_of(message);
}

}  // namespace phalanx::fuzz

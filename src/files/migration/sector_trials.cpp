#include "files/migration/sector_trials.hpp"

#include <algorithm>
#include <vector>

#include "engine/bytes/byte_order.hpp"
#include "files/foreign/search/data_units.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/migration/reading_again.hpp"

namespace phalanx {
namespace {

constexpr std::size_t usual_sector_bytes[] = {512, 1024, 2048, 4096};
constexpr std::size_t tweak_unit_bytes = 512;  // what tweaks count, as dm-crypt has it

// The tweak of the first sector is the iv of a volume that is one data unit.
CryptJob with_sectors(const CryptJob& job, std::size_t sector_bytes, std::uint64_t tweak_step) {
  CryptJob other = job;
  const bool had_sectors = job.sectors.sector_bytes != 0;
  const std::uint64_t first_tweak = had_sectors ? job.sectors.first_tweak : load_u64(job.iv.bytes.data());
  other.iv = {};
  if (sector_bytes != 0) {
    other.sectors = {.sector_bytes = sector_bytes, .first_tweak = first_tweak, .tweak_step = tweak_step};
    return other;
  }
  other.sectors = {};
  other.iv.size = largest_block_bytes;
  store_u64(other.iv.bytes.data(), first_tweak);
  return other;
}

std::vector<CryptJob> other_units(const CryptJob& job) {
  std::vector<CryptJob> others;
  for (const std::size_t size : other_unit_bytes(job)) {
    others.push_back(job);
    others.back().restart_bytes = size;
  }
  return others;
}

std::vector<CryptJob> other_layouts(const MessagePlan& plan) {
  const CryptJob& job = plan.job;
  if (plan.cipher.way == ForeignWay::restarted) return other_units(job);
  std::vector<CryptJob> others;
  if (job.sectors.sector_bytes != 0) others.push_back(with_sectors(job, 0, 0));
  for (const std::size_t size : usual_sector_bytes) {
    others.push_back(with_sectors(job, size, size / tweak_unit_bytes));
    if (size != tweak_unit_bytes) others.push_back(with_sectors(job, size, 1));
  }
  return others;
}

std::string name_of(const CryptJob& job) {
  const SectorLayout& layout = job.sectors;
  if (layout.sector_bytes == 0) return name_of_units(job.restart_bytes);
  const bool counts_sectors = layout.sector_bytes != tweak_unit_bytes && layout.tweak_step == 1;
  return "sectors of " + std::to_string(layout.sector_bytes) + " bytes" +
         (counts_sectors ? ", whose tweaks count sectors" : "");
}

// Reads piece by piece, up to the first piece that is no text. A volume that is no longer than the shorter of both
// sectors may give the plan's text again. This says nothing against the plan.
bool is_other_text(const ReadVolume& volume, const CryptJob& other) {
  MessagePlan plan = volume.plan;
  plan.job = other;
  PlaintextKindStage kind;
  PlaintextMac mac(volume.mac.key());
  read_again(plan, volume.secret, volume.derived, volume.input, volume.start, [&](Piece& piece) {
    kind.process(piece);
    if (kind.is_text()) mac.add(piece.offset, piece.content());
    return kind.is_text();
  });
  return kind.is_text() && mac.finish() != volume.mac.finish();
}

}  // namespace

std::string find_other_sectors(const ReadVolume& volume) {
  std::string found;
  for (const CryptJob& other : other_layouts(volume.plan)) {
    try {
      if (is_other_text(volume, other)) found = name_of(other);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::runtime) throw;  // else the length does not fit such sectors
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace phalanx

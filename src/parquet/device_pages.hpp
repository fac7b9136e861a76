// A plain Parquet file in a GPU's memory: pages are decrypted there, all else is copied.
#pragma once

#include <memory>

#include "engine/engines/engine.hpp"
#include "parquet/chunk_pages.hpp"
#include "parquet/device_image.hpp"

namespace phalanx {

class DevicePages final : public ByteSink, public PageTaker {
 public:
  /// Nothing is done before the first call.
  DevicePages(const Engine& engine, const DeviceUploadPlace& place, void* stream)
      : engine_(engine), place_(place), stream_(stream) {}

  [[nodiscard]] int num_threads() const override { return place_.num_threads; }
  void write(Bytes bytes) override;
  void take(const Chunk& chunk, std::vector<PageToTake> pages) override;
  void copy(const FilePart& from, std::uint64_t to) override;
  void finish() override;
  /// Waits, and overwrites what was written with zeros.
  void clear() noexcept;

 private:
  DeviceImage& image();
  void flush_written();
  void flush_part();
  [[nodiscard]] bool fits(const PageToTake& page, std::size_t told_bytes) const;
  void add(const PageToTake& page);

  const Engine& engine_;
  DeviceUploadPlace place_;
  void* stream_;
  std::unique_ptr<DeviceImage> image_;
  std::uint64_t position_ = 0;  // of what comes next
  Buffer written_;              // before it, and not in the image yet

  // Pages under one key that the image has not got yet.
  OpeningKey* key_ = nullptr;
  DeviceImagePart part_;
  std::vector<ParquetPlace> places_;
  std::size_t told_bytes_ = 0;  // what the GPU is told of them
};

}  // namespace phalanx

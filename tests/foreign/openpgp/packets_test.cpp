// Packets of OpenPGP: each form of a length, bodies in parts, the content in parts of any size, and streams without their end.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "files/foreign/openpgp/packets/all_but_tail.hpp"
#include "files/foreign/openpgp/packets/content_packets.hpp"
#include "files/foreign/openpgp/packets/packet_stream.hpp"
#include "tests/foreign/foreign_file.hpp"
#include "tests/foreign/format_fixture.hpp"

namespace phalanx::test {
namespace {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(Bytes left) : left_(left) {}
  std::size_t read(MutableBytes out) override {
    const std::size_t size = std::min(out.size(), left_.size());
    std::copy_n(left_.begin(), size, out.begin());
    left_ = left_.subspan(size);
    return size;
  }

 private:
  Bytes left_;
};

class Collected : public ByteSink {
 public:
  void write(Bytes in) override { bytes.insert(bytes.end(), in.begin(), in.end()); }
  Buffer bytes;
};

void append(Buffer& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

// A header of a packet of type 11 with a body of 70,000 bytes at most, in each form of RFC 9580, section 4.2.
Buffer header_of(int form, std::size_t size) {
  const auto byte = [&](int shift) { return static_cast<std::uint8_t>(size >> shift); };
  switch (form) {
    case 0:
      return {0xac, byte(0)};
    case 1:
      return {0xad, byte(8), byte(0)};
    case 2:
      return {0xae, 0, byte(16), byte(8), byte(0)};
    case 3:
      return {0xaf};  // to the end
    case 4:
      return {0xcb, byte(0)};
    case 5:
      return {0xcb, static_cast<std::uint8_t>(192 + ((size - 192) >> 8)), static_cast<std::uint8_t>(size - 192)};
    default:
      return {0xcb, 255, 0, byte(16), byte(8), byte(0)};
  }
}

Buffer packet_of(int form, Bytes body) {
  Buffer packet = header_of(form, body.size());
  append(packet, body);
  return packet;
}

// A body in parts: of 512 bytes each, and what is left.
Buffer packet_in_parts(Bytes body) {
  Buffer packet = {0xcb};
  while (body.size() > 512) {
    packet.push_back(224 + 9);
    append(packet, body.first(512));
    body = body.subspan(512);
  }
  const Buffer last = header_of(6, body.size());
  packet.insert(packet.end(), last.begin() + 1, last.end());
  append(packet, body);
  return packet;
}

const std::string name = "a message";

TEST(PacketStream, ReadsEachFormOfALength) {
  const Buffer text = varied(70000, 1);
  const std::vector<std::pair<int, std::vector<std::size_t>>> sizes = {{0, {0, 1, 255}},    {1, {0, 1, 65535}},
                                                                       {2, {0, 70000}},     {3, {0, 1, 70000}},
                                                                       {4, {0, 1, 191}},    {5, {192, 193, 447, 448, 8383}},
                                                                       {6, {0, 191, 70000}}};
  for (const auto& [form, of_form] : sizes) {
    for (const std::size_t size : of_form) {
      const Buffer packet = packet_of(form, Bytes(text).first(size));
      MemorySource source(packet);
      PacketStream packets(source, name);
      ASSERT_TRUE(packets.next()) << form;
      EXPECT_EQ(packets.tag(), 11U);
      EXPECT_TRUE(packets.is_in_one_piece());
      EXPECT_EQ(packets.has_length(), form != 3);
      Buffer body(70001);
      body.resize(packets.read(body));
      EXPECT_TRUE(std::ranges::equal(body, Bytes(text).first(size))) << form << ", " << size;
      EXPECT_FALSE(packets.next());
      if (form == 3 || size == 0) continue;
      MemorySource cut(Bytes(packet).first(packet.size() - 1));
      PacketStream short_of_one(cut, name);
      ASSERT_TRUE(short_of_one.next());
      EXPECT_EQ(code_of([&] { static_cast<void>(short_of_one.read(body)); }), ErrorCode::truncated);
    }
  }
}

TEST(PacketStream, JoinsParts) {
  const Buffer text = varied(3000, 2);
  for (const std::size_t size : {0, 1, 512, 513, 1024, 3000}) {
    for (const std::size_t each : {1, 7, 512, 513, 4000}) {
      const Buffer packet = packet_in_parts(Bytes(text).first(size));
      MemorySource source(packet);
      PacketStream packets(source, name);
      ASSERT_TRUE(packets.next());
      EXPECT_EQ(packets.is_in_one_piece(), size <= 512);
      EXPECT_EQ(drain(packets, each), Buffer(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size)));
      EXPECT_EQ(packets.position(), packet.size());
    }
  }
}

TEST(PacketStream, RefusesWhatIsNoPacket) {
  for (const std::uint8_t first : {0x00, 0x7f, 0x80, 0xc0}) {
    const Buffer bytes = {first, 0};
    MemorySource source(bytes);
    PacketStream packets(source, name);
    EXPECT_EQ(code_of([&] { static_cast<void>(packets.next()); }), ErrorCode::format) << unsigned{first};
  }
}

Buffer literal(Bytes text, char kind = 'b') {
  Buffer body = {static_cast<std::uint8_t>(kind), 4, 'n', 'a', 'm', 'e', 1, 2, 3, 4};
  append(body, text);
  return body;
}

Buffer content_of(Bytes packets, std::size_t each) {
  Collected collected;
  ContentPackets content(collected);
  for (; !packets.empty(); packets = packets.subspan(std::min(each, packets.size())))
    content.write(packets.first(std::min(each, packets.size())));
  content.finish();
  return collected.bytes;
}

TEST(ContentPackets, GiveTheTextInAnyForm) {
  const Buffer text = varied(2000, 3);
  for (const std::size_t size : {0, 1, 100, 2000}) {
    const Buffer plain(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    std::vector<Buffer> forms = {packet_of(2, literal(plain)), packet_of(3, literal(plain)), packet_of(6, literal(plain)),
                                 packet_in_parts(literal(plain))};
    Buffer padded = {0xd5, 3, 1, 2, 3, 0xca, 3, 'P', 'G', 'P', 0x90, 2, 7, 7};  // padding, a marker, a signature
    append(padded, forms.front());
    append(padded, Buffer{0x88, 1, 9});
    forms.push_back(padded);
    Buffer stored = {0xa3, 0};  // compressed in no way
    append(stored, forms.front());
    forms.push_back(stored);
    for (const Buffer& form : forms) {
      for (const std::size_t each : {1, 3, 64, 5000}) EXPECT_EQ(content_of(form, each), plain) << size << ", " << each;
    }
  }
}

TEST(ContentPackets, LeaveCrOutOfTextAlone) {
  const Buffer text = to_bytes("one\r\ntwo\rthree\r"), unix_text = to_bytes("one\ntwothree");
  for (const std::size_t each : {1, 4, 100}) {
    for (const char kind : {'b', 'm', 'l', '1'}) EXPECT_EQ(content_of(packet_of(4, literal(text, kind)), each), text);
    for (const char kind : {'t', 'u'}) EXPECT_EQ(content_of(packet_of(4, literal(text, kind)), each), unix_text);
  }
}

TEST(ContentPackets, RefuseWhatIsNoMessage) {
  const Buffer text = varied(100, 4), whole = packet_of(4, literal(text));
  Buffer twice = whole, nested = {0xa3, 0, 0xa3, 0}, other = {0xcc, 1, 1}, cut = whole, unknown = {0xa3, 9};
  append(twice, whole);
  append(nested, whole);
  append(other, whole);
  append(unknown, whole);
  cut.pop_back();
  const Buffer none, without_literal = {0x88, 1, 9}, short_literal = {0xcb, 3, 'b', 0, 1}, cut_header = {0xcb};
  for (const Buffer& bytes : {twice, nested, other, cut, unknown, none, without_literal, short_literal, cut_header}) {
    for (const std::size_t each : {1, 1000})
      EXPECT_EQ(code_of([&] { static_cast<void>(content_of(bytes, each)); }), ErrorCode::format) << bytes.size();
  }
}

TEST(AllButTail, HoldsTheEndBack) {
  const Buffer text = varied(100, 5);
  for (const std::size_t tail_bytes : {0, 1, 22, 32}) {
    for (const std::size_t size : {0, 1, 21, 22, 23, 100}) {
      for (const std::size_t each : {1, 5, 22, 23, 100}) {
        Collected collected;
        AllButTail before(collected, tail_bytes);
        const Bytes all = Bytes(text).first(size);
        for (std::size_t done = 0; done < size; done += each) before.write(all.subspan(done, std::min(each, size - done)));
        const std::size_t held = std::min(size, tail_bytes);
        EXPECT_TRUE(std::ranges::equal(collected.bytes, all.first(size - held)));
        EXPECT_TRUE(std::ranges::equal(before.tail(), all.last(held)));
      }
    }
  }
}

}  // namespace
}  // namespace phalanx::test

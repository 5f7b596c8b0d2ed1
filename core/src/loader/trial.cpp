#include "loader/trial.h"

#include <algorithm>

#include "loader/call.h"
#include "support/floating_mode.h"

namespace torchlight::loader {
namespace {

constexpr std::size_t margin = 64;  // bytes on both sides of what a view covers
constexpr char untouched = 0x5a;

void* bytes_of(std::vector<double>& words) { return words.data(); }

}  // namespace

Trial::Trial(OpenDevice& device) : device_(device) {
  if (device.is_host()) return;
  ErrorText error;
  check(device.table().stream_open(device.handle(), &stream_, error.get()), device, "opening a stream",
        error);
}

Trial::~Trial() {
  if (device_.is_host()) return;
  ErrorText ignored;
  device_.table().stream_sync(device_.handle(), stream_, ignored.get());  // copies read from the pieces
  for (const Piece& piece : pieces_)
    if (piece.memory.base)
      device_.table().release(device_.handle(), stream_, &piece.memory, ignored.get());
  device_.table().stream_close(device_.handle(), stream_, ignored.get());
}

void Trial::copy(const tl_memory& source, const tl_memory& destination, std::size_t bytes) {
  const tl_copy_args args{sizeof args, 0, source, destination, bytes};
  ErrorText error;
  check(device_.table().copy(device_.handle(), stream_, &args, error.get()), device_, "copy", error);
}

void Trial::sync() {
  if (device_.is_host()) return;
  ErrorText error;
  check(device_.table().stream_sync(device_.handle(), stream_, error.get()), device_, what_, error);
}

const tl_view* Trial::place(const void* values, std::size_t bytes, tl_dtype dtype,
                            const Extents& extent, const Extents& stride) {
  Piece& piece = pieces_.emplace_back();
  piece.bytes = bytes + 2 * margin;
  piece.host.resize((piece.bytes + sizeof(double) - 1) / sizeof(double));
  auto* content = static_cast<char*>(bytes_of(piece.host));
  std::memset(content, untouched, piece.bytes);
  std::memcpy(content + margin, values, bytes);
  if (device_.is_host()) {
    piece.memory.base = content;
  } else {
    ErrorText error;
    check(device_.table().allocate(device_.handle(), stream_, piece.bytes, &piece.memory, error.get()),
          device_, text("allocating ", piece.bytes, " bytes"), error);
    copy({content, nullptr, 0}, piece.memory, piece.bytes);
  }

  tl_view& view = piece.view;
  view.size = sizeof view;
  view.dtype = dtype;
  view.rank = static_cast<std::uint32_t>(extent.size());
  view.base = piece.memory.base;
  view.block = piece.memory.block;
  view.byte_offset = piece.memory.byte_offset + margin;
  std::int64_t step = 1;
  for (std::size_t d = extent.size(); d-- > 0; step *= extent[d]) {
    view.extent[d] = extent[d];
    view.stride[d] = stride.empty() ? step : stride[d];
  }
  return &view;
}

std::vector<char> Trial::read_back(const tl_view* view) {
  Piece& piece =
      *std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return &p.view == view; });
  auto* content = static_cast<char*>(bytes_of(piece.host));
  if (!device_.is_host()) {
    copy(piece.memory, {content, nullptr, 0}, piece.bytes);
    sync();
  }
  const auto touched = [](char byte) { return byte != untouched; };
  if (std::any_of(content, content + margin, touched) ||
      std::any_of(content + piece.bytes - margin, content + piece.bytes, touched))
    throw WrongAnswer(text(what_, " wrote outside of its output"));
  return {content + margin, content + piece.bytes - margin};
}

void Trial::expect_declined(std::uint32_t primitive, const tl_args& args, std::string what) {
  what_ = std::move(what);
  ErrorText error;
  const FloatingModeGuard guard;
  const std::int32_t status = call(device_, stream_, primitive, &args, error.get());
  sync();
  if (status == TL_OK)
    throw WrongAnswer(what_ +
                      " was done, though there is no such function; a primitive declines what it "
                      "doesn't know by itself, for supports isn't always asked");
}

bool Trial::run(std::uint32_t primitive, tl_args& args, std::string what) {
  what_ = std::move(what);
  ErrorText error;
  if (primitive <= TL_PRIMITIVE_LAYERNORM_BW) {
    tl_support answer{sizeof answer, 0, 0};
    const std::int32_t status =
        device_.table().supports(device_.handle(), primitive, &args, &answer, error.get());
    if (status == TL_DECLINED) return false;
    check(status, device_, what_, error);
    constexpr std::uint64_t believable = std::uint64_t{1} << 30;  // for a case of a few elements
    if (answer.workspace_bytes > believable)
      throw WrongAnswer(
          text(what_, ": supports asks for a workspace of ", answer.workspace_bytes, " bytes"));
    if (answer.workspace_bytes > 0)
      args.workspace = input(std::vector<std::uint8_t>(answer.workspace_bytes),
                             {static_cast<std::int64_t>(answer.workspace_bytes)});
  }
  const FloatingModeGuard guard;
  const std::int32_t status = call(device_, stream_, primitive, &args, error.get());
  if (guard.changed()) throw WrongAnswer(what_ + " leaves the floating-point mode changed");
  if (status == TL_DECLINED && primitive > TL_PRIMITIVE_LAYERNORM_BW) return false;
  if (status == TL_DECLINED || status == TL_E_ARGUMENT || status == TL_E_INTERNAL)
    throw WrongAnswer(text(what_, " was promised and then refused: ", error.reason()));
  check(status, device_, what_, error);
  return true;
}

}  // namespace torchlight::loader

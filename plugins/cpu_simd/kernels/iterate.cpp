#include "kernels/iterate.h"

#include "kernels/pack.h"
#include "parallel.h"

namespace cpu_simd::TL_ISA {
namespace {

constexpr int64_t buffer_bytes = 16384;  // of one operand
constexpr int64_t tile_columns = 64;     // of a transposed tile: whole lines of any dtype
constexpr int64_t short_row = 32;        // inner extents below are packed over several dimensions
constexpr int64_t longest_piece = parallel_grain;
constexpr int64_t streamed_output = 16 << 20;  // bytes from which stores go past the caches

/// How a nest is cut: `box[d]` indices of dimension d at a time, `boxes[d]` times.
struct Cut {
  int64_t box[TL_MAX_RANK];
  int64_t boxes[TL_MAX_RANK];
  int64_t count;  // of boxes
  int first;      // dimensions before it have boxes of extent 1
  bool dense;     // the box is one run; what isn't contiguous in it is packed
  int row;        // not dense: the dimension that gives a box its rows, or -1
  bool stream;
};

int64_t least(int64_t a, int64_t b) noexcept { return a < b ? a : b; }
int64_t most(int64_t a, int64_t b) noexcept { return a > b ? a : b; }

int64_t largest_item(const Nest& nest) noexcept {
  int64_t item = 1;
  for (int k = 0; k < nest.operands; ++k) item = most(item, nest.operand[k].item);
  return item;
}

/// Is this operand read or written in place along the inner dimension?
bool is_direct(const Nest& nest, int k) noexcept {
  const int64_t stride = nest.operand[k].stride[nest.rank - 1];
  return stride == nest.operand[k].item || (k > 0 && stride == 0);
}

bool all_direct(const Nest& nest) noexcept {
  for (int k = 0; k < nest.operands; ++k)
    if (!is_direct(nest, k)) return false;
  return true;
}

/// The dimension along which a strided input is contiguous, or -1.
int find_row_dimension(const Nest& nest) noexcept {
  for (int k = 1; k < nest.operands; ++k) {
    if (is_direct(nest, k)) continue;
    for (int d = nest.rank - 2; d >= 0; --d)
      if (nest.operand[k].stride[d] == nest.operand[k].item) return d;
  }
  return -1;
}

void count_boxes(const Nest& nest, Cut& cut) noexcept {
  cut.count = 1;
  for (int d = 0; d < nest.rank; ++d) {
    cut.boxes[d] = (nest.extent[d] + cut.box[d] - 1) / cut.box[d];
    cut.count *= cut.boxes[d];
  }
}

/// Short inner dimensions: boxes of several whole dimensions, about `room` elements.
void cut_dense(const Nest& nest, int64_t room, Cut& cut) noexcept {
  cut.dense = true;
  int64_t inside = 1;
  int d = nest.rank - 1;
  for (; d > 0 && inside * nest.extent[d] < room / 4; --d) {
    cut.box[d] = nest.extent[d];
    inside *= nest.extent[d];
  }
  cut.box[d] = least(nest.extent[d], most(1, room / inside));
  cut.first = d;
}

/// Equal pieces of a row, at most `longest`, whole cache lines.
int64_t cut_row(int64_t extent, int64_t longest) noexcept {
  const int64_t pieces = (extent + longest - 1) / longest;
  const int64_t piece = (extent + pieces - 1) / pieces;
  return least(extent, (piece + 63) / 64 * 64);
}

void cut_rows(const Nest& nest, int64_t room, Cut& cut) noexcept {
  const int inner = nest.rank - 1;
  const bool direct = all_direct(nest);
  cut.row = direct ? -1 : find_row_dimension(nest);
  cut.first = inner;
  if (cut.row >= 0) {
    cut.first = cut.row;
    cut.box[cut.row] = least(nest.extent[cut.row], room / least(nest.extent[inner], tile_columns));
    cut.box[cut.row] = least(cut.box[cut.row], tile_columns);
    cut.box[inner] = cut_row(nest.extent[inner], most(tile_columns, room / cut.box[cut.row] / 64 * 64));
  } else {
    const bool in_place = direct && !cut.stream;
    cut.box[inner] = cut_row(nest.extent[inner], in_place ? longest_piece : room);
  }
}

Cut make_cut(const Nest& nest) noexcept {
  Cut cut;
  cut.dense = false;
  cut.row = -1;
  for (int d = 0; d < nest.rank; ++d) cut.box[d] = 1;
  const int64_t room = buffer_bytes / largest_item(nest), inner = nest.extent[nest.rank - 1];
  const Operand& output = nest.operand[0];
  cut.stream = output.stride[nest.rank - 1] == output.item && inner * output.item >= 1024 &&
               element_count(nest) * output.item >= streamed_output;
  if (nest.rank > 1 && inner < short_row)
    cut_dense(nest, room, cut);
  else
    cut_rows(nest, room, cut);
  count_boxes(nest, cut);
  return cut;
}

struct Buffers {
  alignas(64) char bytes[max_operands][buffer_bytes];
  Splat splat[max_operands];
};

/// One box: where each operand starts and how far it reaches.
struct Box {
  char* data[max_operands];
  int64_t extent[TL_MAX_RANK];
};

/// Are the elements of the box one behind the other?
bool is_contiguous(const Nest& nest, const Cut& cut, const Box& box, int k) noexcept {
  int64_t expected = nest.operand[k].item;
  for (int d = nest.rank - 1; d >= cut.first; --d) {
    if (box.extent[d] != 1 && nest.operand[k].stride[d] != expected) return false;
    expected *= box.extent[d];
  }
  return true;
}

bool is_constant(const Nest& nest, const Cut& cut, const Box& box, int k) noexcept {
  for (int d = cut.first; d < nest.rank; ++d)
    if (box.extent[d] != 1 && nest.operand[k].stride[d] != 0) return false;
  return true;
}

/// Calls f(matrix, position) for each matrix of the box's two inner dimensions, in order.
template <class F>
CPU_SIMD_INLINE void each_matrix(const Nest& nest, const Cut& cut, const Box& box, int k,
                                 const F& f) noexcept {
  const Operand& operand = nest.operand[k];
  const int inner = nest.rank - 1, row = inner - 1;
  const int64_t matrix_bytes = box.extent[row] * box.extent[inner] * operand.item;
  int64_t index[TL_MAX_RANK] = {};
  char* data = box.data[k];
  for (int64_t position = 0;; position += matrix_bytes) {
    f(Strided{data, operand.stride[row], operand.stride[inner]}, position);
    int d = row - 1;
    for (; d >= cut.first; --d) {
      data += operand.stride[d];
      if (++index[d] < box.extent[d]) break;
      data -= operand.stride[d] * box.extent[d];
      index[d] = 0;
    }
    if (d < cut.first) return;
  }
}

void pack_box(const Nest& nest, const Cut& cut, const Box& box, int k, char* target) noexcept {
  const int inner = nest.rank - 1;
  const int64_t item = nest.operand[k].item, rows = box.extent[inner - 1], columns = box.extent[inner];
  each_matrix(nest, cut, box, k, [&](const Strided& matrix, int64_t position) {
    pack(target + position, columns * item, matrix, rows, columns, item);
  });
}

void unpack_box(const Nest& nest, const Cut& cut, const Box& box, const char* source) noexcept {
  const int inner = nest.rank - 1;
  const int64_t item = nest.operand[0].item, rows = box.extent[inner - 1], columns = box.extent[inner];
  each_matrix(nest, cut, box, 0, [&](const Strided& matrix, int64_t position) {
    unpack(matrix, source + position, columns * item, rows, columns, item);
  });
}

/// A dense box is one call of the kernel.
void run_dense(const Nest& nest, const Cut& cut, const Box& box, Buffers& buffers, Kernel kernel,
               const double* params) noexcept {
  Piece piece;
  piece.n = 1;
  for (int d = cut.first; d < nest.rank; ++d) piece.n *= box.extent[d];
  for (int k = 1; k < nest.operands; ++k) {
    piece.step[k - 1] = 1;
    piece.in[k - 1] = box.data[k];
    if (is_constant(nest, cut, box, k)) {
      fill_splat(buffers.splat[k], box.data[k], nest.operand[k].item);
      piece.in[k - 1] = buffers.splat[k].bytes;
      piece.step[k - 1] = 0;
    } else if (!is_contiguous(nest, cut, box, k)) {
      pack_box(nest, cut, box, k, buffers.bytes[k]);
      piece.in[k - 1] = buffers.bytes[k];
    }
  }
  const bool in_place = is_contiguous(nest, cut, box, 0);
  piece.out = in_place ? box.data[0] : buffers.bytes[0];
  kernel(piece, params);
  if (!in_place) unpack_box(nest, cut, box, piece.out);
}

/// Where a row of an operand starts, and how it goes on.
struct Lane {
  char* data;
  int64_t row;
  bool splat;
};

Lane prepare_input(const Nest& nest, const Cut& cut, const Box& box, int k, int64_t rows,
                   Buffers& buffers) noexcept {
  const Operand& operand = nest.operand[k];
  const int inner = nest.rank - 1;
  const int64_t columns = box.extent[inner], row = cut.row < 0 ? 0 : operand.stride[cut.row];
  if (operand.stride[inner] == 0) return {box.data[k], row, true};
  if (operand.stride[inner] == operand.item) return {box.data[k], row, false};
  const int64_t pitch = columns * operand.item;
  pack(buffers.bytes[k], pitch, {box.data[k], row, operand.stride[inner]}, rows, columns, operand.item);
  return {buffers.bytes[k], pitch, false};
}

/// The kernel writes a row of the output where it belongs, or into a buffer, from where it goes on.
void write_row(const Nest& nest, const Cut& cut, char* target, const Piece& piece) noexcept {
  if (piece.out == target) return;
  const Operand& output = nest.operand[0];
  const int64_t bytes = piece.n * output.item;
  if (cut.stream)
    stream_out(target, piece.out, bytes);
  else
    unpack({target, 0, output.stride[nest.rank - 1]}, piece.out, bytes, 1, piece.n, output.item);
}

/// Otherwise it is one call for each row.
void run_rows(const Nest& nest, const Cut& cut, const Box& box, Buffers& buffers, Kernel kernel,
              const double* params) noexcept {
  const int inner = nest.rank - 1;
  const int64_t rows = cut.row < 0 ? 1 : box.extent[cut.row];
  const Operand& output = nest.operand[0];
  const bool in_place = output.stride[inner] == output.item && !cut.stream;
  Lane lanes_of[max_operands];
  for (int k = 1; k < nest.operands; ++k) lanes_of[k] = prepare_input(nest, cut, box, k, rows, buffers);
  Piece piece;
  piece.n = box.extent[inner];
  for (int64_t r = 0; r < rows; ++r) {
    for (int k = 1; k < nest.operands; ++k) {
      const Lane& lane = lanes_of[k];
      char* data = lane.data + r * lane.row;
      if (lane.splat) fill_splat(buffers.splat[k], data, nest.operand[k].item);
      piece.in[k - 1] = lane.splat ? buffers.splat[k].bytes : data;
      piece.step[k - 1] = lane.splat ? 0 : 1;
    }
    char* target = box.data[0] + (cut.row < 0 ? 0 : r * output.stride[cut.row]);
    piece.out = in_place ? target : buffers.bytes[0];
    kernel(piece, params);
    write_row(nest, cut, target, piece);
  }
}

/// Boxes first … last - 1, counted in row-major order.
void run_boxes(const Nest& nest, const Cut& cut, Kernel kernel, const double* params, int64_t first,
               int64_t last) noexcept {
  Buffers buffers;
  for (int64_t i = first; i < last; ++i) {
    Box box;
    for (int k = 0; k < nest.operands; ++k) box.data[k] = nest.operand[k].data;
    int64_t rest = i;
    for (int d = nest.rank - 1; d >= 0; --d) {
      const int64_t start = rest % cut.boxes[d] * cut.box[d];
      rest /= cut.boxes[d];
      box.extent[d] = least(cut.box[d], nest.extent[d] - start);
      for (int k = 0; k < nest.operands; ++k) box.data[k] += start * nest.operand[k].stride[d];
    }
    (cut.dense ? run_dense : run_rows)(nest, cut, box, buffers, kernel, params);
  }
  if (cut.stream) finish_streams();
}

/// Everything contiguous, or a constant: no need for boxes.
bool run_single_piece(const Nest& nest, Kernel kernel, const double* params) noexcept {
  if (nest.rank > 1) return false;
  Piece piece;
  Splat splat[max_operands];
  piece.n = nest.rank == 0 ? 1 : nest.extent[0];
  if (piece.n >= parallel_threshold) return false;
  for (int k = 0; k < nest.operands; ++k)
    if (nest.rank == 1 && !is_direct(nest, k)) return false;
  for (int k = 1; k < nest.operands; ++k) {
    const bool constant = nest.rank == 1 && nest.operand[k].stride[0] == 0;
    if (constant) fill_splat(splat[k], nest.operand[k].data, nest.operand[k].item);
    piece.in[k - 1] = constant ? splat[k].bytes : nest.operand[k].data;
    piece.step[k - 1] = constant ? 0 : 1;
  }
  piece.out = nest.operand[0].data;
  kernel(piece, params);
  return true;
}

}  // namespace

void run_elementwise(const Nest& views, Kernel kernel, const double* params) noexcept {
  Nest nest = views;
  if (!simplify(nest) || run_single_piece(nest, kernel, params)) return;
  const Cut cut = make_cut(nest);
  const int64_t size = element_count(nest), per_box = size / cut.count;
  const int64_t whole = size < parallel_threshold ? cut.count : parallel_grain / most(1, per_box);
  parallel_ranges(cut.count, most(1, whole), [&](int64_t first, int64_t last) noexcept {
    run_boxes(nest, cut, kernel, params, first, last);
  });
}

}  // namespace cpu_simd::TL_ISA

// Values that are known by few numbers: the first lane's of each row of threads in the warp, and the step from lane to
// lane. Indices and addresses are mostly like that, and a warp then reads memory in whole vectors without a look at each
// lane's address. The wide value always goes along: where nobody needs it, the compiler drops it.
#include "engine/uses.h"
#include "engine/writer.h"

namespace twin {

/// A value by its rows.
Value Writer::stepping(std::vector<std::string> firsts, int64_t step, std::string_view type,
                       std::string valid) {
  const unsigned width = 32 / static_cast<unsigned>(firsts.size());
  std::string steps = "<";
  for (unsigned lane = 0; lane < 32; ++lane) {
    // In the type's own width: a literal beyond it would be refused.
    int64_t offset =
        static_cast<int64_t>(static_cast<uint64_t>(lane % width) * static_cast<uint64_t>(step));
    offset = wrapped(static_cast<uint64_t>(offset), 8 * bytes_of(std::string(type)));
    steps += cat(lane ? ", " : "", type, " ", offset);
  }
  const Value offsets{steps + ">", std::string(type), true};
  Value each;
  for (size_t row = 0; row < firsts.size(); ++row) {
    const Value one = ir_.widen({firsts[row], std::string(type)});
    if (row == 0) {
      each = one;
      continue;
    }
    std::string indices;
    for (unsigned lane = 0; lane < 32; ++lane)
      indices += cat(lane ? ", i32 " : "<i32 ", lane / width == row ? 32 + lane : lane);
    each = ir_.shuffle(each, one, indices + ">");
  }
  Value made = step == 0 ? each : ir_.binary("add", each, offsets);
  made.firsts = std::move(firsts);
  made.step = step;
  made.valid = std::move(valid);
  return made;
}

Value Writer::with_steps(Value value, const std::function<std::string(size_t row)>& first, int64_t step,
                         const std::string& valid) {
  if (!value.wide || rows() == 0) return value;
  value.firsts.clear();
  for (size_t row = 0; row < rows(); ++row) value.firsts.push_back(first(row));
  value.step = wrapped(static_cast<uint64_t>(step), 8 * bytes_of(value.type));
  value.valid = valid;
  return value;
}

std::string Writer::both_valid(const Value& a, const Value& b) {
  if (a.valid.empty()) return b.valid;
  if (b.valid.empty() || a.valid == b.valid) return a.valid;
  return ir_.binary("and", {a.valid, "i1"}, {b.valid, "i1"}).name;
}

Value Writer::sum_of(const Value& a, const Value& b, bool subtract) {
  const char* op = subtract ? "sub" : "add";
  Value result = ir_.binary(op, a, b);
  if (!is_known(a) || !is_known(b)) return result;
  const auto first_step = static_cast<uint64_t>(a.step), second_step = static_cast<uint64_t>(b.step);
  return with_steps(
      std::move(result),
      [&](size_t row) {
        return ir_.binary(op, {first_of(a, row), a.type}, {first_of(b, row), a.type}).name;
      },
      static_cast<int64_t>(subtract ? first_step - second_step : first_step + second_step),
      both_valid(a, b));
}

/// a * b, where b is what the operand `by` says.
Value Writer::product_of(const Value& a, const Value& b, const Operand& by) {
  Value result = ir_.binary("mul", a, b);
  const bool by_number = is_plain_number(by);
  if (!is_known(a) || b.wide || (a.step != 0 && !by_number)) return result;
  const int64_t step = by_number ? static_cast<int64_t>(static_cast<uint64_t>(a.step) * by.bits) : 0;
  return with_steps(
      std::move(result),
      [&](size_t row) {
        return ir_.binary("mul", {first_of(a, row), a.type}, {b.name, b.type}).name;
      },
      step, a.valid);
}

Value Writer::shifted_by(Value result, const Value& a, uint64_t bits) {
  if (!is_known(a)) return result;
  return with_steps(
      std::move(result),
      [&](size_t row) {
        return ir_.binary("shl", {first_of(a, row), a.type}, {std::to_string(bits), a.type}).name;
      },
      static_cast<int64_t>(static_cast<uint64_t>(a.step) << bits), a.valid);
}

/// sext or zext to 64 bits. It keeps its steps only where no lane's number wraps around on the way, which is asked at
/// run time (and dropped again where the analysis knows it).
Value Writer::extended(const Value& a, bool with_sign, const std::string& type) {
  Value result = ir_.convert(with_sign ? "sext" : "zext", a, type);
  if (!a.wide || a.firsts.empty() || a.type != "i32" || type != "i64") return result;
  const int64_t reach = a.step * static_cast<int64_t>(32 / rows() - 1);
  if (reach > INT32_MAX || reach < INT32_MIN) return result;
  std::string valid = a.valid;
  for (size_t row = 0; row < rows() && reach != 0; ++row) {
    const Value first{a.firsts[row], "i32"};
    const auto bound = [&](int64_t value) { return Value{std::to_string(value), "i32"}; };
    Value fits;
    if (with_sign)
      fits = reach > 0 ? ir_.compare("icmp sle", first, bound(INT32_MAX - reach))
                       : ir_.compare("icmp sge", first, bound(INT32_MIN - reach));
    else
      fits = reach > 0 ? ir_.compare("icmp ule", first, bound(static_cast<int64_t>(UINT32_MAX) - reach))
                       : ir_.compare("icmp uge", first, bound(-reach));
    valid = valid.empty() ? fits.name : ir_.binary("and", {valid, "i1"}, fits).name;
  }
  return with_steps(
      std::move(result),
      [&](size_t row) {
        return ir_.convert(with_sign ? "sext" : "zext", {a.firsts[row], "i32"}, type).name;
      },
      a.step, valid);
}

}  // namespace twin

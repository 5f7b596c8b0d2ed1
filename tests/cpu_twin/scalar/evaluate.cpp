#include "scalar/evaluate.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>

#include "scalar/floats.h"

namespace scalar {

using twin::ptx::bits_of;
using twin::ptx::Instruction;
using twin::ptx::is_float;
using twin::ptx::is_signed;
using twin::ptx::Type;
__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

uint64_t cut(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}
int64_t with_sign(uint64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<int64_t>(value)
                    : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

namespace {

class Evaluation {
 public:
  Evaluation(const Instruction& i, const Values& in, Values* out)
      : i_(i), in_(in), out_(*out), type_(i.type()), bits_(bits_of(type_)) {}

  bool run() {
    if (is("cvt")) return convert();
    if (is("setp")) return compare();
    if (is("set")) return compare_to_value();
    if (is("slct")) return give(chosen_by_sign() ? in_[0] : in_[1], i_.type(1));
    if (is("selp")) return give(in_[2] & 1 ? in_[0] : in_[1], type_);
    if (is("mov") || is("cvta")) return give(in_[0], type_);
    if (is_float(type_)) return floating();
    return integer() || bitwise();
  }

 private:
  bool is(const char* opcode) const { return i_.opcode == opcode; }
  bool give(uint64_t value, Type type) {
    out_ = {cut(value, bits_of(type))};
    return true;
  }
  bool give(Wide value) { return give(static_cast<uint64_t>(value), type_); }
  /// An operand as the number that it is.
  Wide number(size_t k) const { return number(k, type_); }
  Wide number(size_t k, Type type) const {
    return is_signed(type) ? Wide{with_sign(in_[k], bits_of(type))} : Wide(cut(in_[k], bits_of(type)));
  }
  uint64_t word(size_t k) const { return cut(in_[k], bits_); }

  // ---- integers
  /// The low 128 bits: the product of two 64-bit numbers without a sign needs all of them.
  static Wide times(Wide a, Wide b) {
    return static_cast<Wide>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
  }
  static Wide plus(Wide a, Wide b) {
    return static_cast<Wide>(static_cast<WideUnsigned>(a) + static_cast<WideUnsigned>(b));
  }
  Wide product(Wide a, Wide b) {
    if (is("mul24") || is("mad24")) {
      const auto low = [&](size_t k) {
        return is_signed(type_) ? Wide{with_sign(in_[k], 24)} : Wide(cut(in_[k], 24));
      };
      const Wide all = low(0) * low(1);
      return i_.has("hi") ? all >> 16 : all;
    }
    if (!i_.has("hi")) return times(a, b);
    if (bits_ < 64) return a * b >> bits_;
    if (is_signed(type_)) return a * b >> 64;
    return static_cast<Wide>(static_cast<WideUnsigned>(times(a, b)) >> 64);
  }
  bool wide(Wide value) {
    return give(static_cast<uint64_t>(value), bits_ == 16 ? (is_signed(type_) ? Type::s32 : Type::u32)
                                                          : (is_signed(type_) ? Type::s64 : Type::u64));
  }
  bool saturated(Wide value) {
    if (!i_.has("sat")) return give(value);
    return give(std::clamp<Wide>(value, -(Wide{1} << (bits_ - 1)), (Wide{1} << (bits_ - 1)) - 1));
  }
  bool integer() {
    if (is("add")) return saturated(number(0) + number(1));
    if (is("sub")) return saturated(number(0) - number(1));
    if (is("mul") || is("mul24"))
      return i_.has("wide") ? wide(number(0) * number(1)) : give(product(number(0), number(1)));
    if (is("mad") || is("mad24")) {
      if (!i_.has("wide")) return saturated(plus(product(number(0), number(1)), number(2)));
      return wide(number(0) * number(1) + with_sign(in_[2], 2 * bits_));
    }
    // By zero there is no quotient; the machine's is all ones.
    if (is("div")) return give(number(1) == 0 ? Wide{-1} : number(0) / number(1));
    if (is("rem")) return give(number(1) == 0 ? number(0) : number(0) % number(1));
    if (is("min")) return give(std::min(number(0), number(1)));
    if (is("max")) return give(std::max(number(0), number(1)));
    if (is("neg")) return give(-number(0));
    if (is("abs")) return give(number(0) < 0 ? -number(0) : number(0));
    if (is("sad"))
      return give(number(2) + std::max(number(0), number(1)) - std::min(number(0), number(1)));
    if (is("dp4a") || is("dp2a")) return dot();
    return false;
  }
  bool dot() {
    const bool four = is("dp4a");
    const Type a = i_.type(1), b = i_.type(0);
    const auto part = [](uint64_t value, Type type, unsigned bits, unsigned at) {
      return is_signed(type) ? Wide{with_sign(value >> at, bits)} : Wide(cut(value >> at, bits));
    };
    Wide sum = with_sign(in_[2], 32);
    for (unsigned k = 0; k < (four ? 4U : 2U); ++k)
      sum += four ? part(in_[0], a, 8, 8 * k) * part(in_[1], b, 8, 8 * k)
                  : part(in_[0], a, 16, 16 * k) * part(in_[1], b, 8, 8 * k + (i_.has("hi") ? 16 : 0));
    return give(static_cast<uint64_t>(sum), Type::u32);
  }

  // ---- bits
  bool bitwise() {
    const auto shift =
        static_cast<unsigned>(std::min<uint64_t>(cut(in_.size() > 1 ? in_[1] : 0, 32), bits_));
    if (is("and")) return give(in_[0] & in_[1], type_);
    if (is("or")) return give(in_[0] | in_[1], type_);
    if (is("xor")) return give(in_[0] ^ in_[1], type_);
    if (is("not")) return give(~in_[0], type_);
    if (is("cnot")) return give(word(0) == 0, type_);
    if (is("shl")) return give(static_cast<Wide>(static_cast<WideUnsigned>(word(0)) << shift));
    if (is("shr")) return give(number(0) >> shift);
    if (is("shf")) return funnel();
    if (is("popc")) return give(static_cast<uint64_t>(std::popcount(word(0))), Type::u32);
    if (is("clz"))
      return give(static_cast<uint64_t>(std::countl_zero(word(0))) - (64 - bits_), Type::u32);
    if (is("brev")) return give(reversed(), type_);
    if (is("bfe")) return extract();
    if (is("bfi")) return insert();
    if (is("bfind")) return find();
    if (is("prmt")) return permute();
    if (is("lop3")) return logic();
    return false;
  }
  uint64_t reversed() const {
    uint64_t result = 0;
    for (unsigned k = 0; k < bits_; ++k) result |= (word(0) >> k & 1) << (bits_ - 1 - k);
    return result;
  }
  bool funnel() {
    const uint64_t both = cut(in_[1], 32) << 32 | cut(in_[0], 32);
    const uint64_t by = i_.has("clamp") ? std::min<uint64_t>(cut(in_[2], 32), 32) : in_[2] & 31;
    if (i_.has("l"))
      return give(static_cast<uint64_t>((static_cast<WideUnsigned>(both) << by) >> 32), Type::u32);
    return give(by == 64 ? 0 : both >> by, Type::u32);
  }
  bool extract() {
    const uint64_t begin = in_[1] & 255, length = in_[2] & 255, last = bits_ - 1;
    const bool sign =
        is_signed(type_) && length > 0 && (in_[0] >> std::min(begin + length - 1, last) & 1);
    uint64_t result = 0;
    for (uint64_t k = 0; k <= last; ++k) {
      const bool bit = k < length && begin + k <= last ? in_[0] >> (begin + k) & 1 : sign;
      result |= uint64_t{bit} << k;
    }
    return give(result, type_);
  }
  bool insert() {
    const uint64_t begin = in_[2] & 255, length = in_[3] & 255;
    uint64_t result = in_[1];
    for (uint64_t k = 0; k < length && begin + k < bits_; ++k)
      result = (result & ~(uint64_t{1} << (begin + k))) | (in_[0] >> k & 1) << (begin + k);
    return give(result, type_);
  }
  bool find() {
    const uint64_t value = number(0) < 0 ? cut(~in_[0], bits_) : word(0);
    uint64_t found = 0xffffffff;
    for (unsigned k = 0; k < bits_; ++k)
      if (value >> k & 1) found = i_.has("shiftamt") ? bits_ - 1 - k : k;
    return give(found, Type::u32);
  }
  bool permute() {
    const uint64_t all = cut(in_[1], 32) << 32 | cut(in_[0], 32);
    uint64_t result = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const uint64_t selector = in_[2] >> (4 * k);
      uint64_t byte = all >> (8 * (selector & 7)) & 255;
      if (selector & 8) byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * k);
    }
    return give(result, Type::u32);
  }
  bool logic() {
    uint64_t result = 0;
    for (unsigned k = 0; k < 32; ++k) {
      const uint64_t row = (in_[0] >> k & 1) << 2 | (in_[1] >> k & 1) << 1 | (in_[2] >> k & 1);
      result |= (in_[3] >> row & 1) << k;
    }
    return give(result, Type::u32);
  }

  // ---- floating point: computed in the type itself, by the host
  template <class T> bool floating_in() {
    const auto value = [&](size_t k) { return flushed(from_bits<T>(in_[k])); };
    const auto result = [&](T number) { return give(to_bits(finished(flushed(number))), type_); };
    if (is("add")) return result(value(0) + value(1));
    if (is("sub")) return result(value(0) - value(1));
    if (is("mul")) return result(value(0) * value(1));
    if (is("div")) return result(value(0) / value(1));
    if (is("fma") || is("mad")) return result(std::fma(value(0), value(1), value(2)));
    if (is("rcp")) return result(T(1) / value(0));
    if (is("sqrt")) return result(std::sqrt(value(0)));
    if (is("neg")) return give(to_bits(value(0)) ^ uint64_t{1} << (bits_ - 1), type_);
    if (is("abs")) return give(to_bits(value(0)) & ~(uint64_t{1} << (bits_ - 1)), type_);
    if (is("min") || is("max")) return result(extreme(value(0), value(1)));
    if (is("copysign"))
      return give((in_[1] & ~(uint64_t{1} << (bits_ - 1))) | (in_[0] & uint64_t{1} << (bits_ - 1)),
                  type_);
    if (is("testp")) {
      const T a = from_bits<T>(in_[0]);
      const bool truth = i_.has("notanumber") ? std::isnan(a)
                         : i_.has("number")   ? !std::isnan(a)
                         : i_.has("infinite") ? std::isinf(a)
                                              : std::isfinite(a);
      out_ = {truth};
      return true;
    }
    return false;
  }
  bool floating() {
    if (type_ == Type::f32) return floating_in<float>();
    if (type_ == Type::f64) return floating_in<double>();
    if (type_ != Type::f16) return false;
    // Sums and products of halves are exact in double.
    const auto value = [&](size_t k) { return from_half(static_cast<uint16_t>(in_[k])); };
    if (is("add")) return give(to_half(value(0) + value(1)), type_);
    if (is("sub")) return give(to_half(value(0) - value(1)), type_);
    if (is("mul")) return give(to_half(value(0) * value(1)), type_);
    return false;
  }
  template <class T> T flushed(T value) const {
    return sizeof(T) == 4 && i_.has("ftz") && std::fpclassify(value) == FP_SUBNORMAL
               ? std::copysign(T(0), value)
               : value;
  }
  template <class T> T finished(T value) const {
    if (!i_.has("sat")) return value;
    return !(value > 0) ? T(0) : value > 1 ? T(1) : value;
  }
  template <class T> T extreme(T a, T b) const {
    if (std::isnan(a) || std::isnan(b)) {
      if (i_.has("NaN")) return std::numeric_limits<T>::quiet_NaN();
      return std::isnan(a) ? b : a;
    }
    const bool a_less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return a_less == is("min") ? a : b;
  }
  bool chosen_by_sign() const {
    if (type_ == Type::f32) return from_bits<float>(in_[2]) >= 0;
    return with_sign(in_[2], 32) >= 0;
  }

  // ---- comparisons
  double real(size_t k) const {
    if (type_ == Type::f16) return from_half(static_cast<uint16_t>(in_[k]));
    return type_ == Type::f32 ? flushed(from_bits<float>(in_[k])) : from_bits<double>(in_[k]);
  }
  bool truth() const {
    const std::string& how = i_.modifiers.at(0);
    const bool real_numbers = is_float(type_);
    const bool unordered = real_numbers && (std::isnan(real(0)) || std::isnan(real(1)));
    if (how == "num") return !unordered;
    if (how == "nan") return unordered;
    const std::string relation = how.substr(0, 2);
    if (unordered) return how.size() == 3;  // equ, neu, ltu …
    const int order = real_numbers ? (real(0) > real(1)) - (real(0) < real(1))
                                   : (number(0) > number(1)) - (number(0) < number(1));
    if (relation == "eq") return order == 0;
    if (relation == "ne") return order != 0;
    if (relation == "lt" || relation == "lo") return order < 0;
    if (relation == "le" || relation == "ls") return order <= 0;
    if (relation == "gt" || relation == "hi") return order > 0;
    return order >= 0;  // ge, hs
  }
  bool combined(bool value) const {
    if (i_.has("and")) return value && (in_[2] & 1);
    if (i_.has("or")) return value || (in_[2] & 1);
    if (i_.has("xor")) return value != ((in_[2] & 1) != 0);
    return value;
  }
  bool compare() {
    out_ = {combined(truth()), combined(!truth())};
    return true;
  }
  bool compare_to_value() {
    const bool value = combined(truth());
    if (i_.type(1) == Type::f32) return give(value ? to_bits(1.0F) : 0, Type::f32);
    return give(value ? 0xffffffff : 0, Type::u32);
  }

  // ---- conversions
  bool convert() {
    const Type to = i_.type(1), from = type_;
    if (in_.size() > 1) return false;
    if (is_float(from)) {
      double value = from == Type::f16    ? from_half(static_cast<uint16_t>(in_[0]))
                     : from == Type::bf16 ? from_bits<float>(in_[0] << 16)
                     : from == Type::f32  ? double{flushed(from_bits<float>(in_[0]))}
                                          : from_bits<double>(in_[0]);
      value = integral(value);
      return is_float(to) ? give_real(value, to) : give_integer(value, to);
    }
    const Wide value = number(0, from);
    if (is_float(to)) {
      // No 64-bit integer is exact in a double: it is rounded once, in the right type.
      const Rounding rounding(mode());
      if (to == Type::f32)
        return give(to_bits(is_signed(from) ? volatile_float(static_cast<int64_t>(value))
                                            : volatile_float(static_cast<uint64_t>(value))),
                    to);
      if (to == Type::f64)
        return give(to_bits(is_signed(from) ? volatile_double(static_cast<int64_t>(value))
                                            : volatile_double(static_cast<uint64_t>(value))),
                    to);
      return give_real(static_cast<double>(value), to);
    }
    if (!i_.has("sat")) return give(static_cast<uint64_t>(value), to);
    const Wide low = is_signed(to) ? -(Wide{1} << (bits_of(to) - 1)) : Wide{0};
    const Wide high = (Wide{1} << (bits_of(to) - (is_signed(to) ? 1 : 0))) - 1;
    return give(static_cast<uint64_t>(std::clamp(value, low, high)), to);
  }
  double integral(double value) const {
    if (i_.has("rni")) return std::nearbyint(value);
    if (i_.has("rzi")) return std::trunc(value);
    if (i_.has("rmi")) return std::floor(value);
    if (i_.has("rpi")) return std::ceil(value);
    return value;
  }
  int mode() const {
    return i_.has("rz")   ? FE_TOWARDZERO
           : i_.has("rm") ? FE_DOWNWARD
           : i_.has("rp") ? FE_UPWARD
                          : FE_TONEAREST;
  }
  bool give_real(double value, Type to) {
    const Rounding rounding(mode());
    if (to == Type::f64) return give(to_bits(finished(value)), to);
    if (to == Type::f16) return give(to_half(finished(value), mode()), to);
    const float rounded = volatile_float(value);
    if (to == Type::f32) return give(to_bits(finished(flushed(rounded))), to);
    return give(to_bfloat(rounded), to);
  }
  bool give_integer(double value, Type to) {
    const unsigned bits = bits_of(to);
    if (std::isnan(value))
      return give(type_ == Type::f64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0, to);
    const double low = is_signed(to) ? -std::ldexp(1, static_cast<int>(bits) - 1) : 0;
    const double beyond = std::ldexp(1, static_cast<int>(bits) - (is_signed(to) ? 1 : 0));
    if (value <= low) return give(is_signed(to) ? uint64_t{1} << (bits - 1) : 0, to);
    if (value >= beyond)
      return give(is_signed(to) ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0}, to);
    return give(static_cast<uint64_t>(static_cast<Wide>(value)), to);
  }

  const Instruction& i_;
  const Values& in_;
  Values& out_;
  Type type_;
  unsigned bits_;
};

}  // namespace

bool evaluate(const Instruction& instruction, const Values& in, Values* out) {
  return Evaluation(instruction, in, out).run();
}

}  // namespace scalar

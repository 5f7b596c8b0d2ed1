// LLVM IR as text. A Value is the name of a result, or a constant, with its type: one for all lanes of a warp, or
// one a lane (`wide`).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twin {

template <class... Parts> std::string cat(const Parts&... parts) {
  std::string text;
  const auto add = [&](const auto& part) {
    if constexpr (requires { text += std::string_view(part); })
      text += std::string_view(part);
    else
      text += std::to_string(part);
  };
  (add(parts), ...);
  return text;
}

struct Value {
  std::string name;
  std::string type;  // "i32", "float", … of one lane
  bool wide = false;
  // Of a wide integer that is known by few numbers: what the first lane of each row of threads has, and the step from
  // lane to lane. Where `valid` names an i1, it says at run time whether that is so.
  std::vector<std::string> firsts{};
  int64_t step = 0;
  std::string valid{};

  std::string full() const { return wide ? cat("<32 x ", type, ">") : type; }
  std::string typed() const { return cat(full(), " ", name); }
};

/// An i32.
inline Value number(int64_t value) { return {std::to_string(value), "i32"}; }
/// Of "i8" … "i64".
inline unsigned bytes_of(const std::string& type) {
  return static_cast<unsigned>(std::stoi(type.substr(1))) / 8;
}

class Ir {
 public:
  void line(std::string_view text) { text_.append("  ").append(text).append("\n"); }
  void label(std::string_view name) { text_.append(name).append(":\n"); }
  std::string fresh() { return cat("%v", ++count_); }
  std::string fresh_label() { return cat("l", ++count_); }
  std::string take() { return std::move(text_); }

  Value constant(std::string_view type, int64_t value) const {
    return {std::to_string(value), std::string(type)};
  }
  /// A float or double by its bits.
  Value real(std::string_view type, uint64_t bits);

  /// The value in each lane.
  Value widen(const Value& value);
  /// "add i32 a, b": both wide if one is.
  Value binary(std::string_view op, Value a, Value b, std::string_view flags = "");
  Value unary(std::string_view op, const Value& a);
  /// "icmp slt", "fcmp oeq": an i1.
  Value compare(std::string_view op, Value a, Value b);
  Value select(Value condition, Value yes, Value no);
  /// trunc, zext, sext, bitcast, sitofp …; nothing where the type is the same and the op a bitcast.
  Value convert(std::string_view op, const Value& value, std::string_view type);
  Value bits(const Value& value, std::string_view type) { return convert("bitcast", value, type); }
  /// An LLVM intrinsic that exists for scalars and vectors alike: "fma", "sqrt", "ctpop" …; `flags` are further
  /// operands ("i1 false").
  Value intrinsic(std::string_view name, std::initializer_list<Value> operands,
                  std::string_view tail = "");
  /// The wide <32 x i32> 0, 1, 2 …
  static Value iota(std::string_view type);
  Value lane(const Value& value, const Value& index);  // one lane of a wide value
  Value shuffle(const Value& a, const Value& b, std::string_view indices, unsigned count = 32);
  Value load(std::string_view type, std::string_view pointer, unsigned align);
  void store(const Value& value, std::string_view pointer, unsigned align);
  /// base + bytes, as a pointer.
  std::string at(std::string_view base, int64_t bytes);
  std::string pointer(const Value& address);  // of an i64
  Value call(std::string_view type, bool wide, std::string_view callee_and_arguments);

  Value mask_bits(const Value& mask) { return bit_of(mask); }

  /// Declarations that the calls so far need.
  const std::string& declarations() const { return declarations_; }
  void declare(const std::string& text);

 private:
  Value result(std::string_view type, bool wide, std::string_view text);
  Value bit_of(const Value& mask);

  std::string text_;
  std::string declarations_;
  uint64_t count_ = 0;
};

}  // namespace twin

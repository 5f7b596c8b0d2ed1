#include "scalar/rows.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "scalar/floats.h"

namespace scalar {

std::string kernel_of(const std::vector<std::string>& instructions) {
  std::string text =
      ".version 7.5\n.target sm_80\n.address_size 64\n"
      ".visible .entry rows(.param .u64 rows_in, .param .u64 rows_out)\n{\n"
      ".reg .b64 %in, %out, %t, %u; .reg .b32 %i, %n; .reg .pred %p, %q;\n"
      ".reg .b64 %la, %lb, %lc, %ld, %lx; .reg .f64 %da, %db, %dc, %dd, %dx; .reg .b32 %a, %b, %c, %d, "
      "%x;\n"
      ".reg .f32 %fa, %fb, %fc, %fd, %fx; .reg .b16 %ha, %hb, %hc, %hd, %hx, %ga, %gb, %gc, %gd;\n"
      "ld.param.u64 %in, [rows_in]; ld.param.u64 %out, [rows_out];\n"
      "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %i, %i, %n, 0; mov.u32 %n, %tid.x; "
      "add.u32 %i, %i, %n;\n";
  text += "mul.wide.u32 %t, %i, " + std::to_string(sizeof(Operands)) + "; add.u64 %in, %in, %t;\n";
  text +=
      "mul.wide.u32 %t, %i, " + std::to_string(8 * instructions.size()) + "; add.u64 %out, %out, %t;\n";
  for (int k = 0; k < 4; ++k) {
    const std::string letter(1, static_cast<char>('a' + k));
    text += "ld.global.b64 %l" + letter + ", [%in+" + std::to_string(8 * k) + "];\n";
    text += "ld.global.f64 %d" + letter + ", [%in+" + std::to_string(32 + 8 * k) + "];\n";
    text += "ld.global.b32 %" + letter + ", [%in+" + std::to_string(64 + 4 * k) + "];\n";
    text += "ld.global.f32 %f" + letter + ", [%in+" + std::to_string(80 + 4 * k) + "];\n";
    text += "ld.global.b16 %g" + letter + ", [%in+" + std::to_string(96 + 2 * k) + "];\n";
    text += "cvt.u16.u32 %h" + letter + ", %" + letter + ";\n";
  }
  for (size_t k = 0; k < instructions.size(); ++k) {
    const std::string& i = instructions[k];
    text += "setp.ne.u32 %q, %d, 0;\n" + i + "\n";
    const std::string to = " [%out+" + std::to_string(8 * k) + "], ";
    if (i.find(" %x,") != i.npos)
      text += "cvt.u64.u32 %u, %x; st.global.b64" + to + "%u;\n";
    else if (i.find(" %hx,") != i.npos)
      text += "cvt.u64.u16 %u, %hx; st.global.b64" + to + "%u;\n";
    else if (i.find(" %lx,") != i.npos)
      text += "st.global.b64" + to + "%lx;\n";
    else if (i.find(" %dx,") != i.npos)
      text += "st.global.f64" + to + "%dx;\n";
    else if (i.find(" %fx,") != i.npos)
      text += "mov.b32 %x, %fx; cvt.u64.u32 %u, %x; st.global.b64" + to + "%u;\n";
    else
      text += "selp.u64 %u, 1, 0, %p; st.global.b64" + to + "%u;\n";
  }
  return text + "ret;\n}\n";
}

std::vector<uint64_t> inputs_of(const twin::ptx::Function& function, const twin::ptx::Instruction& i,
                                const Operands& operands) {
  std::vector<uint64_t> values;
  for (size_t k = 1; k < i.operands.size(); ++k) {
    const twin::ptx::Operand& from = i.operands[k];
    if (from.reg < 0) {
      values.push_back(from.bits);
      continue;
    }
    const std::string& name = function.registers[static_cast<size_t>(from.reg)].name;
    const auto which = static_cast<size_t>(name.back() - 'a');
    if (name == "%q")
      values.push_back((operands.words[3] != 0) != from.negated);
    else if (name[1] == 'l')
      values.push_back(operands.longs[which]);
    else if (name.size() == 2)
      values.push_back(operands.words[which]);
    else if (name[1] == 'd')
      values.push_back(to_bits(operands.doubles[which]));
    else if (name[1] == 'f')
      values.push_back(to_bits(operands.floats[which]));
    else if (name[1] == 'h')
      values.push_back(operands.words[which] & 0xffff);
    else
      values.push_back(operands.halves[which]);
  }
  return values;
}

namespace {

const uint64_t long_edges[] = {0,
                               1,
                               2,
                               31,
                               32,
                               33,
                               63,
                               64,
                               255,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x100000000,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               0xffffffffffffffff,
                               0x0123456789abcdef};
const uint32_t word_edges[] = {0,      1,          2,          7,          31,        32,
                               33,     64,         255,        256,        0x7fff,    0x8000,
                               0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x89abcdef};
const double double_edges[] = {0.0,   -0.0,         1.0,           -1.5,         0.5,    2.5,
                               -3.5,  2147483647.5, -2147483649.0, 4294967296.0, 9.3e18, -9.3e18,
                               1e300, 5e-324,       HUGE_VAL,      -HUGE_VAL,    NAN};
const float float_edges[] = {0.0F,    -0.0F,    1.0F,      -1.5F,      0.5F,   2.5F,
                             -3.5F,   32768.5F, 65519.0F,  -70000.0F,  4.3e9F, -3e9F,
                             3.4e38F, 1e-40F,   HUGE_VALF, -HUGE_VALF, NAN};
const uint16_t half_edges[] = {0,      0x8000, 0x3c00, 0xbe00, 0x3800, 0x4100, 0xc300, 0x7bff, 0x0001,
                               0x03ff, 0x0400, 0x3555, 0x5640, 0xd640, 0x7c00, 0xfc00, 0x7e00};
constexpr size_t edges = 17;

}  // namespace

std::vector<Operands> all_operands() {
  std::vector<Operands> all;
  std::mt19937_64 random(7);
  const auto put = [](Operands& to, int which, size_t k) {
    to.longs[which] = long_edges[k], to.words[which] = word_edges[k],
    to.doubles[which] = double_edges[k];
    to.floats[which] = float_edges[k], to.halves[which] = half_edges[k];
  };
  for (size_t k = 0; k < edges * edges * edges; ++k) {
    Operands one{};
    put(one, 0, k % edges), put(one, 1, k / edges % edges), put(one, 2, k / edges / edges),
        put(one, 3, random() % edges);
    all.push_back(one);
  }
  while (all.size() < 7168) {
    Operands one{};
    for (int which = 0; which < 4; ++which) {
      one.longs[which] = random() >> random() % 64;
      one.words[which] = static_cast<uint32_t>(random() >> random() % 64);
      one.halves[which] = static_cast<uint16_t>(random());
      one.doubles[which] = random() % 2
                               ? from_bits<double>(random())
                               : std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                                            -static_cast<int>(random() % 80));
      one.floats[which] =
          random() % 2 ? from_bits<float>(random()) : static_cast<float>(one.doubles[which]);
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace scalar

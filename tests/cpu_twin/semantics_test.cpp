// The engine's instructions against their definitions, on edges and random operands.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "error.h"
#include "programs.h"
#include "runtime/launch.h"
#include "scalar/evaluate.h"
#include "scalar/floats.h"
#include "scalar/lanes.h"
#include "scalar/rows.h"

namespace {

using namespace scalar;

/// Runs kernel `name` of a PTX text with pointers as parameters.
std::string launch(const std::string& text, const std::string& name,
                   std::vector<const void*> parameters, twin::Dim grid, twin::Dim block) {
  twin::LoadedModule module(text, toolchain());
  parameters.resize(600);  // what is behind them may be read, as of a launch's buffer
  twin::Launch how{grid, block, 0, reinterpret_cast<const char*>(parameters.data()), false};
  return text_of(run_launch(module, *module.kernel(name), how, {}));
}

bool same(uint64_t got, uint64_t wanted, const std::string& instruction) {
  if (got == wanted) return true;
  if (instruction.find(" %fx,") != std::string::npos)
    return std::isnan(from_bits<float>(got)) && std::isnan(from_bits<float>(wanted));
  if (instruction.find(" %dx,") != std::string::npos)
    return std::isnan(from_bits<double>(got)) && std::isnan(from_bits<double>(wanted));
  if (instruction.find(" %hx,") != std::string::npos && instruction.find("f16") != std::string::npos)
    return std::isnan(from_half(static_cast<uint16_t>(got))) &&
           std::isnan(from_half(static_cast<uint16_t>(wanted)));
  return false;
}

void check(const std::vector<std::string>& instructions) {
  const std::string text = kernel_of(instructions);
  const std::vector<Operands> operands = all_operands();
  std::vector<uint64_t> got(operands.size() * instructions.size());
  REQUIRE(launch(text, "rows", {operands.data(), got.data()},
                 {static_cast<uint32_t>(operands.size() / 32), 1, 1}, {32, 1, 1}) == "");
  const twin::ptx::Module module = twin::ptx::parse(text);
  const twin::ptx::Function& function = module.functions.at(0);
  for (size_t row = 0; row < instructions.size(); ++row) {
    const twin::ptx::Module one = twin::ptx::parse(kernel_of({instructions[row]}));
    // The instruction stands behind the setp of %q.
    const std::vector<twin::ptx::Instruction>& code = one.functions.at(0).code;
    size_t at = code.size() - 1;
    while (!(code[at].opcode == "setp" &&
             function.registers[static_cast<size_t>(code[at].operands[0].reg)].name == "%q" &&
             code[at].has("ne")))
      --at;
    const twin::ptx::Instruction& i = code[at + 1];
    int wrong = 0;
    for (size_t k = 0; k < operands.size() && wrong < 3; ++k) {
      Values out;
      const Values in = inputs_of(one.functions.at(0), i, operands[k]);
      REQUIRE_MESSAGE(evaluate(i, in, &out), instructions[row]);
      const uint64_t result = got[k * instructions.size() + row];
      if (same(result, out[0], instructions[row])) continue;
      ++wrong;
      std::string text_of_inputs;
      for (const uint64_t value : in) text_of_inputs += " " + std::to_string(value);
      FAIL_CHECK(instructions[row] << " of" << text_of_inputs << " is " << result << ", not "
                                   << out[0]);
    }
  }
  CHECK(!instructions.empty());
}

std::vector<std::string> with_types(const std::vector<std::string>& patterns,
                                    const std::vector<std::string>& types) {
  std::vector<std::string> all;
  for (const std::string& pattern : patterns) {
    for (const std::string& type : types) {
      std::string one = pattern;
      const bool is_long = type.find("64") != std::string::npos,
                 is_short = type.find("16") != std::string::npos;
      const bool is_real = type[0] == 'f';
      const std::string kind = is_real    ? (is_long    ? "d"
                                             : is_short ? "g"
                                                        : "f")
                               : is_long  ? "l"
                               : is_short ? "h"
                                          : "";
      for (size_t at; (at = one.find("TYPE")) != one.npos;) one.replace(at, 4, type);
      for (size_t at; (at = one.find("%@")) != one.npos;)
        one.replace(at, 2, "%" + (one[at + 2] == 'x' && kind == "g" ? "h" : kind));
      all.push_back(one);
    }
  }
  return all;
}

const std::vector<std::string> integers = {"s16", "u16", "s32", "u32", "s64", "u64"},
                               words = {"s32", "u32", "s64", "u64"};

}  // namespace

TEST_CASE("semantics: integer arithmetic") {
  check(with_types(
      {"add.TYPE %@x, %@a, %@b;", "sub.TYPE %@x, %@a, %@b;", "mul.lo.TYPE %@x, %@a, %@b;",
       "mul.hi.TYPE %@x, %@a, %@b;", "mad.lo.TYPE %@x, %@a, %@b, %@c;",
       "mad.hi.TYPE %@x, %@a, %@b, %@c;", "div.TYPE %@x, %@a, %@b;", "rem.TYPE %@x, %@a, %@b;",
       "min.TYPE %@x, %@a, %@b;", "max.TYPE %@x, %@a, %@b;", "sad.TYPE %@x, %@a, %@b, %@c;"},
      integers));
  check(with_types({"neg.TYPE %@x, %@a;", "abs.TYPE %@x, %@a;"}, {"s16", "s32", "s64"}));
  check({"add.sat.s32 %x, %a, %b;",        "sub.sat.s32 %x, %a, %b;",
         "mad.hi.sat.s32 %x, %a, %b, %c;", "mul24.lo.s32 %x, %a, %b;",
         "mul24.lo.u32 %x, %a, %b;",       "mul24.hi.s32 %x, %a, %b;",
         "mul24.hi.u32 %x, %a, %b;",       "mad24.lo.s32 %x, %a, %b, %c;",
         "mad24.lo.u32 %x, %a, %b, %c;",   "mul.wide.s16 %x, %ha, %hb;",
         "mul.wide.u16 %x, %ha, %hb;",     "mul.wide.s32 %lx, %a, %b;",
         "mul.wide.u32 %lx, %a, %b;",      "mad.wide.s32 %lx, %a, %b, %lc;",
         "mad.wide.u32 %lx, %a, %b, %lc;", "dp4a.s32.s32 %x, %a, %b, %c;",
         "dp4a.u32.u32 %x, %a, %b, %c;",   "dp4a.s32.u32 %x, %a, %b, %c;",
         "dp4a.u32.s32 %x, %a, %b, %c;",   "dp2a.lo.s32.s32 %x, %a, %b, %c;",
         "dp2a.hi.u32.s32 %x, %a, %b, %c;"});
}

TEST_CASE("semantics: bits and shifts") {
  check(with_types({"shl.TYPE %@x, %@a, %b;", "and.TYPE %@x, %@a, %@b;", "or.TYPE %@x, %@a, %@b;",
                    "xor.TYPE %@x, %@a, %@b;", "not.TYPE %@x, %@a;", "cnot.TYPE %@x, %@a;"},
                   {"b16", "b32", "b64"}));
  check(with_types({"shr.TYPE %@x, %@a, %b;"}, integers));
  check(with_types({"bfe.TYPE %@x, %@a, %b, %c;", "bfe.TYPE %@x, %@a, 30, 5;"}, words));
  check(with_types({"bfind.TYPE %x, %@a;", "bfind.shiftamt.TYPE %x, %@a;"}, words));
  check(with_types({"bfi.TYPE %@x, %@a, %@b, %c, %d;", "brev.TYPE %@x, %@a;", "popc.TYPE %x, %@a;",
                    "clz.TYPE %x, %@a;"},
                   {"b32", "b64"}));
  check({"shf.l.clamp.b32 %x, %a, %b, %c;", "shf.r.clamp.b32 %x, %a, %b, %c;",
         "shf.l.wrap.b32 %x, %a, %b, %c;", "shf.r.wrap.b32 %x, %a, %b, %c;", "prmt.b32 %x, %a, %b, %c;",
         "prmt.b32 %x, %a, %b, 0x3f8a;", "lop3.b32 %x, %a, %b, %c, 0x96;",
         "lop3.b32 %x, %a, %b, %c, 0xe8;", "lop3.b32 %x, %a, %b, %c, 0x01;",
         "lop3.b32 %x, %a, %b, %c, 0xca;"});
}

TEST_CASE("semantics: floating point") {
  check(with_types(
      {"add.rn.TYPE %@x, %@a, %@b;", "sub.TYPE %@x, %@a, %@b;", "mul.rn.TYPE %@x, %@a, %@b;",
       "div.rn.TYPE %@x, %@a, %@b;", "fma.rn.TYPE %@x, %@a, %@b, %@c;", "rcp.rn.TYPE %@x, %@a;",
       "sqrt.rn.TYPE %@x, %@a;", "neg.TYPE %@x, %@a;", "abs.TYPE %@x, %@a;", "min.TYPE %@x, %@a, %@b;",
       "max.TYPE %@x, %@a, %@b;", "copysign.TYPE %@x, %@a, %@b;", "testp.notanumber.TYPE %p, %@a;",
       "testp.finite.TYPE %p, %@a;", "testp.infinite.TYPE %p, %@a;", "testp.number.TYPE %p, %@a;"},
      {"f32", "f64"}));
  check({"add.ftz.f32 %fx, %fa, %fb;", "mul.ftz.f32 %fx, %fa, %fb;",
         "fma.rn.ftz.f32 %fx, %fa, %fb, %fc;", "add.sat.f32 %fx, %fa, %fb;",
         "mul.ftz.sat.f32 %fx, %fa, %fb;", "fma.rn.sat.f32 %fx, %fa, %fb, %fc;",
         "min.NaN.f32 %fx, %fa, %fb;", "max.NaN.f32 %fx, %fa, %fb;", "min.ftz.f32 %fx, %fa, %fb;",
         "div.rn.ftz.f32 %fx, %fa, %fb;", "add.f16 %hx, %ga, %gb;", "sub.f16 %hx, %ga, %gb;",
         "mul.f16 %hx, %ga, %gb;"});
}

TEST_CASE("semantics: comparison and selection") {
  check(with_types(
      {"setp.eq.TYPE %p, %@a, %@b;", "setp.ne.TYPE %p, %@a, %@b;", "setp.lt.TYPE %p, %@a, %@b;",
       "setp.le.TYPE %p, %@a, %@b;", "setp.gt.TYPE %p, %@a, %@b;", "setp.ge.TYPE %p, %@a, %@b;",
       "setp.lt.and.TYPE %p, %@a, %@b, %q;", "setp.ge.or.TYPE %p, %@a, %@b, %q;",
       "setp.eq.xor.TYPE %p, %@a, %@b, !%q;", "selp.TYPE %@x, %@a, %@b, %q;"},
      {"s16", "u16", "s32", "u32", "s64", "u64", "f32", "f64"}));
  check(with_types(
      {"setp.equ.TYPE %p, %@a, %@b;", "setp.neu.TYPE %p, %@a, %@b;", "setp.ltu.TYPE %p, %@a, %@b;",
       "setp.leu.TYPE %p, %@a, %@b;", "setp.gtu.TYPE %p, %@a, %@b;", "setp.geu.TYPE %p, %@a, %@b;",
       "setp.num.TYPE %p, %@a, %@b;", "setp.nan.TYPE %p, %@a, %@b;"},
      {"f32", "f64"}));
  check({"setp.lo.u32 %p, %a, %b;", "setp.hs.u64 %p, %la, %lb;", "setp.ls.u32 %p, %a, %b;",
         "setp.hi.u32 %p, %a, %b;", "set.lt.u32.s32 %x, %a, %b;", "set.ge.f32.s32 %fx, %a, %b;",
         "set.eq.u32.f32 %x, %fa, %fb;", "set.gt.and.f32.f32 %fx, %fa, %fb, %q;",
         "slct.u32.s32 %x, %a, %b, %c;", "slct.f32.f32 %fx, %fa, %fb, %fc;",
         "slct.u64.s32 %lx, %la, %lb, %c;", "slct.f64.f32 %dx, %da, %db, %fc;"});
}

TEST_CASE("semantics: conversions between integers") {
  std::vector<std::string> rows;
  const std::vector<std::pair<std::string, std::string>> types = {
      {"s8", "h"}, {"u8", "h"}, {"s16", "h"}, {"u16", "h"},
      {"s32", ""}, {"u32", ""}, {"s64", "l"}, {"u64", "l"}};
  for (const auto& [to, to_kind] : types)
    for (const auto& [from, from_kind] : types)
      for (const char* sat : {"", ".sat"}) {
        if (to == from || to[1] == '8') continue;  // no register shows 8 bits alone
        if (sat[0] && from[0] == to[0] && std::stoi(to.substr(1)) >= std::stoi(from.substr(1)))
          continue;
        rows.push_back("cvt" + std::string(sat) + "." + to + "." + from + " %" + to_kind + "x, %" +
                       from_kind + "a;");
      }
  check(rows);
}

TEST_CASE("semantics: conversions with floating point") {
  std::vector<std::string> rows;
  for (const char* to : {"s16", "u16", "s32", "u32", "s64", "u64"})
    for (const char* from : {"f32", "f64"})
      for (const char* mode : {"rni", "rzi", "rmi", "rpi"})
        rows.push_back(std::string("cvt.") + mode + "." + to + "." + from +
                       (to[1] == '1'   ? " %hx, "
                        : to[1] == '3' ? " %x, "
                                       : " %lx, ") +
                       (from[1] == '3' ? "%fa;" : "%da;"));
  for (const char* from : {"s16 %ha", "u16 %ha", "s32 %a", "u32 %a", "s64 %la", "u64 %la"}) {
    const std::string type(from, 3), what(from + 4);
    rows.push_back("cvt.rn.f32." + type + " %fx, " + what + ";");
    rows.push_back("cvt.rn.f64." + type + " %dx, " + what + ";");
  }
  for (const char* one :
       {"cvt.rn.f32.f64 %fx, %da;", "cvt.rz.f32.f64 %fx, %da;", "cvt.f64.f32 %dx, %fa;",
        "cvt.rni.f32.f32 %fx, %fa;", "cvt.rzi.f64.f64 %dx, %da;", "cvt.rmi.f32.f32 %fx, %fa;",
        "cvt.rpi.f64.f64 %dx, %da;", "cvt.sat.f32.f32 %fx, %fa;", "cvt.rn.f16.f32 %hx, %fa;",
        "cvt.rz.f16.f32 %hx, %fa;", "cvt.f32.f16 %fx, %ga;", "cvt.rn.ftz.f32.f64 %fx, %da;",
        "cvt.rz.f32.s32 %fx, %a;", "cvt.rz.f32.u32 %fx, %a;", "cvt.rn.bf16.f32 %hx, %fa;",
        "cvt.rzi.ftz.s32.f32 %x, %fa;"})
    rows.emplace_back(one);
  check(rows);
}

TEST_CASE("semantics: the definitions themselves, by hand") {
  const auto value = [](const std::string& text, Values in) {
    const twin::ptx::Module module = twin::ptx::parse(kernel_of({text}));
    for (const twin::ptx::Instruction& i : module.functions[0].code) {
      std::string name = i.opcode;
      for (const std::string& word : i.modifiers) name += "." + word;
      Values out;
      if (text.rfind(name + " ", 0) == 0 && evaluate(i, in, &out)) return out[0];
    }
    return ~uint64_t{0};
  };
  CHECK(value("shl.b64 %lx, %la, %b;", {1, 64}) == 0);
  CHECK(value("shr.s16 %hx, %ha, %b;", {0x8000, 40}) == 0xffff);
  CHECK(value("shf.l.wrap.b32 %x, %a, %b, %c;", {0x80000000, 1, 33}) == 3);
  CHECK(value("shf.r.clamp.b32 %x, %a, %b, %c;", {7, 9, 50}) == 9);
  CHECK(value("bfe.s32 %x, %a, %b, %c;", {0x00000f00, 8, 4}) == 0xffffffff);
  CHECK(value("bfe.u32 %x, %a, %b, %c;", {0xabcd1234, 28, 20}) == 0xa);
  CHECK(value("bfi.b32 %x, %a, %b, %c, %d;", {0xff, 0, 28, 8}) == 0xf0000000);
  CHECK(value("bfind.s32 %x, %a;", {0xffffffff}) == 0xffffffff);
  CHECK(value("prmt.b32 %x, %a, %b, %c;", {0x44332211, 0x88776655, 0xc074}) ==
        0x00118855 + 0xff000000 - 0xff000000);
  CHECK(value("lop3.b32 %x, %a, %b, %c, 0x96;", {0xf0, 0xcc, 0xaa, 0x96}) == 0x96);
  CHECK(value("dp4a.s32.s32 %x, %a, %b, %c;", {0x01ff0203, 0x0102ff04, 10}) == 10 + 1 - 2 - 2 + 12);
  CHECK(value("mul24.hi.u32 %x, %a, %b;", {0xffffff, 0xffffff}) == 0xfffffe00);
  CHECK(value("cvt.rzi.s32.f32 %x, %fa;", {to_bits(3e9F)}) == 0x7fffffff);
  CHECK(value("cvt.rzi.s32.f32 %x, %fa;", {to_bits(NAN)}) == 0);
  CHECK(value("cvt.rzi.s64.f32 %lx, %fa;", {to_bits(NAN)}) == uint64_t{1} << 63);
  CHECK(value("cvt.rni.s32.f32 %x, %fa;", {to_bits(2.5F)}) == 2);
  CHECK(value("min.f32 %fx, %fa, %fb;", {to_bits(NAN), to_bits(2.0F)}) == to_bits(2.0F));
  CHECK(value("max.f32 %fx, %fa, %fb;", {to_bits(-0.0F), to_bits(0.0F)}) == 0);
  CHECK(value("cvt.rn.f16.f32 %hx, %fa;", {to_bits(65520.0F)}) == 0x7c00);
  CHECK(value("cvt.rn.f16.f32 %hx, %fa;", {to_bits(5.9604645e-8F)}) == 1);
  CHECK(value("cvt.sat.u16.s32 %hx, %a;", {0xffffffff}) == 0);
}

TEST_CASE("semantics: shuffles, by clamp and segment") {
  const char* const modes[] = {"up", "down", "bfly", "idx"};
  // b and c of each lane; in the last column both are written out, which is another path of the engine.
  std::vector<uint32_t> bs = {0, 1, 2, 5, 16, 31, 32, 40},
                        cs = {0, 0x1f, 0x1800, 0x181f, 0x1c03, 0x1e00, 0x0f1f, 7};
  for (const std::string mode : modes) {
    std::string text =
        ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry shuffle(.param .u64 in, .param "
        ".u64 out)\n{\n"
        ".reg .b64 %i, %o, %t; .reg .b32 %l, %a, %b, %c, %x, %v; .reg .pred %p;\n"
        "ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %l, %laneid; mul.wide.u32 %t, %l, 4; "
        "add.u64 %i, %i, %t;\n"
        "mul.wide.u32 %t, %l, 8; add.u64 %o, %o, %t; mad.lo.u32 %a, %l, 7, 100;\n";
    size_t rows = 0;
    for (size_t k = 0; k <= bs.size(); ++k)  // the last row's b differs between the lanes
      for (size_t c = 0; c <= cs.size(); ++c, ++rows) {
        const std::string out = std::to_string(rows * 256);
        text += "ld.global.u32 %b, [%i+" + std::to_string(k * 128) + "]; ld.global.u32 %c, [%i+" +
                std::to_string((20 + c) * 128) + "];\n";
        text += "shfl.sync." + mode +
                ".b32 %x|%p, %a, %b, %c, -1; selp.u32 %v, 1, 0, %p; st.global.v2.u32 [%o+" + out +
                "], {%x, %v};\n";
        if (k == bs.size() || c == cs.size()) continue;
        text += "shfl.sync." + mode + ".b32 %x|%p, %a, " + std::to_string(bs[k]) + ", " +
                std::to_string(cs[c]) + ", -1; selp.u32 %v, 1, 0, %p; st.global.v2.u32 [%o+" +
                std::to_string(32000 + rows * 256) + "], {%x, %v};\n";
      }
    text += "ret;\n}\n";
    std::vector<uint32_t> in(32 * 40);
    for (size_t k = 0; k <= bs.size(); ++k)
      for (uint32_t lane = 0; lane < 32; ++lane)
        in[k * 32 + lane] = k < bs.size() ? bs[k] : lane * 11 + 3;
    for (size_t c = 0; c <= cs.size(); ++c)
      for (uint32_t lane = 0; lane < 32; ++lane)
        in[(20 + c) * 32 + lane] = c < cs.size() ? cs[c] : (lane * 77) & 0x1f1f;
    std::vector<uint32_t> out(20000);
    REQUIRE(launch(text, "shuffle", {in.data(), out.data()}, {1, 1, 1}, {32, 1, 1}) == "");
    for (size_t row = 0; row < rows; ++row)
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const size_t k = row / (cs.size() + 1), c = row % (cs.size() + 1);
        bool valid = false;
        const int from = shuffle_source(mode, static_cast<int>(lane), in[k * 32 + lane],
                                        in[(20 + c) * 32 + lane], &valid);
        const auto check_at = [&](size_t at) {
          CHECK_MESSAGE(out[at] == static_cast<uint32_t>(from) * 7 + 100,
                        mode << " row " << row << " lane " << lane);
          CHECK_MESSAGE(out[at + 1] == valid, mode << " row " << row << " lane " << lane);
        };
        check_at(row * 64 + lane * 2);
        if (k < bs.size() && c < cs.size()) check_at(8000 + row * 64 + lane * 2);
      }
  }
}

TEST_CASE("semantics: what isn't known is an error that names it") {
  const auto said = [](const std::string& instruction) -> std::string {
    try {
      twin::LoadedModule module(kernel_of({instruction}), toolchain());
      module.compiled(*module.kernel("rows"), {});
    } catch (const twin::CompileError& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK(said("vadd.u32.u32.u32 %x, %a, %b;").find("vadd.u32.u32.u32") != std::string::npos);
  CHECK(said("add.rz.f32 %fx, %fa, %fb;").find("add.rz.f32") != std::string::npos);
  CHECK(said("cvt.rp.f32.f64 %fx, %da;").find("cvt.rp.f32.f64") != std::string::npos);
  for (const char* one :
       {"cvt.rz.f16x2.f32 %x, %fa, %fb;", "cvt.rn.relu.f16x2.f32 %x, %fa, %fb;",
        "cvt.rn.satfinite.f16x2.f32 %x, %fa, %fb;", "cvt.rz.bf16x2.f32 %x, %fa, %fb;",
        "cvt.rn.relu.bf16x2.f32 %x, %fa, %fb;", "cvt.rn.relu.bf16.f32 %hx, %fa;",
        "cvt.rn.satfinite.f16.f32 %hx, %fa;", "cvt.rz.f16.s32 %hx, %a;",
        "atom.global.add.noftz.bf16x2 %x, [%la], %b;", "red.global.add.noftz.bf16x2 [%la], %b;"}) {
    CAPTURE(one);
    const std::string name(one, std::string(one).find(' '));
    CHECK(said(one).find(name) != std::string::npos);
  }
  CHECK(said("frobnicate.b32 %x, %a;").find("frobnicate.b32") != std::string::npos);
  CHECK(said("add.u32 %x, %a, %b;").empty());
}

#include "divergence/generator.h"

#include <random>
#include <vector>

namespace divergence {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string file(int kernels) {
    text_ =
        "#define DEVICE __device__ __noinline__\n"
        "static __device__ unsigned bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); "
        "}\n"
        "typedef unsigned (*Function)(unsigned, unsigned, float);\n";
    functions();
    for (int k = 0; k < kernels; ++k) kernel(k);
    return text_;
  }

 private:
  /// What may be done where a statement stands.
  struct Place {
    bool together;  // all threads of the block are here: barriers and shuffles may stand
    bool in_loop;   // break and continue
    bool may_return;
    int depth;
    std::string leave;  // the return statement
    int calls;          // functions that may be called: those before
  };

  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  std::string number(unsigned below) { return std::to_string(pick(below)) + "u"; }
  std::string variable() { return "v" + std::to_string(pick(4)); }
  std::string real() { return "f" + std::to_string(pick(2)); }
  void line(const std::string& text) {
    text_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + text + "\n";
  }

  // ---- expressions
  std::string value(int depth) {
    if (depth <= 0 || chance(25)) return chance(70) ? variable() : chance(50) ? number(40) : "t";
    const std::string a = value(depth - 1), b = value(depth - 1);
    static const char* const plain[] = {"+", "-", "*", "^", "&", "|"};
    switch (pick(12)) {
      case 0: return "(" + a + " << (" + b + " & 31u))";
      case 1: return "(" + a + " >> (" + b + " & 31u))";
      case 2: return "(" + a + " / (" + b + " | 1u))";
      case 3: return "(" + a + " % ((" + b + " & 63u) + 1u))";
      case 4: return "(" + condition(depth - 1) + " ? " + a + " : " + b + ")";
      case 5: return "(unsigned)((int)" + a + " >> (" + b + " & 15u))";
      case 6: return "bits(" + reals(depth - 1) + ")";
      case 7:
        return "(unsigned)(((unsigned long long)" + a + " * " + b + ") >> " + std::to_string(pick(40)) +
               ")";
      case 8: return chance(50) ? "min(" + a + ", " + b + ")" : "__popc(" + a + ")";
      default: return "(" + a + " " + plain[pick(6)] + " " + b + ")";
    }
  }
  std::string reals(int depth) {
    if (depth <= 0 || chance(30)) return chance(80) ? real() : std::to_string(pick(9)) + ".25f";
    const std::string a = reals(depth - 1), b = reals(depth - 1);
    switch (pick(7)) {
      case 0: return "(" + a + " * " + b + ")";
      case 1: return "(" + a + " - " + b + ")";
      case 2: return "(" + a + " * 0.5f + " + b + ")";
      case 3: return "(float)(int)" + value(depth - 1);
      case 4: return "fmaxf(" + a + ", " + b + ")";
      case 5: return "(" + condition(depth - 1) + " ? " + a + " : " + b + ")";
      default: return "(" + a + " + " + b + ")";
    }
  }
  std::string condition(int depth) {
    static const char* const relations[] = {"<", ">", "==", "!=", "<=", ">="};
    if (depth > 0 && chance(35))
      return "(" + condition(depth - 1) + (chance(50) ? " && " : " || ") + condition(depth - 1) + ")";
    if (chance(20)) return "(" + reals(1) + " " + relations[pick(2)] + " " + reals(1) + ")";
    if (chance(50))
      return "((" + value(1) + " & " + std::to_string(1U << pick(4)) + "u) " +
             (chance(50) ? "!=" : "==") + " 0u)";
    return "((" + value(1) + " & 15u) " + relations[pick(6)] + " " + number(16) + ")";
  }
  /// The same for all threads: from the parameter and the block.
  std::string uniform() {
    return chance(50) ? "(n & " + std::to_string(1U << pick(4)) + "u) != 0u"
                      : "(blockIdx.x + n) % 3u == " + number(3);
  }

  // ---- statements
  void statements(Place place, int count) {
    ++indent_;
    for (int k = 0; k < count; ++k) statement(place);
    --indent_;
  }
  void statement(Place place) {
    if (place.depth >= 4 || --budget_ < 0) return assign(place);
    const Place inner{false,           place.in_loop, place.may_return,
                      place.depth + 1, place.leave,   place.calls};
    switch (pick(14)) {
      case 0:
      case 1: return choose(inner, condition(2));
      case 2: return count_up(inner);
      case 3: return count_while(inner);
      case 4: return select(inner);
      case 5: return place.in_loop ? leave_loop() : assign(place);
      case 6:
        if (place.may_return && chance(60))
          return line("if (" + condition(1) + ") { " + place.leave + " }");
        return assign(place);
      case 7:
        line("a[" + value(1) + " & 7u] ^= " + value(2) + ";");
        return line(variable() + " += a[" + value(1) + " & 7u];");
      case 8:
      case 9:
        if (place.calls > 0) return call(place);
        return assign(place);
      case 10: return place.together ? together(place) : assign(place);
      case 11: return place.together ? meet() : assign(place);
      default: return assign(place);
    }
  }
  void assign(const Place&) {
    if (chance(20)) return line(real() + " = " + reals(3) + ";");
    line(variable() + (chance(50) ? " ^= " : chance(50) ? " += " : " = ") + value(3) + ";");
  }
  /// Often with code of its own on the way out, which lanes that left wait for.
  void leave_loop() {
    const std::string how = chance(50) ? "break;" : "continue;";
    if (chance(40)) return line("if (" + condition(1) + ") " + how);
    line("if (" + condition(1) + ") { " + variable() + " = " + value(2) + "; " + how + " }");
  }
  void choose(const Place& inner, const std::string& condition) {
    line("if (" + condition + ") {");
    statements(inner, 1 + static_cast<int>(pick(3)));
    if (chance(60)) {
      line("} else {");
      statements(inner, 1 + static_cast<int>(pick(2)));
    }
    line("}");
  }
  void count_up(Place inner) {
    inner.in_loop = true;
    const std::string i = "i" + std::to_string(++names_);
    line("for (unsigned " + i + " = 0; " + i + " < (" + value(1) + " & " + (chance(50) ? "7u" : "3u") +
         "); ++" + i + ") {");
    statements(inner, 1 + static_cast<int>(pick(3)));
    line("  " + variable() + " += " + i + ";");
    line("}");
  }
  void count_while(Place inner) {
    inner.in_loop = true;
    const std::string g = "g" + std::to_string(++names_);
    line("unsigned " + g + " = 0;");
    const bool at_end = chance(40);
    line(at_end ? "do {" : "while (" + condition(2) + " && " + g + "++ < 6u) {");
    statements(inner, 1 + static_cast<int>(pick(3)));
    line(at_end ? "} while (" + condition(1) + " && ++" + g + " < 5u);" : "}");
  }
  void select(Place inner) {
    inner.in_loop = false;  // a break would leave the switch, and continue may stand in none
    const unsigned cases = 3 + pick(5);
    line("switch (" + value(1) + " % " + std::to_string(cases + 1) + "u) {");
    for (unsigned k = 0; k < cases; ++k) {
      line("case " + std::to_string(k) + ": {");
      statements(inner, 1);
      line(chance(75) ? "} break;" : "}");
    }
    line("default:");
    statements(inner, 1);
    line("}");
  }
  void call(const Place& place) {
    const std::string arguments = "(" + value(1) + ", " + value(1) + ", " + reals(1) + ")";
    if (place.calls >= 3 && chance(35))
      return line(variable() + " ^= table[" + value(1) + " % 3u]" + arguments + ";");
    if (place.calls >= 4 && chance(30))
      return line(variable() + " += recursive(" + value(1) + " & 7u, " + value(1) + ");");
    line(variable() + " += function" +
         std::to_string(pick(static_cast<unsigned>(place.calls > 3 ? 3 : place.calls))) + arguments +
         ";");
  }
  /// Structures that all threads go through the same way, with barriers inside.
  void together(Place place) {
    ++place.depth;
    if (chance(50)) {
      line("if (" + uniform() + ") {");
      statements(place, 2);
      meet_inside();
      line("}");
      return;
    }
    const std::string i = "u" + std::to_string(++names_);
    line("for (unsigned " + i + " = 0; " + i + " < 2u + (n & 1u); ++" + i + ") {");
    statements(place, 2);
    meet_inside();
    line("}");
  }
  void meet_inside() {
    ++indent_;
    meet();
    --indent_;
  }
  void meet() {
    static const char* const shuffles[] = {"__shfl_xor_sync(~0u, ", "__shfl_down_sync(~0u, ",
                                           "__shfl_up_sync(~0u, ", "__shfl_sync(~0u, "};
    switch (pick(4)) {
      case 0:
        line("__syncthreads();");
        line("s[t] = " + value(2) + ";");
        line("__syncthreads();");
        return line(variable() + " ^= s[(t * 7u + " + number(96) + ") % 96u];");
      case 1:
        return line(variable() + " += " + shuffles[pick(4)] + value(1) + ", " +
                    std::to_string(1 + pick(31)) + (chance(30) ? ", 8);" : ");"));
      case 2: return line(variable() + " ^= __ballot_sync(~0u, " + condition(1) + ");");
      default: return line("if (__any_sync(~0u, " + condition(1) + ")) " + variable() + " += 3u;");
    }
  }

  // ---- functions
  void body(Place place, int count) {
    line("  unsigned a[8] = {v0, v1, v2, v3, 1u, 2u, 3u, 4u};");
    statements(place, count);
  }
  /// What the kernels of a file call: three functions, a table of them, and one that calls itself.
  void functions() {
    for (int f = 0; f < 3; ++f) {
      budget_ = 3;
      line("DEVICE unsigned function" + std::to_string(f) + "(unsigned v0, unsigned v1, float f0) {");
      line("  const unsigned t = threadIdx.x, n = 5u;");
      line("  unsigned v2 = v0 ^ t, v3 = v1 + n; float f1 = f0 + 1.0f;");
      body({false, false, true, 2, "return v2 + bits(f1);", f}, 2);
      line("  return v0 + v1 + v2 + v3 + a[v0 & 7u] + bits(f0 + f1);");
      line("}");
    }
    line("DEVICE unsigned recursive(unsigned depth, unsigned x) {");
    line("  if (depth == 0u) return x;");
    line("  if (x & 4u) return recursive(depth - 1u, x * 3u + 1u) ^ depth;");
    line("  unsigned y = recursive(depth - 1u, x >> 1) + 7u;");
    line("  if (y & 1u) y += recursive(depth >> 1, y);");
    line("  return y;");
    line("}");
    line("__device__ Function table[3] = {function0, function1, function2};");
  }
  void kernel(int k) {
    const std::string number = std::to_string(k);
    // Most kernels call little: each is compiled with all that it may call.
    const int calls = k % 4 == 0 ? 4 : k % 4 == 1 ? 1 : 0;
    budget_ = 10;
    line("extern \"C\" __global__ void k" + number +
         "(const unsigned* in, unsigned* out, unsigned n) {");
    line("  __shared__ unsigned s[96];");
    line("  const unsigned t = threadIdx.x, i = blockIdx.x * 96u + t;");
    line("  unsigned v0 = in[i], v1 = in[(i * 7u) % 192u], v2 = t, v3 = n * 77u;");
    line("  float f0 = (float)(v0 & 255u) * 0.125f, f1 = (float)t;");
    line("  s[t] = v0;");
    body({true, false, false, 0, "", calls}, 4);
    budget_ = 5;
    line("  out[i] = v0 ^ v1;");
    // Behind the last barrier threads may leave.
    statements({false, false, true, 0, "out[i] ^= v2 + bits(f0); return;", calls}, 2);
    line("  out[i] += v0 + v1 * 3u + v2 * 5u + v3 * 7u + a[v1 & 7u] + bits(f0) + bits(f1) * 11u;");
    line("}");
  }

  std::mt19937_64 random_;
  std::string text_;
  int indent_ = 0, budget_ = 0, names_ = 0;
};

}  // namespace

std::string source(uint64_t seed, int kernels) { return Generator(seed).file(kernels); }

}  // namespace divergence

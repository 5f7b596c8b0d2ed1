// core_host FILE: the core as it is, in the place of history's host: loads a plug-in, computes on its device alone,
// and compares with known answers. Ends with 0 and a line, 1 where something is wrong, 3 where the plug-in is refused.
#include <cmath>
#include <cstdio>
#include <vector>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

namespace {

bool is_near(const char* what, const tl::Tensor& tensor, const std::vector<float>& wanted) {
  const std::vector<float> got = tensor.to("cpu").to_vector<float>();
  bool right = got.size() == wanted.size();
  for (std::size_t i = 0; right && i < got.size(); ++i) right = std::abs(got[i] - wanted[i]) <= 1e-6f;
  if (!right) std::printf("FAIL: %s\n", what);
  return right;
}

bool computes(const tl::Options& there) {
  const tl::Tensor a = tl::tensor({{1.0, -2.0, 3.0}, {4.0, 5.0, -6.0}}, there);
  const tl::Tensor b = tl::tensor({{2.0, 2.0, 0.5}, {-1.0, 1.0, 3.0}}, there);
  return is_near("neg", -a, {-1, 2, -3, -4, -5, 6}) && is_near("add", a + b, {3, 0, 3.5, 3, 6, -3}) &&
         is_near("sum", a.sum(0), {5, 3, -3}) &&
         is_near("matmul", a.matmul(b.reshape({3, 2})), {4, 13, 4.5, -15}) &&
         is_near("softmax, by hand", a.exp() / a.exp().sum(1, true),
                 {0.11849966f, 0.00589975f, 0.8756006f, 0.26893814f, 0.73104965f, 1.2209773e-5f});
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    const std::string name = tl::load_plugin(arguments[1]);
    if (!computes({.device = tl::Device(name)})) return 1;
    std::printf("the core and %s: right\n", name.c_str());
    return 0;
  } catch (const tl::DeviceError& error) {
    std::printf("refused: %s\n", error.what());
    return 3;
  } catch (const tl::Error& error) {
    std::printf("FAIL: %s\n", error.what());
    return 1;
  }
}

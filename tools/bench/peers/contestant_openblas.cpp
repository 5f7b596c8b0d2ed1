// OpenBLAS called directly (libopenblas-pthread-dev). Matrix product only; output preallocated.

#include <cblas.h>
#include <memory>
#include "peers.h"
extern "C" void openblas_set_num_threads(int);
extern "C" int openblas_get_num_threads(void);
peers::Contestant make_openblas() {
  using namespace peers;
  return {"openblas",
          [](int t) {
            if (openblas_get_num_threads() != t) openblas_set_num_threads(t);
          },
          [](const Case& c) -> Work {
            if (c.op != "mm") return {};
            int64_t b = c.shape[0], m = c.shape[1], n = c.shape[2], k = c.shape[3];
            bool ta = c.detail & 1, tb = c.detail & 2;
            auto A = std::make_shared<std::vector<float>>(b * m * k),
                 B = std::make_shared<std::vector<float>>(b * n * k),
                 C = std::make_shared<std::vector<float>>(b * m * n);
            fill(A->data(), A->size(), 1);
            fill(B->data(), B->size(), 2);
            return {[=] {
                      for (int64_t i = 0; i < b; i++)
                        cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans,
                                    tb ? CblasTrans : CblasNoTrans, m, n, k, 1.f, A->data() + i * m * k,
                                    ta ? m : k, B->data() + i * n * k, tb ? k : n, 0.f,
                                    C->data() + i * m * n, n);
                    },
                    [=] { return peers::probe(C->data(), C->size()); }};
          }};
}

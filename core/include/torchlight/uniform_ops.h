// The operations of ops.def whose user function takes tensors alone, as an X-macro. Define the macros
// you need, include this file, and each row expands to one of
//   TORCHLIGHT_UNARY(name)      number or real in, the same out; has an in-place form
//   TORCHLIGHT_BINARY(name)     likewise, with broadcasting
//   TORCHLIGHT_PREDICATE1(name) bool out
//   TORCHLIGHT_PREDICATE2(name) bool out, with broadcasting
// No include guard: it is included many times.
#ifndef TORCHLIGHT_UNARY
#define TORCHLIGHT_UNARY(name)
#endif
#ifndef TORCHLIGHT_BINARY
#define TORCHLIGHT_BINARY(name)
#endif
#ifndef TORCHLIGHT_PREDICATE1
#define TORCHLIGHT_PREDICATE1(name)
#endif
#ifndef TORCHLIGHT_PREDICATE2
#define TORCHLIGHT_PREDICATE2(name)
#endif

#define TL_ROW_real_0(name) TORCHLIGHT_UNARY(name)
#define TL_ROW_number_0(name) TORCHLIGHT_UNARY(name)
#define TL_ROW_predicate_0(name) TORCHLIGHT_PREDICATE1(name)
#define TL_ROW_any_0(name)
#define TL_ROW_create_1(name)
#define TL_ROW_create_2(name)
#define TL_ROW_real_1(name)
#define TL_ROW_real_2(name)
#define TL_ROW_number_1(name)
#define TL_ROW_number_2(name)
#define TL_ROW_predicate_1(name)
#define TL_ROW_real_2_0(name) TORCHLIGHT_BINARY(name)
#define TL_ROW_number_2_0(name) TORCHLIGHT_BINARY(name)
#define TL_ROW_predicate_2_0(name) TORCHLIGHT_PREDICATE2(name)
#define TL_ROW_logic_2_0(name) TORCHLIGHT_PREDICATE2(name)
#define TL_ROW_select_3_0(name)
#define TL_ROW_number_3_0(name)
#define TL_ROW_number_3_1(name)
#define TL_ROW_gradient_2_0(name)
#define TL_ROW_gradient_2_1(name)
#define TL_ROW_gradient_2_2(name)

#define TL_MAP(id, name, domain, params, ...) TL_ROW_##domain##_##params(name)
#define TL_ZIP(id, name, domain, inputs, params, ...) TL_ROW_##domain##_##inputs##_##params(name)
#include <torchlight/ops.def>

#undef TL_ROW_real_0
#undef TL_ROW_number_0
#undef TL_ROW_predicate_0
#undef TL_ROW_any_0
#undef TL_ROW_create_1
#undef TL_ROW_create_2
#undef TL_ROW_real_1
#undef TL_ROW_real_2
#undef TL_ROW_number_1
#undef TL_ROW_number_2
#undef TL_ROW_predicate_1
#undef TL_ROW_real_2_0
#undef TL_ROW_number_2_0
#undef TL_ROW_predicate_2_0
#undef TL_ROW_logic_2_0
#undef TL_ROW_select_3_0
#undef TL_ROW_number_3_0
#undef TL_ROW_number_3_1
#undef TL_ROW_gradient_2_0
#undef TL_ROW_gradient_2_1
#undef TL_ROW_gradient_2_2
#undef TORCHLIGHT_UNARY
#undef TORCHLIGHT_BINARY
#undef TORCHLIGHT_PREDICATE1
#undef TORCHLIGHT_PREDICATE2

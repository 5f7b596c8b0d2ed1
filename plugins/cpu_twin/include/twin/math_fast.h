#pragma once
#pragma GCC system_header

// The fast versions: a GPU's are coarser, these are as exact as the plain ones.

TWIN_D float __expf(float x) { return __twin_expf(x); }
TWIN_D float __exp10f(float x) { return __twin_exp10f(x); }
TWIN_D float __logf(float x) { return __twin_logf(x); }
TWIN_D float __log2f(float x) { return __twin_log2f(x); }
TWIN_D float __log10f(float x) { return __twin_log10f(x); }
TWIN_D float __sinf(float x) { return __twin_sinf(x); }
TWIN_D float __cosf(float x) { return __twin_cosf(x); }
TWIN_D float __tanf(float x) { return __twin_tanf(x); }
TWIN_D float __tanhf(float x) { return __twin_tanhf(x); }
TWIN_D float __powf(float x, float y) { return __twin_powf(x, y); }
TWIN_D void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

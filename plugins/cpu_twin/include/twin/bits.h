#pragma once

// Integer intrinsics. What plain C++ says exactly is left to clang, which finds the instruction.

TWIN_D int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
TWIN_D int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
TWIN_D int __ffs(int x) { return __builtin_ffs(x); }
TWIN_D int __ffsll(long long x) { return __builtin_ffsll(x); }
TWIN_D int __popc(unsigned int x) { return __builtin_popcount(x); }
TWIN_D int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TWIN_D unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
TWIN_D unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
TWIN_D unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return __nvvm_prmt(x, y, selector & 0x7777);
}

TWIN_D unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int r;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
  return r;
}
TWIN_D unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int r;
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
  return r;
}
TWIN_D unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int r;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
  return r;
}
TWIN_D unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int r;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));
  return r;
}

TWIN_D int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
TWIN_D unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
TWIN_D long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
TWIN_D unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
/// The low 24 bits of each, sign-extended (zero-extended for __umul24); the low 32 bits of the product.
TWIN_D int __mul24(int x, int y) {
  const int a = static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8;
  const int b = static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8;
  return static_cast<int>(static_cast<unsigned int>(a) * static_cast<unsigned int>(b));
}
TWIN_D unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}

TWIN_D int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
TWIN_D int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
TWIN_D unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
TWIN_D unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
TWIN_D unsigned int __sad(int x, int y, unsigned int z) {
  const long long d = static_cast<long long>(x) - y;
  return z + static_cast<unsigned int>(d < 0 ? -d : d);
}
TWIN_D unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return z + (x > y ? x - y : y - x);
}

TWIN_D int __dp4a(int a, int b, int c) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
TWIN_D unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
TWIN_D int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
TWIN_D unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}

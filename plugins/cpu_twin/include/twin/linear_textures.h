#pragma once

// Texture objects over linear memory, which iterators of cub read through. The object is the address itself;
// arrays, filters and other kinds of textures are refused.

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef struct cudaArray* cudaArray_t;

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  ///< bits of each component
  cudaChannelFormatKind f;
};
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
};
struct cudaResourceViewDesc;

TWIN_HD cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                    cudaChannelFormatKind kind) {
  return cudaChannelFormatDesc{x, y, z, w, kind};
}
/// The kind of a format doesn't matter here: a fetch reads T whole.
template <class T> TWIN_HD cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaChannelFormatDesc{8 * static_cast<int>(sizeof(T)), 0, 0, 0, cudaChannelFormatKindNone};
}

static inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture,
                                                  const cudaResourceDesc* resource,
                                                  const cudaTextureDesc* description,
                                                  const cudaResourceViewDesc*) {
  if (resource->resType != cudaResourceTypeLinear) return cudaErrorNotSupported;
  if (description->readMode != cudaReadModeElementType) return cudaErrorNotSupported;
  *texture = reinterpret_cast<cudaTextureObject_t>(resource->res.linear.devPtr);
  return cudaSuccess;
}
static inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) { return cudaSuccess; }

#if defined(__CUDA__)
template <class T> TWIN_D T tex1Dfetch(cudaTextureObject_t texture, int i) {
  return reinterpret_cast<const T*>(texture)[i];
}
#endif

#pragma once

/// The errors of the runtime API as a list, for the enumeration here and the names that the runtime gives back:
/// TWIN_CUDA_ERRORS(X) expands X(name, number) for each.
#define TWIN_CUDA_ERRORS(X) \
  X(cudaSuccess, 0) \
  X(cudaErrorInvalidValue, 1) \
  X(cudaErrorMemoryAllocation, 2) \
  X(cudaErrorInitializationError, 3) \
  X(cudaErrorCudartUnloading, 4) \
  X(cudaErrorProfilerDisabled, 5) \
  X(cudaErrorInvalidConfiguration, 9) \
  X(cudaErrorInvalidPitchValue, 12) \
  X(cudaErrorInvalidSymbol, 13) \
  X(cudaErrorInvalidHostPointer, 16) \
  X(cudaErrorInvalidDevicePointer, 17) \
  X(cudaErrorInvalidTexture, 18) \
  X(cudaErrorInvalidMemcpyDirection, 21) \
  X(cudaErrorNotYetImplemented, 31) \
  X(cudaErrorStubLibrary, 34) \
  X(cudaErrorInsufficientDriver, 35) \
  X(cudaErrorCallRequiresNewerDriver, 36) \
  X(cudaErrorDuplicateVariableName, 43) \
  X(cudaErrorDevicesUnavailable, 46) \
  X(cudaErrorIncompatibleDriverContext, 49) \
  X(cudaErrorMissingConfiguration, 52) \
  X(cudaErrorPriorLaunchFailure, 53) \
  X(cudaErrorLaunchMaxDepthExceeded, 65) \
  X(cudaErrorLaunchPendingCountExceeded, 69) \
  X(cudaErrorInvalidDeviceFunction, 98) \
  X(cudaErrorNoDevice, 100) \
  X(cudaErrorInvalidDevice, 101) \
  X(cudaErrorStartupFailure, 127) \
  X(cudaErrorInvalidKernelImage, 200) \
  X(cudaErrorDeviceUninitialized, 201) \
  X(cudaErrorNoKernelImageForDevice, 209) \
  X(cudaErrorECCUncorrectable, 214) \
  X(cudaErrorUnsupportedLimit, 215) \
  X(cudaErrorDeviceAlreadyInUse, 216) \
  X(cudaErrorPeerAccessUnsupported, 217) \
  X(cudaErrorInvalidPtx, 218) \
  X(cudaErrorNvlinkUncorrectable, 220) \
  X(cudaErrorJitCompilerNotFound, 221) \
  X(cudaErrorUnsupportedPtxVersion, 222) \
  X(cudaErrorJitCompilationDisabled, 223) \
  X(cudaErrorInvalidSource, 300) \
  X(cudaErrorFileNotFound, 301) \
  X(cudaErrorSharedObjectSymbolNotFound, 302) \
  X(cudaErrorSharedObjectInitFailed, 303) \
  X(cudaErrorOperatingSystem, 304) \
  X(cudaErrorInvalidResourceHandle, 400) \
  X(cudaErrorIllegalState, 401) \
  X(cudaErrorSymbolNotFound, 500) \
  X(cudaErrorNotReady, 600) \
  X(cudaErrorIllegalAddress, 700) \
  X(cudaErrorLaunchOutOfResources, 701) \
  X(cudaErrorLaunchTimeout, 702) \
  X(cudaErrorPeerAccessAlreadyEnabled, 704) \
  X(cudaErrorPeerAccessNotEnabled, 705) \
  X(cudaErrorSetOnActiveProcess, 708) \
  X(cudaErrorContextIsDestroyed, 709) \
  X(cudaErrorAssert, 710) \
  X(cudaErrorTooManyPeers, 711) \
  X(cudaErrorHostMemoryAlreadyRegistered, 712) \
  X(cudaErrorHostMemoryNotRegistered, 713) \
  X(cudaErrorHardwareStackError, 714) \
  X(cudaErrorIllegalInstruction, 715) \
  X(cudaErrorMisalignedAddress, 716) \
  X(cudaErrorInvalidAddressSpace, 717) \
  X(cudaErrorInvalidPc, 718) \
  X(cudaErrorLaunchFailure, 719) \
  X(cudaErrorCooperativeLaunchTooLarge, 720) \
  X(cudaErrorNotPermitted, 800) \
  X(cudaErrorNotSupported, 801) \
  X(cudaErrorSystemNotReady, 802) \
  X(cudaErrorSystemDriverMismatch, 803) \
  X(cudaErrorCompatNotSupportedOnDevice, 804) \
  X(cudaErrorStreamCaptureUnsupported, 900) \
  X(cudaErrorStreamCaptureInvalidated, 901) \
  X(cudaErrorStreamCaptureMerge, 902) \
  X(cudaErrorStreamCaptureUnmatched, 903) \
  X(cudaErrorStreamCaptureUnjoined, 904) \
  X(cudaErrorStreamCaptureIsolation, 905) \
  X(cudaErrorStreamCaptureImplicit, 906) \
  X(cudaErrorCapturedEvent, 907) \
  X(cudaErrorStreamCaptureWrongThread, 908) \
  X(cudaErrorTimeout, 909) \
  X(cudaErrorGraphExecUpdateFailure, 910) \
  X(cudaErrorExternalDevice, 911) \
  X(cudaErrorInvalidClusterSize, 912) \
  X(cudaErrorUnknown, 999)

enum cudaError {
#define TWIN_ENUMERATOR(name, number) name = number,
  TWIN_CUDA_ERRORS(TWIN_ENUMERATOR)
#undef TWIN_ENUMERATOR
};

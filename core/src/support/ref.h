#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace torchlight {

/// Base of objects that count their own references. Starts at 0; the first Ref makes it 1.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Whether that was the last one.
  bool release() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  std::uint32_t references() const { return references_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> references_{0};
};

/// A counted pointer to a RefCounted object: half the size of std::shared_ptr, one allocation.
/// T::destroy(T*) may be given to take the place of delete.
template <class T> class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ && object_->release()) dispose(object_);
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }
  /// Gives up the pointer together with its reference.
  T* detach() { return std::exchange(object_, nullptr); }
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }

 private:
  static void dispose(T* object) {
    if constexpr (requires { T::destroy(object); })
      T::destroy(object);
    else
      delete object;
  }
  T* object_ = nullptr;
};

template <class T, class... Args> Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace torchlight

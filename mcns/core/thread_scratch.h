// Buffers that a thread keeps from one call to the next, so that they grow once.
//
// `thread_local T` would do but for one thing: the first use in a thread registers T's destructor,
// and glibc ends the process where there is no memory for that. Here it is a std::bad_alloc.
#pragma once

namespace mcns {
namespace detail {

/// Hands `object` to this thread, which calls destroy(object) when it ends. Throws std::bad_alloc;
/// `object` is destroyed then.
void keep_for_thread(void* object, void (*destroy)(void*));

}  // namespace detail

/// This thread's one T. Made by T() at the first call; gone when the thread ends. A T is shared by
/// all callers of the thread, so each caller has a type of its own.
template <class T>
T& thread_scratch() {
  static thread_local T* kept = nullptr;
  if (kept == nullptr) {
    T* const made = new T();
    detail::keep_for_thread(made, [](void* object) { delete static_cast<T*>(object); });
    kept = made;
  }
  return *kept;
}

}  // namespace mcns

#include "mcns/core/thread_scratch.h"

#include <memory>
#include <new>
#include <vector>

#include <pthread.h>

namespace mcns::detail {
namespace {

using Object = std::unique_ptr<void, void (*)(void*)>;
using Objects = std::vector<Object>;

/// The system's own per-thread pointer: unlike a thread_local's destructor, it can fail.
pthread_key_t make_key() {
  pthread_key_t key;
  if (pthread_key_create(&key, [](void* kept) { delete static_cast<Objects*>(kept); }) != 0)
    throw std::bad_alloc();
  return key;
}

Objects& objects_of_this_thread() {
  static const pthread_key_t key = make_key();
  if (void* const kept = pthread_getspecific(key)) return *static_cast<Objects*>(kept);
  auto made = std::make_unique<Objects>();
  if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
  return *made.release();
}

}  // namespace

void keep_for_thread(void* object, void (*destroy)(void*)) {
  Object owned(object, destroy);
  objects_of_this_thread().push_back(std::move(owned));
}

}  // namespace mcns::detail

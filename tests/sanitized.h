// Whether the tests are built with a sanitizer. g++ and clang say so in ways of their own.
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0
#endif

namespace mcns {

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

constexpr bool kSanitized = kThreadSanitizer || kAddressSanitizer;

}  // namespace mcns

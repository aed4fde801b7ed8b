#ifndef GEOQ_CCURL_SHIM_H
#define GEOQ_CCURL_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// What geoq uses of libcurl, which is loaded when it is needed: the build needs neither its headers nor
// the library. The numbers are those of curl.h; libcurl.so.4 promises that they never change.

// options by the type of their values, as the setters below take them

typedef enum {
  GEOQ_CURLOPT_LOW_SPEED_LIMIT = 19,
  GEOQ_CURLOPT_LOW_SPEED_TIME = 20,
  GEOQ_CURLOPT_FOLLOWLOCATION = 52,
  GEOQ_CURLOPT_MAXREDIRS = 68,
  GEOQ_CURLOPT_NOSIGNAL = 99,
  GEOQ_CURLOPT_TIMEOUT_MS = 155,
  GEOQ_CURLOPT_CONNECTTIMEOUT_MS = 156,
  // bits; the newer options that take names are not in Debian 11 and Ubuntu 22.04
  GEOQ_CURLOPT_PROTOCOLS = 181,
  GEOQ_CURLOPT_REDIR_PROTOCOLS = 182,
  GEOQ_CURLOPT_DISALLOW_USERNAME_IN_URL = 278,
  GEOQ_CURLOPT_QUICK_EXIT = 322,
  // takes a curl_off_t, which has 64 bits, as a long has on all systems that geoq is for
  GEOQ_CURLOPT_MAXFILESIZE_LARGE = 30117
} geoq_curl_long_option;

typedef enum {
  GEOQ_CURLOPT_URL = 10002,
  GEOQ_CURLOPT_PROXY = 10004,
  GEOQ_CURLOPT_NOPROXY = 10177,
  GEOQ_CURLOPT_USERAGENT = 10018
} geoq_curl_string_option;

typedef enum {
  GEOQ_CURLOPT_WRITEDATA = 10001,
  GEOQ_CURLOPT_ERRORBUFFER = 10010,
  GEOQ_CURLOPT_HTTPHEADER = 10023,
  GEOQ_CURLOPT_OPENSOCKETDATA = 10164,
  // a list of HOST:PORT:ADDRESS
  GEOQ_CURLOPT_RESOLVE = 10203,
  GEOQ_CURLOPT_HEADERDATA = 10029
} geoq_curl_pointer_option;

typedef enum {
  GEOQ_CURLOPT_WRITEFUNCTION = 20011,
  GEOQ_CURLOPT_HEADERFUNCTION = 20079
} geoq_curl_function_option;

typedef enum { GEOQ_CURLOPT_OPENSOCKETFUNCTION = 20163 } geoq_curl_socket_option;

typedef enum {
  GEOQ_CURLINFO_RESPONSE_CODE = 0x200000 + 2,
  GEOQ_CURLINFO_OS_ERRNO = 0x200000 + 25
} geoq_curl_long_info;

// the address that a redirect leads to, made absolute
typedef enum { GEOQ_CURLINFO_REDIRECT_URL = 0x100000 + 31 } geoq_curl_string_info;

// of CURLcode
static const int32_t GEOQ_CURLE_UNSUPPORTED_PROTOCOL = 1;
static const int32_t GEOQ_CURLE_COULDNT_CONNECT = 7;
static const int32_t GEOQ_CURLE_WRITE_ERROR = 23;
static const int32_t GEOQ_CURLE_FILESIZE_EXCEEDED = 63;
static const int32_t GEOQ_CURLE_LOGIN_DENIED = 67;

static const long GEOQ_CURLPROTO_HTTP_HTTPS = 1 << 0 | 1 << 1;
static const long GEOQ_CURL_GLOBAL_DEFAULT = 1 << 0 | 1 << 1;
static const size_t GEOQ_CURL_ERROR_SIZE = 256;

typedef int32_t (*geoq_curl_global_init)(long flags);
typedef void *(*geoq_curl_easy_init)(void);
typedef int32_t (*geoq_curl_easy_perform)(void *transfer);
typedef void (*geoq_curl_easy_cleanup)(void *transfer);
typedef const char *(*geoq_curl_easy_strerror)(int32_t code);
typedef void *(*geoq_curl_slist_append)(void *list, const char *text);
typedef void (*geoq_curl_slist_free_all)(void *list);

// takes bytes; libcurl ends the transfer unless it returns how many they are
typedef size_t (*geoq_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

// an address that is about to be connected to; libcurl has room here for any kind of address
struct geoq_curl_address {
  int32_t family;
  int32_t type;
  int32_t protocol;
  uint32_t length;
  struct sockaddr address;
};

// opens a socket for an address, which it may change; -1 refuses the connection
typedef int32_t (*geoq_curl_opener)(
  void *context, int32_t purpose, struct geoq_curl_address *address
);

// curl_easy_setopt and curl_easy_getinfo take any type as their last parameter, which Swift cannot call
typedef int32_t (*geoq_curl_variadic)(void *transfer, int32_t option, ...);

static inline int32_t geoq_curl_set_long(
  void *setopt, void *transfer, geoq_curl_long_option option, long value
) {
  return ((geoq_curl_variadic)setopt)(transfer, (int32_t)option, value);
}

static inline int32_t geoq_curl_set_string(
  void *setopt, void *transfer, geoq_curl_string_option option, const char *value
) {
  return ((geoq_curl_variadic)setopt)(transfer, (int32_t)option, value);
}

static inline int32_t geoq_curl_set_pointer(
  void *setopt, void *transfer, geoq_curl_pointer_option option, void *value
) {
  return ((geoq_curl_variadic)setopt)(transfer, (int32_t)option, value);
}

static inline int32_t geoq_curl_set_receiver(
  void *setopt, void *transfer, geoq_curl_function_option option, geoq_curl_receiver value
) {
  return ((geoq_curl_variadic)setopt)(transfer, (int32_t)option, value);
}

static inline int32_t geoq_curl_set_opener(
  void *setopt, void *transfer, geoq_curl_socket_option option, geoq_curl_opener value
) {
  return ((geoq_curl_variadic)setopt)(transfer, (int32_t)option, value);
}

static inline int32_t geoq_curl_get_string(
  void *getinfo, void *transfer, geoq_curl_string_info info, const char **value
) {
  return ((geoq_curl_variadic)getinfo)(transfer, (int32_t)info, value);
}

static inline int32_t geoq_curl_get_long(
  void *getinfo, void *transfer, geoq_curl_long_info info, long *value
) {
  return ((geoq_curl_variadic)getinfo)(transfer, (int32_t)info, value);
}

#endif

#ifndef GEOQ_CPOSTGRES_SHIM_H
#define GEOQ_CPOSTGRES_SHIM_H

#include <stddef.h>
#include <stdint.h>

// What geoq uses of libpq, which is loaded when a store has an address: the build needs neither its
// headers nor the library. The numbers are those of libpq-fe.h; libpq.so.5 promises that they never
// change.

// of ConnStatusType
static const int32_t GEOQ_PQ_CONNECTION_OK = 0;

// of ExecStatusType
static const int32_t GEOQ_PQ_COMMAND_OK = 1;
static const int32_t GEOQ_PQ_TUPLES_OK = 2;
static const int32_t GEOQ_PQ_COPY_OUT = 3;
static const int32_t GEOQ_PQ_COPY_IN = 4;

// of PGVerbosity
static const int32_t GEOQ_PQ_ERRORS_VERBOSE = 2;

// fields of an error
static const int32_t GEOQ_PQ_DIAG_SQLSTATE = 'C';
static const int32_t GEOQ_PQ_DIAG_MESSAGE_PRIMARY = 'M';

// of pg_type: text
static const uint32_t GEOQ_PQ_TEXT_OID = 25;

typedef void (*geoq_pq_notice)(void *context, const char *message);

typedef void *(*geoq_pq_connect)(
  const char *const *keywords, const char *const *values, int32_t expand
);
typedef void (*geoq_pq_finish)(void *connection);
typedef void (*geoq_pq_reset)(void *connection);
typedef int32_t (*geoq_pq_status)(const void *connection);
typedef int32_t (*geoq_pq_needs_password)(const void *connection);
typedef const char *(*geoq_pq_error_message)(const void *connection);
typedef int32_t (*geoq_pq_set_verbosity)(void *connection, int32_t verbosity);
typedef geoq_pq_notice (*geoq_pq_set_notice)(void *connection, geoq_pq_notice notice, void *context);
typedef const char *(*geoq_pq_connection_text)(const void *connection);

typedef int32_t (*geoq_pq_send)(
  void *connection, const char *command, int32_t count, const uint32_t *types,
  const char *const *values, const int32_t *lengths, const int32_t *formats, int32_t result_format
);
typedef void *(*geoq_pq_next_result)(void *connection);
typedef void (*geoq_pq_clear)(void *result);
typedef int32_t (*geoq_pq_result_status)(const void *result);
typedef const char *(*geoq_pq_result_error)(const void *result, int32_t field);
typedef char *(*geoq_pq_command_text)(void *result);
typedef int32_t (*geoq_pq_count)(const void *result);
typedef char *(*geoq_pq_value)(const void *result, int32_t row, int32_t column);
typedef int32_t (*geoq_pq_cell)(const void *result, int32_t row, int32_t column);

typedef int32_t (*geoq_pq_put_data)(void *connection, const char *bytes, int32_t count);
typedef int32_t (*geoq_pq_put_end)(void *connection, const char *error);
typedef int32_t (*geoq_pq_get_data)(void *connection, char **bytes, int32_t is_asynchronous);
typedef void (*geoq_pq_free)(void *memory);

typedef int32_t (*geoq_pq_consume_input)(void *connection);
typedef int32_t (*geoq_pq_is_busy)(void *connection);
typedef int32_t (*geoq_pq_socket)(const void *connection);
typedef void *(*geoq_pq_get_cancel)(void *connection);
typedef int32_t (*geoq_pq_cancel)(void *cancel, char *error, int32_t size);
typedef void (*geoq_pq_free_cancel)(void *cancel);
typedef void *(*geoq_pq_notification)(void *connection);

#endif

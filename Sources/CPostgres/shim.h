#ifndef GEOQ_CPOSTGRES_SHIM_H
#define GEOQ_CPOSTGRES_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

// the functions: the name in Swift, the result, the name in libpq, the parameters
#define GEOQ_PQ_FUNCTIONS(F) \
  F(connect, void *, PQconnectdbParams, \
    const char *const *keywords, const char *const *values, int32_t expand) \
  F(finish, void, PQfinish, void *connection) \
  F(reset, void, PQreset, void *connection) \
  F(status, int32_t, PQstatus, const void *connection) \
  F(needsPassword, int32_t, PQconnectionNeedsPassword, const void *connection) \
  F(errorMessage, const char *, PQerrorMessage, const void *connection) \
  F(setVerbosity, int32_t, PQsetErrorVerbosity, void *connection, int32_t verbosity) \
  F(setNotice, geoq_pq_notice, PQsetNoticeProcessor, \
    void *connection, geoq_pq_notice notice, void *context) \
  F(user, const char *, PQuser, const void *connection) \
  F(send, int32_t, PQsendQueryParams, \
    void *connection, const char *command, int32_t count, const uint32_t *types, \
    const char *const *values, const int32_t *lengths, const int32_t *formats, \
    int32_t result_format) \
  F(nextResult, void *, PQgetResult, void *connection) \
  F(clear, void, PQclear, void *result) \
  F(resultStatus, int32_t, PQresultStatus, const void *result) \
  F(resultError, const char *, PQresultErrorField, const void *result, int32_t field) \
  F(commandStatus, char *, PQcmdStatus, void *result) \
  F(commandCount, char *, PQcmdTuples, void *result) \
  F(rowCount, int32_t, PQntuples, const void *result) \
  F(columnCount, int32_t, PQnfields, const void *result) \
  F(value, char *, PQgetvalue, const void *result, int32_t row, int32_t column) \
  F(length, int32_t, PQgetlength, const void *result, int32_t row, int32_t column) \
  F(isNull, int32_t, PQgetisnull, const void *result, int32_t row, int32_t column) \
  F(putData, int32_t, PQputCopyData, void *connection, const char *bytes, int32_t count) \
  F(putEnd, int32_t, PQputCopyEnd, void *connection, const char *error) \
  F(getData, int32_t, PQgetCopyData, void *connection, char **bytes, int32_t is_asynchronous) \
  F(free, void, PQfreemem, void *memory) \
  F(consumeInput, int32_t, PQconsumeInput, void *connection) \
  F(notification, void *, PQnotifies, void *connection) \
  F(isBusy, int32_t, PQisBusy, void *connection) \
  F(socket, int32_t, PQsocket, const void *connection) \
  F(getCancel, void *, PQgetCancel, void *connection) \
  F(cancel, int32_t, PQcancel, void *cancel, char *error, int32_t size) \
  F(freeCancel, void, PQfreeCancel, void *cancel)

#define GEOQ_PQ_FIELD(name, result, symbol, ...) result (*_Nonnull name)(__VA_ARGS__);
#define GEOQ_PQ_FIND(name, result, symbol, ...) \
  if (!(address = dlsym(handle, #symbol))) return #symbol; \
  memcpy((void *)&library->name, &address, sizeof address);

struct geoq_pq {
  GEOQ_PQ_FUNCTIONS(GEOQ_PQ_FIELD)
};

// Finds the functions in a library that is loaded.
//
// Returns the name of the first that it does not have; null if it has all.
static inline const char *geoq_pq_find(struct geoq_pq *library, void *handle) {
  void *address;
  GEOQ_PQ_FUNCTIONS(GEOQ_PQ_FIND)
  return NULL;
}

#endif

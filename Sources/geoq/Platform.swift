// The C library, for all files of the module.
#if canImport(Glibc)
@_exported import Glibc
#else
@_exported import Darwin
#endif

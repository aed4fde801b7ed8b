"""Compares the numbers and layouts that geoq has of libcurl and libpq with those of their headers.

geoq loads both libraries when it needs them and is built without their headers, so its shims repeat
what it uses. A constant of a shim without a counterpart here or in a header is a failure as well.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIMS = {"CCurl": ["curl/curl.h"], "CPostgres": ["libpq-fe.h"]}
# names that the rules of `counterpart` do not give
NAMES = {
    "GEOQ_CURLPROTO_HTTP_HTTPS": "CURLPROTO_HTTP | CURLPROTO_HTTPS",
    "GEOQ_PQ_CONNECTION_OK": "CONNECTION_OK",
    "GEOQ_PQ_ERRORS_VERBOSE": "PQERRORS_VERBOSE",
    # of the server's headers, which clients do not have; the protocol's documentation names it
    "GEOQ_PQ_TEXT_OID": "25",
}
LAYOUTS = [
    f"offsetof(geoq_curl_address, {ours}) == offsetof(curl_sockaddr, {theirs})"
    for ours, theirs in [("family", "family"), ("type", "socktype"), ("protocol", "protocol"), ("length", "addrlen"),
                         ("address", "addr")]
] + [
    "sizeof(struct geoq_curl_address) == sizeof(struct curl_sockaddr)",
    "sizeof(CURLcode) == sizeof(int32_t)", "sizeof(curl_socket_t) == sizeof(int32_t)",
    "sizeof(curl_off_t) == sizeof(int64_t)", "sizeof(ConnStatusType) == sizeof(int32_t)", "sizeof(Oid) == sizeof(uint32_t)",
]


def counterpart(name):
    """The name in the library's header."""
    plain = name.removeprefix("GEOQ_")
    if name in NAMES or plain.startswith("CURL"):
        return NAMES.get(name, plain)
    return plain.replace("PQ_DIAG", "PG_DIAG").replace("PQ_", "PGRES_")


def faults(assertions):
    """What the compiler says is wrong with static assertions about the shims and the headers."""
    headers = [f"<{header}>" for headers in SHIMS.values() for header in headers]
    shims = [f'"{ROOT}/Sources/{shim}/shim.h"' for shim in SHIMS]
    lines = [f"#include {file}" for file in ["<cstddef>", *headers, *shims]]
    lines += [f'static_assert({text}, "geoq");' for text in assertions]
    flags = [word for package in ("libcurl", "libpq") for word in
             subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True, check=True).stdout.split()]
    # -D_Nonnull=: a word of Clang, which imports the shims into Swift, that g++ does not know
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-Wno-deprecated-declarations", "-D_Nonnull=", *flags,
                           "-x", "c++", "-"], input="\n".join(lines), capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if " error: " in line]


def main():
    texts = [(ROOT / f"Sources/{shim}/shim.h").read_text() for shim in SHIMS]
    names = [name for text in texts for name in re.findall(r"\b(GEOQ_[A-Z_]+)\s*=", text)]
    assert len(names) >= 42 and len(set(names)) == len(names), names
    found = faults([f"(long long){name} == (long long)({counterpart(name)})" for name in names] + LAYOUTS)
    assert not found, "\n".join(found)
    # the control: each of them, wrong, is a fault of its own
    found = faults([f"(long long){name} + 1 == (long long)({counterpart(name)})" for name in names])
    assert len(found) == len(names), f"{len(found)} of {len(names)} wrong numbers were found"
    print(f"numbers: {len(names)} of libcurl and libpq are those of their headers, {len(LAYOUTS)} layouts too")


main()

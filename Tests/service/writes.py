"""Who may write favorites, who may read them, and how a session is opened.

    python3 Tests/service/writes.py .build/release/geoq [short|long]

The table of writes: listeners (loopback with its random token and with a token file, 0.0.0.0, --behind-proxy,
loopback after a real nginx with a bare `proxy_pass`) x credentials x proxy headers x Origin x Sec-Fetch-Site x
method: 8 400 requests in the long form; the same for the form of the lunch page, `POST /app/favorites`; in the short
form every PUT and DELETE without forged proxy headers on the
listeners without a token file, and a seeded part of the others. `expected` states the rule. After each request the
favorites are read with the token, and at the end by the tool: what must not write has not written. Then sessions,
tokens on a terminal and in the log, the reading of favorites and metrics, CORS, bodies, and the permissions of token
files. SEED= chooses the sample. Prints a line per group; exits with 1 on a problem.
"""

import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

from harness import ROOT, TOKEN, Client, Nginx, Service, arguments, ask, check_all, documented_location, end, geoq

SEED = int(os.environ.get("SEED", "20150821"))
WRONG = "b-token-of-the-tests-0123456789abcdef"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

LISTENERS = {"loopback": [], "loopback with a token file": [], "0.0.0.0": ["--host", "0.0.0.0"],
             "--behind-proxy": ["--behind-proxy"], "nginx": []}
# started as most people start it: on a terminal, with the token that it makes
WITHOUT_TOKEN_FILE = {"loopback", "nginx"}
CREDENTIALS = ["none", "wrong Bearer", "right Bearer", "right cookie", "wrong cookie", "cookie of another port"]
PROXY_HEADERS = ["none", "forged"]
ORIGINS = ["none", "own", "foreign", "null"]
SITES = ["none", "same-origin", "same-site", "cross-site", "'none'"]
METHODS = ["PUT", "DELETE", "POST", "GET", "HEAD", "OPTIONS", "PATCH"]
FORGED = {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}


def expected(listener, credential, proxy, origin, site, method):
    """The rule: the status of a request for a restaurant that exists, is not a favorite for PUT and is one for DELETE."""
    if listener == "--behind-proxy" and proxy == "forged":
        return 421  # X-Forwarded-Host is checked as Host is
    if method == "OPTIONS":
        return 204
    if method not in ("PUT", "DELETE"):
        return 405
    if credential == "right cookie":
        # after a bare proxy_pass the service sees another Host than the page's origin has
        is_own_origin = origin == "own" and listener != "nginx"
        if not (site == "same-origin" or (site == "none" and is_own_origin)):
            return 403
    elif credential != "right Bearer":
        return 401
    return 201 if method == "PUT" else 204


def is_sampled(rng, case):
    listener, _, proxy, _, _, method = case
    if proxy == "none" and method in ("PUT", "DELETE"):
        return listener in WITHOUT_TOKEN_FILE or rng.random() < 0.3
    return rng.random() < 0.06


class Data:
    """A database of fifteen restaurants, two of whose ids the table uses."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.database = folder / "lunch.db"
        geoq(binary, "import", "-q", "--db", self.database, ROOT / "Data" / "restaurants.json")
        self.ids = geoq(binary, "list", "-q", "--db", self.database, "-f", "ids").split()
        self.put, self.delete = self.ids[:2]

    def serve(self, *options, token=TOKEN, terminal=False):
        return Service(self.binary, self.database, *options, token=token, terminal=terminal)

    def favorites(self):
        return set(geoq(self.binary, "favorite", "list", "-q", "--db", self.database, "-f", "ids").split())

    def set_favorites(self, *ids):
        for gone in self.favorites() - set(ids):
            geoq(self.binary, "favorite", "remove", "-q", "--db", self.database, gone)
        for new in set(ids) - self.favorites():
            geoq(self.binary, "favorite", "add", "-q", "--db", self.database, new)


def cookie_of(answer, port):
    """The session's cookie as a client sends it back; its attributes are checked."""
    value = answer.field("set-cookie")
    assert value, f"no Set-Cookie in {answer.status} {answer.fields}"
    pair, *attributes = [part.strip() for part in value.split(";")]
    assert pair.startswith(f"geoq-{port}=") and len(pair) > len(f"geoq-{port}=") + 15, value
    assert sorted(a.lower() for a in attributes) == ["httponly", "max-age=2592000", "path=/", "samesite=strict"], value
    assert TOKEN not in pair, "the cookie is not the token"
    return pair


def is_session(cookie, port):
    return ask(port, "GET", "/favorites", {"Cookie": cookie}).status == 200


def session(service):
    return cookie_of(ask(service.port, "GET", f"/?token={service.token}"), service.port)


# -- the table of writes --------------------------------------------------------------------------


class Table:
    """Sends the table's requests to one listener and looks after each whether the favorites are as they must be."""

    def __init__(self, data, listener, service, port):
        self.data, self.listener, self.port = data, listener, port
        self.client, self.owner = Client(port), Client(service.port)
        self.bearer = service.bearer
        try:
            cookie = session(service)
        except AssertionError:
            cookie = f"geoq-{service.port}=there-is-no-session"  # has a check of its own
        name, _, value = cookie.partition("=")
        self.credentials = {
            "none": {},
            "wrong Bearer": {"Authorization": f"Bearer {WRONG}"},
            "right Bearer": service.bearer,
            "right cookie": {"Cookie": cookie},
            "wrong cookie": {"Cookie": f"{name}={value[:-1]}{'a' if value[-1] != 'a' else 'b'}"},
            "cookie of another port": {"Cookie": f"geoq-{service.port - 1}={value}"},
        }
        self.origins = {"none": {}, "own": {"Origin": f"http://127.0.0.1:{port}"},
                        "foreign": {"Origin": "https://evil.example"}, "null": {"Origin": "null"}}
        self.sites = {"none": {}, "'none'": {"Sec-Fetch-Site": "none"}}
        self.problems, self.requests, self.strangers, self.writes, self.stranger_writes = [], 0, 0, 0, 0

    def run(self, cases):
        self.restore()
        for case in cases:
            self.ask(case)
        assert self.data.favorites() == {self.data.delete}, "the tool finds other favorites at the end"

    def ask(self, case):
        _, credential, proxy, origin, site, method = case
        headers = {**self.credentials[credential], **(FORGED if proxy == "forged" else {}), **self.origins[origin],
                   **self.sites.get(site, {"Sec-Fetch-Site": site})}
        answer = self.send(method, headers)
        status, wanted = answer.status, self.wanted(case)
        self.requests += 1
        is_stranger = not credential.startswith("right")
        self.strangers += is_stranger and method in ("PUT", "DELETE")
        after = self.favorites()
        before, put = {self.data.delete}, {self.data.put}
        right = (before | put if method == "PUT" else set()) if wanted in (201, 204, 303) and method in ("PUT", "DELETE") \
            else before
        self.writes += right != before
        self.stranger_writes += is_stranger and after != before
        if status != wanted:
            self.problems.append(f"{case}: {status}, not {wanted}")
        if after != right:
            self.problems.append(f"{case}: favorites {sorted(after)}, not {sorted(right)}")
        if status == 401 and not (answer.field("www-authenticate") or "").startswith("Bearer"):
            self.problems.append(f"{case}: 401 without WWW-Authenticate: Bearer")
        if status == 405 and "PUT" not in (answer.field("allow") or ""):
            self.problems.append(f"{case}: 405 without Allow")
        if [f for f, _ in answer.fields if f.startswith("access-control-")]:
            self.problems.append(f"{case}: CORS fields")
        if after != before:
            self.restore()

    def send(self, method, headers):
        target = f"/favorites/{self.data.put if method == 'PUT' else self.data.delete}"
        return self.client.ask(method, target, headers)

    def wanted(self, case):
        return expected(*case)

    def favorites(self):
        answer = self.owner.ask("GET", "/favorites", self.bearer)
        assert answer.status == 200, (answer.status, answer.body)
        return {feature["id"] for feature in answer.json()["features"]}

    def restore(self):
        self.owner.ask("DELETE", f"/favorites/{self.data.put}", self.bearer)
        self.owner.ask("PUT", f"/favorites/{self.data.delete}", self.bearer)
        assert self.favorites() == {self.data.delete}, "the owner cannot write"


class Forms(Table):
    """The same by the form of the lunch page, which goes back to a page; never to one of another origin."""

    def send(self, method, headers):
        id_, change = (self.data.put, "add") if method == "PUT" else (self.data.delete, "remove")
        back = ["/app/?q=a", "https://evil.example/app/", "//evil.example/", "/app/\\evil.example"][self.requests % 4]
        body = urllib.parse.urlencode({"id": id_, "change": change, "back": back}).encode()
        answer = self.client.ask("POST", "/app/favorites", {**headers, **FORM}, body)
        if answer.status == 303 and not re.match(r"https?://[\w.:]+/app/[^\\]*$", answer.field("location")):
            self.problems.append(f"the form leads to {answer.field('location')}")
        if "evil" in (answer.field("location") or ""):
            self.problems.append(f"the form leads to {answer.field('location')}")
        return answer

    def wanted(self, case):
        status = expected(*case)
        return 303 if status in (201, 204) else status


def table(data, listener, is_long, kind=Table, methods=METHODS):
    def check():
        rng = random.Random(f"{SEED} {listener}")
        cases = list(itertools.product([listener], CREDENTIALS, PROXY_HEADERS, ORIGINS, SITES, methods))
        if not is_long:
            cases = [case for case in cases if is_sampled(rng, case)]
        rng.shuffle(cases)
        token = None if listener in WITHOUT_TOKEN_FILE else TOKEN
        with data.serve("-q", *LISTENERS[listener], token=token, terminal=token is None) as service:
            if listener == "nginx":
                with Nginx(data.folder, service.port) as nginx:
                    found = kind(data, listener, service, nginx.port)
                    found.run(cases)
            else:
                found = kind(data, listener, service, service.port)
                found.run(cases)
        assert not found.problems, f"{found.stranger_writes} writes by strangers, " \
            f"{len(found.problems)} problems in {found.requests} requests: " + "; ".join(found.problems[:4])
        assert found.strangers > 40 and found.writes > 10, "the table has too few cases"
        return f"{found.requests} requests, {found.strangers} writes by strangers refused, {found.writes} writes"
    return check


# -- sessions and tokens --------------------------------------------------------------------------


def sessions(data):
    with data.serve("-q") as service, data.serve("-q", token=WRONG) as other:
        port, foreign = service.port, session(other)
        opened = ask(port, "GET", f"/?token={TOKEN}")
        cookie = cookie_of(opened, port)
        assert opened.status == 303 and opened.field("location") == service.url + "/", (opened.status, opened.fields)
        assert opened.field("cache-control") == "no-store", opened.fields
        assert TOKEN.encode() not in opened.body
        landing = ask(port, "GET", "/")
        assert landing.status == 200 and not landing.all("set-cookie"), "a visit without a token is not a session"
        page_cookie = cookie_of(ask(port, "GET", f"/app/?token={TOKEN}"), port)
        assert is_session(page_cookie, port), "the lunch page opens a session"
        for target, statuses in [(f"/?token={WRONG}", {401}), (f"/app/?token={WRONG}", {401}),
                                 (f"/?token={TOKEN}x", {401}), ("/?token=", {400, 401}),
                                 (f"/?token={TOKEN[:-1]}", {401}), (f"/?token={TOKEN}&token={TOKEN}", {400}),
                                 (f"/?token={TOKEN}&token={WRONG}", {400}), (f"/collections?token={TOKEN}", {400})]:
            answer = ask(port, "GET", target)
            assert answer.status in statuses and not answer.all("set-cookie"), (target, answer.status)

        typed = ask(port, "POST", "/session", JSON, json.dumps({"token": TOKEN}).encode())
        assert typed.status == 204 and is_session(cookie_of(typed, port), port), (typed.status, typed.fields)
        for body, statuses in [({"token": WRONG}, {401}), ({"token": ""}, {400, 401}), ({}, {400}), ({"token": 1}, {400}),
                               ({"token": TOKEN, "x": 1}, {400}), ([TOKEN], {400})]:
            answer = ask(port, "POST", "/session", JSON, json.dumps(body).encode())
            assert answer.status in statuses and not answer.all("set-cookie"), (body, answer.status)
        form = ask(port, "POST", "/session", {"Content-Type": "text/plain"}, json.dumps({"token": TOKEN}).encode())
        assert form.status == 415 and not form.all("set-cookie"), "pages of other origins can send text/plain"

        one = f"/favorites/{data.put}"
        page = {"Sec-Fetch-Site": "same-origin"}
        assert ask(port, "PUT", one, {"Cookie": foreign.replace(str(other.port), str(port)), **page}).status == 401, \
            "a cookie of another process"
        assert ask(port, "PUT", one, {"Cookie": cookie, **page}).status == 201
        others = f"a=b; geoq-1=x; {cookie}; c=d"
        assert ask(port, "DELETE", one, {"Cookie": others, "Origin": service.url}).status == 204
        assert data.put not in data.favorites()
    return "address, typed token, 13 wrong ones, cookies of others"


def session_form(data):
    """The form of the lunch page that takes the token."""
    with data.serve("-q") as service:
        port = service.port

        def post(body, fields=FORM):
            return ask(port, "POST", "/app/session", fields, body.encode())

        opened = post(f"token={TOKEN}")
        assert opened.status == 303 and opened.field("location") == f"{service.url}/app/favorites", opened.fields
        cookie = cookie_of(opened, port)
        assert is_session(cookie, port), "a session"
        time, _, _ = cookie.partition("=")[2].partition("-")
        assert not is_session(cookie.replace(time, str(int(time) + 1)), port), "a cookie with another time"
        assert opened.field("cache-control") == "no-store" and TOKEN.encode() not in opened.body, opened.fields
        wrong = [(f"token={WRONG}", 401), (f"token={TOKEN}x", 401), (f"token={TOKEN[:-1]}", 401), ("token=", 401), ("", 400),
                 (f"token={TOKEN}&token={TOKEN}", 400), (f"token={TOKEN}&x=1", 400), (f"x={TOKEN}", 400), ("token=%zz", 400),
                 (TOKEN, 400), (f"token={TOKEN}&" + "x" * 1024, 413)]
        for body, status in wrong:
            answer = post(body)
            assert answer.status == status and not answer.all("set-cookie"), (body[:60], answer.status)
        for kind in ("application/json", "text/plain", "multipart/form-data; boundary=x", ""):
            answer = post(f"token={TOKEN}", {"Content-Type": kind})
            assert answer.status == 415 and not answer.all("set-cookie"), (kind, answer.status)
        for method in ("GET", "PUT", "DELETE"):
            assert ask(port, method, f"/app/session?token={TOKEN}").status in (401, 405), method
        for fields, status in [({}, 401), ({"Cookie": cookie}, 403), ({"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, 403),
                               ({"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}, 303)]:
            ended = ask(port, "POST", "/app/session/end", {**FORM, **fields})
            cleared = f"geoq-{port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
            assert (ended.status, ended.all("set-cookie")) == (status, [cleared] if status == 303 else []), ended.fields
    return f"a session, {len(wrong)} wrong forms, 4 other types"


def favorite_forms(data):
    """Forms that are none change nothing."""
    data.set_favorites()
    with data.serve("-q") as service:
        fields = {"Cookie": session(service), "Sec-Fetch-Site": "same-origin", **FORM}
        fine = {"id": data.put, "change": "add", "back": "/app/"}

        def post(form, **other):
            return ask(service.port, "POST", "/app/favorites", {**fields, **other}, form.encode()).status

        def text(**changes):
            return urllib.parse.urlencode({name: value for name, value in {**fine, **changes}.items() if value is not None})

        broken = [text(change="drop"), text(id=None), text(back=None), text(change=None), text(x="1"), text() + "&id=b", "", "{}",
                  text(id="%zz"), text().replace("=", ":"), "\x00" * 10, "id=%ff&change=add&back=/app/"]
        for form in broken:
            assert post(form) == 400, form[:60]
        assert post(text(id="nobody")) == 404
        assert post(text(back="x" * 16_384)) == 413
        assert post(text(), **{"Content-Type": "application/json"}) == 415
        assert post(text(), **{"Content-Encoding": "gzip"}) == 415
        assert data.favorites() == set()
        assert post(text()) == 303 and data.favorites() == {data.put}
        assert post(text(change="remove")) == 303 and data.favorites() == set()
    return f"{len(broken) + 4} refused"


def statuses(data):
    data.set_favorites()
    with data.serve("-q") as service:
        found = [ask(service.port, method, f"/favorites/{name}", service.bearer).status for method, name in [
            ("PUT", data.put), ("PUT", data.put), ("DELETE", data.put), ("DELETE", data.put), ("PUT", "nobody")]]
        assert found == [201, 204, 204, 204, 404], f"PUT, PUT, DELETE, DELETE, PUT of an unknown id: {found}"
        stranger = ask(service.port, "PUT", "/favorites/nobody")
        assert stranger.status == 401, "a stranger does not learn which ids there are"
    return "201, 204, 204, 204, 404"


def bodies(data):
    data.set_favorites()
    one = f"/favorites/{data.put}"
    with data.serve("-q") as service:
        def put(body, **fields):
            headers = {**service.bearer, **JSON, **{name.replace("_", "-"): value for name, value in fields.items()}}
            return ask(service.port, "PUT", one, headers, body).status

        assert put(b"{}" + b" " * 1023) == 413, "more than 1 KiB"
        assert data.favorites() == set()
        chunks = b"400\r\n{}" + b" " * 1022 + b"\r\n1\r\n \r\n0\r\n\r\n"
        assert put(chunks, Transfer_Encoding="chunked") == 413, "more than 1 KiB in chunks"
        assert data.favorites() == set()
        assert put(b"{\"id\": \"another\"}") == 400 and data.favorites() == set()
        assert put(b"{}" + b" " * 1022) == 201 and data.favorites() == {data.put}, "1 KiB"
    data.set_favorites()
    return "1 024 bytes taken, 1 025 refused"


def token_on_a_terminal(data):
    with data.serve(token=None, terminal=True) as service:
        port, token = service.port, service.token
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/app/\?token=[\w.~-]{{16,}}", service.first_line), \
            f"the first line is {service.first_line!r}"
        cookie, wrong = session(service), "wrong-" + token[::-1]
        one, page = f"/favorites/{data.put}", {"Sec-Fetch-Site": "same-origin"}
        found = [ask(port, "GET", f"/?token={wrong}").status, ask(port, "PUT", one).status,
                 ask(port, "PUT", one, {"Authorization": "Bearer "}).status,
                 ask(port, "PUT", one, {"Authorization": f"Bearer {wrong}"}).status,
                 ask(port, "PUT", one, {"Authorization": f"Bearer {token}"}).status,
                 ask(port, "DELETE", one, {"Cookie": cookie, **page}).status]
        assert found == [401, 401, 401, 401, 201, 204], found
        assert ask(port, "POST", "/session", JSON, json.dumps({"token": token}).encode()).status == 204
        assert service.end() == 0
    text = service.stderr()
    assert '"status":401' in text.replace(" ", ""), f"no log: {text[-300:]}"
    for secret in (token, wrong, cookie.split("=", 1)[1]):
        # not even a part that shortens guessing
        assert secret[: len(secret) // 2] not in text, "a secret is in the log"
    with data.serve("-q", token=None, terminal=True) as other:
        assert other.token != token, "two runs have the same token"
    return "shown once, works, in no log"


def no_token_elsewhere(data):
    """Piped, and with a token file on a terminal, the first line is the address alone."""
    with data.serve(token=None) as service:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", service.first_line), service.first_line
        for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer "}, {"Authorization": "Bearer null"},
                        {"Cookie": f"geoq-{service.port}="}, {"Origin": service.url, "Sec-Fetch-Site": "same-origin"}):
            assert ask(service.port, "PUT", f"/favorites/{data.put}", headers).status == 401, headers
        assert data.favorites() == set()
        with Nginx(data.folder, service.port) as nginx:
            assert ask(nginx.port, "PUT", f"/favorites/{data.put}", {"Origin": nginx.url}).status == 401
    with data.serve(terminal=True) as service:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", service.first_line), service.first_line
    with data.serve() as service:
        session(service)
        ask(service.port, "PUT", f"/favorites/{data.put}", service.bearer)
        ask(service.port, "DELETE", f"/favorites/{data.put}", service.bearer)
    assert TOKEN[:12] not in service.stderr() and '"route"' in service.stderr(), "the token is in the log"
    return "in a pipe, with --token-file"


# -- reading --------------------------------------------------------------------------------------


def reading(data):
    """Favorites and metrics are free only on loopback without a token file and without --behind-proxy."""
    asked = 0
    for options, token, is_free in [([], None, True), ([], TOKEN, False), (["--host", "0.0.0.0"], None, False),
                                    (["--host", "0.0.0.0"], TOKEN, False), (["--behind-proxy"], None, False),
                                    (["--behind-proxy"], TOKEN, False)]:
        with data.serve(*options, token=token) as service:
            cookie = session(service) if token else f"geoq-{service.port}=x"
            name, _, value = cookie.partition("=")
            credentials = [({}, False), ({"Authorization": f"Bearer {WRONG}"}, False),
                           ({"Cookie": f"{name}={value[::-1]}"}, False), ({"Cookie": f"other-{cookie}"}, False)]
            if token:
                credentials += [(service.bearer, True), ({"Cookie": cookie}, True),
                                ({"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, True)]
            for (headers, is_right), target, method in itertools.product(
                    credentials, ["/favorites", "/favorites?limit=1", "/metrics"], ["GET", "HEAD"]):
                status, wanted = ask(service.port, method, target, headers).status, 200 if is_free or is_right else 401
                assert status == wanted, (options, bool(token), method, target, headers, status, wanted)
                asked += 1
            for target in ("/", "/healthz", "/readyz", "/nearest?lat=1&lon=2", "/api"):
                assert ask(service.port, "GET", target).status == 200, f"{target} is for everyone"
            warned = [line for line in service.stderr().splitlines() if not line.startswith("{")]
            if options != ["--behind-proxy"]:  # which may warn as well
                warns = any("read" in line for line in warned)
                assert warns == ("0.0.0.0" in options), f"{options}: {warned}"
    return f"{asked} requests to 6 services; 0.0.0.0 warns"


def cors(data):
    page = {"Origin": "https://a.example"}

    def fields(answer):
        return {name: value for name, value in answer.fields if name.startswith("access-control-")}

    for allowed, token in itertools.product(["*", "https://a.example"], [None, TOKEN]):
        with data.serve("-q", "--cors", allowed, token=token) as service:
            port = service.port
            assert fields(ask(port, "GET", "/nearest?lat=1&lon=2", page))["access-control-allow-origin"] == allowed
            for headers in (page, {**page, **service.bearer}):
                for target in ("/favorites", "/favorites?limit=1", "/metrics", f"/favorites/{data.put}"):
                    for method in ("GET", "HEAD", "PUT", "DELETE"):
                        answer = ask(port, method, target, headers)
                        assert not fields(answer), (method, target, answer.fields)
            for target in ("/favorites", "/metrics", f"/favorites/{data.put}"):
                for method in ("GET", "PUT", "DELETE"):
                    answer = ask(port, "OPTIONS", target, {**page, "Access-Control-Request-Method": method,
                                                           "Access-Control-Request-Headers": "authorization"})
                    assert not fields(answer), (method, target, answer.fields)
            asking = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}
            preflight = fields(ask(port, "OPTIONS", "/nearest", {**page, **asking}))
            assert "if-none-match" in preflight["access-control-allow-headers"].lower(), preflight
            assert "PUT" not in preflight["access-control-allow-methods"], preflight
    data.set_favorites()
    return "favorites and metrics never; If-None-Match for the rest"


def behind_proxy(data):
    """Of X-Forwarded-Host, -Proto and -For the rightmost value counts, which the nearest proxy has written."""
    data.set_favorites()
    with data.serve("-q", "--behind-proxy", "--allow-host", "public.example") as service:
        port, one = service.port, f"/favorites/{data.put}"

        def link(**fields):
            answer = ask(port, "GET", "/", {f"X-Forwarded-{name}": value for name, value in fields.items()})
            return answer.status, answer.json()["links"][0]["href"].split("?")[0] if answer.status == 200 else None

        found = [link(Host="public.example"), link(Host="evil.example, public.example"),
                 link(Host="public.example", Proto="http, https"), link(Host="public.example, evil.example"),
                 link(Host="evil.example")]
        assert found == [(200, "http://public.example/"), (200, "http://public.example/"),
                         (200, "https://public.example/"), (421, None), (421, None)], found
        secure = ask(port, "GET", f"/?token={TOKEN}", {"X-Forwarded-Host": "public.example"})
        assert (secure.status, secure.field("location")) == (303, "http://public.example/"), secure.fields
        cookie = {"Cookie": cookie_of(secure, port)}
        page = {"X-Forwarded-Host": "public.example", **cookie}
        assert ask(port, "PUT", one, {**page, "Origin": "http://evil.example"}).status == 403
        assert ask(port, "PUT", one, {**page, "Origin": "http://public.example"}).status == 201, "the public page"
    # what a client sends itself does not pass the documented proxy
    with data.serve("-q", "--behind-proxy") as service, \
            Nginx(data.folder, service.port, documented_location()) as nginx:
        forged = {**FORGED, "X-Forwarded-Prefix": "/evil"}
        links = {link["href"].split("?")[0] for link in ask(nginx.port, "GET", "/", forged).json()["links"]}
        assert links and all(re.match(rf"http://127\.0\.0\.1:{nginx.port}/(?!evil)", link) for link in links), links
    data.set_favorites()
    return "hosts, schemes, a page of the public host, the documented nginx"


def token_files(data):
    for mode, is_fine in [(0o600, True), (0o400, True), (0o640, True), (0o666, False), (0o664, False), (0o604, False),
                          (0o644, False), (0o620, False), (0o602, False)]:
        path = data.folder / f"token-{mode:o}"
        path.write_text(TOKEN + "\n")
        path.chmod(mode)
        process = subprocess.Popen(
            [str(Path(data.binary).resolve()), "serve", "-q", "--db", str(data.database), "--port", "0",
             "--token-file", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        status = end(process)
        text = process.stderr.read()
        process.stdout.close(), process.stderr.close()
        if is_fine:
            assert line.startswith("http://") and status == 0, (oct(mode), line, text)
        else:
            assert not line and status in (64, 77), f"{oct(mode)}: {line.strip() or status}"
            assert len(text.splitlines()) == 1 and path.name in text and TOKEN not in text, (oct(mode), text)
    return "3 modes taken, 6 refused"


def main():
    binary, is_long = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        data = Data(binary, Path(folder))
        checks = [(f"writes, {listener}", table(data, listener, is_long)) for listener in LISTENERS]
        checks += [(f"forms, {listener}", table(data, listener, is_long, Forms, ["PUT", "DELETE"]))
                   for listener in ("loopback", "--behind-proxy", "nginx")]

        def alone(check):
            def run():
                data.set_favorites()
                return check(data)
            return check.__name__.replace("_", " "), run
        checks += map(alone, [sessions, session_form, favorite_forms, statuses, bodies, token_on_a_terminal, no_token_elsewhere, reading, cors,
                              behind_proxy, token_files])
        failed = check_all(checks)
    print(f"writes: {len(checks) - failed} of {len(checks)} right (seed {SEED})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

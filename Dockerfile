# geoq as an image: the .deb, installed. docs/install.md says how to run it; Scripts/install-test runs the steps of the
# second stage in a Debian 12 without Docker.
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends dpkg-dev git make python3 python3-venv
WORKDIR /geoq
COPY . .
RUN make deb

FROM debian:bookworm-slim
# the library for PostgreSQL makes the image work with a shared store too
RUN --mount=type=bind,from=build,source=/geoq/.build/package,target=/mnt apt-get update -qq && \
    apt-get install -y -qq --no-install-recommends systemd-standalone-sysusers ca-certificates libcurl4 libpq5 /mnt/geoq_*.deb && \
    rm -rf /var/lib/apt/lists/*
USER geoq
WORKDIR /var/lib/geoq
ENV GEOQ_DB=/var/lib/geoq/geoq.db GEOQ_HOST=0.0.0.0
VOLUME /var/lib/geoq
EXPOSE 8080
# the image has no curl; bash speaks to the port
HEALTHCHECK --interval=10s --timeout=5s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${GEOQ_PORT:-8080} && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.1 200' <&3"]
CMD ["geoq", "serve"]

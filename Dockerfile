# A static binary and nothing else. doc/serve.md, "As a service", says how to run it.
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /pplx
COPY . .
RUN cargo build --locked --release && mkdir -p /home/pplx

FROM scratch
COPY --from=build /pplx/target/release/pplx /pplx
COPY --from=build --chown=65532:65532 /home/pplx /home/pplx
USER 65532:65532
ENV HOME=/home/pplx
VOLUME /home/pplx
EXPOSE 8892
HEALTHCHECK --interval=60s --timeout=10s CMD ["/pplx", "serve", "--check"]
ENTRYPOINT ["/pplx"]
CMD ["serve", "--listen", "0.0.0.0:8892"]

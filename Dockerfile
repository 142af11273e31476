# Image of the signing service: node, the libraries it needs, and the service. No shell, npm,
# compiler or package manager. Runs as non-root; the root file system can be read-only.
#
# Build (Docker Engine 23 or newer, or a builder that supports COPY --chown between stages):
#   docker build --tag signing-service .
#
# Build a release: labels name version and commit, and files have the commit's time. Two builds of a
# commit then contain the same files (deploy/README.md):
#   docker build --tag signing-service \
#     --build-arg VERSION="$(node -p 'require("./package.json").version')" \
#     --build-arg REVISION="$(git rev-parse HEAD)" \
#     --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .
#
# Configure once (the two host folders must belong to the image's user, 10001):
#   mkdir -p signing/config signing/var && sudo chown -R 10001:10001 signing
#   docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges \
#     --ulimit memlock=67108864:67108864 \
#     --volume "$PWD/signing/config:/app/config" --volume "$PWD/signing/var:/app/var" \
#     signing-service signing-service init
#   Run `platform add` and `account add` in the same way. The first signing-service is the image,
#   the second the command in it.
#
# Run:
#   docker run --detach --name signing --read-only --cap-drop ALL --security-opt no-new-privileges \
#     --ulimit memlock=67108864:67108864 --ulimit core=0:0 --memory 512m --memory-swap 512m \
#     --volume "$PWD/signing/config:/app/config:ro" --volume "$PWD/signing/var:/app/var" \
#     --publish 127.0.0.1:8080:8080 signing-service
#
# Check machine, process and configuration:
#   docker exec signing signing-service doctor
#
# memlock: keys are kept in locked memory. Without it the service does not start.
# core=0: no core dumps, which would contain keys. node is not dumpable (see below); the limit also
#   applies where the host dumps such processes for root (fs.suid_dumpable=2).
# memory-swap equal to memory: no swap.
# /app/config: credentials file, master key, audit key and its public half for auditors
#   (audit.key.pub). /app/var: audit file. The service writes nothing else.

# Exact version for reproducible builds. To pin a digest: --build-arg NODE_IMAGE=node@sha256:...
ARG NODE_IMAGE=node:24.21.0-bookworm

FROM ${NODE_IMAGE} AS build
WORKDIR /build

# Install scripts are disabled. Only secp256k1-native is compiled, where it has no prebuilt binary
# (linux-arm64), with the compiler and Node headers of this image. Above -O1, GCC generates branches
# that depend on the key (docs/decisions/0002-secp256k1-binding.md).
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
RUN if [ ! -d "node_modules/secp256k1-native/prebuilds/linux-$(node -p process.arch)" ]; then \
      CFLAGS=-O1 npm_config_nodedir=/usr/local npm rebuild secp256k1-native; \
    fi

COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/bundles.mjs ./scripts/
COPY src ./src
COPY config/venues ./config/venues
COPY docs/openapi.html docs/openapi.json ./docs/
RUN node scripts/build.mjs && rm dist/build.*
RUN npm prune --omit=dev --ignore-scripts

# Libraries of AWS KMS, Google Cloud KMS and PKCS #11 (docs/operators/key-helpers.md):
#   docker build --build-arg KEY_HELPERS=true
# npm ends successfully even if the last one cannot be compiled; `node -e` then fails the build.
ARG KEY_HELPERS=false
RUN if [ "$KEY_HELPERS" = true ]; then \
      npm_config_nodedir=/usr/local npm ci --omit=dev --prefix dist/key-helpers \
      && rm -rf dist/key-helpers/node_modules/pkcs11js/build/Release/obj.target \
      && node -e "require('./dist/key-helpers/node_modules/pkcs11js')"; \
    fi

# Removes native code for other platforms. The last line fails the build if a native module cannot
# be loaded.
RUN find node_modules -path '*/prebuilds/*' -prune -type d ! -name "linux-$(node -p process.arch)" -exec rm -rf {} + \
    && rm -rf node_modules/secp256k1-native/build/Release/obj.target node_modules/secp256k1-native/build/Release/.deps \
    && node -e "require('fs-native-extensions'); require('secp256k1-native'); require('sodium-native')"

# /image becomes the root of the image. The service's user can execute node but not read it, so the
# kernel makes the process non-dumpable (PR_SET_DUMPABLE in prctl(2)): its memory, environment and
# descriptors in /proc belong to root, debuggers of the same user cannot attach, and a crash leaves
# no core. This requires that the user has no capability to read all files: use --cap-drop ALL.
# The shebang of the command signing-service needs env.
RUN install -D --mode=0711 /usr/local/bin/node /image/usr/local/bin/node \
    && install -D --mode=0755 /usr/bin/env /image/usr/bin/env

# Copies the shared libraries of node, env and the native modules, and the loader. The build fails
# if ldd fails.
RUN find node_modules dist -name '*.node' > /tmp/modules \
    && xargs ldd /usr/local/bin/node /usr/bin/env < /tmp/modules > /tmp/libraries \
    && ! grep 'not found' /tmp/libraries \
    && grep -o '/[^ ]*\.so[^ ]*' /tmp/libraries | sort -u | xargs cp --dereference --parents --target-directory=/image

# Metadata for scanners: Debian release, and the packages of the copied files with their licenses.
RUN mkdir -p /image/etc /image/var/lib/dpkg/status.d \
    && cp --dereference /etc/os-release /image/etc/os-release \
    && for package in libc6 libgcc-s1 libstdc++6 coreutils; do \
         dpkg-query --status "$package" > "/image/var/lib/dpkg/status.d/$package" \
         && install -D --mode=0644 "/usr/share/doc/$package/copyright" "/image/usr/share/doc/$package/copyright" || exit 1; \
       done

RUN printf 'root:x:0:0:root:/nonexistent:/nonexistent\nsigning:x:10001:10001:signing:/nonexistent:/nonexistent\n' > /image/etc/passwd \
    && printf 'root:x:0:\nsigning:x:10001:\nsigning-audit:x:10002:\n' > /image/etc/group \
    && printf 'hosts: files dns\n' > /image/etc/nsswitch.conf

# The code belongs to root, so the service's user cannot change it. The command's shebang sets
# node's hardening options.
RUN mkdir /image/app \
    && cp --recursive package.json node_modules dist /image/app \
    && chmod -R u=rwX,go=rX /image/app \
    && chmod 0755 /image/app/dist/cli.js \
    && ln -s /app/dist/cli.js /image/usr/local/bin/signing-service

# config holds keys: only the service's user has access. var holds audit records: the auditors'
# group (10002) can list it, and new files belong to that group.
RUN install --directory --mode=0700 /owned/config && install --directory --mode=2750 /recorded/var

# File times: the commit's if SOURCE_DATE_EPOCH is set, else those of this build.
ARG SOURCE_DATE_EPOCH
RUN if [ -n "$SOURCE_DATE_EPOCH" ]; then find /image /owned /recorded -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; fi

FROM scratch

COPY --from=build --chown=0:0 /image/ /
COPY --from=build --chown=10001:10001 /owned/ /app/
COPY --from=build --chown=10001:10002 /recorded/ /app/

ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="signing-service" \
      org.opencontainers.image.description="An internal HTTP service that holds account credentials for many platforms and returns signatures; keys never leave it" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Loopback is unreachable from outside the container. `docker run --publish` sets what is exposed.
ENV PATH=/usr/local/bin:/usr/bin \
    NODE_ENV=production \
    SIGNING_HOST=0.0.0.0

WORKDIR /app
USER 10001:10001
VOLUME ["/app/config", "/app/var"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# Hardening: no code from strings, no prototype access through __proto__, no debugger on SIGUSR1,
# even while node starts. In production the service refuses to start with options such as
# NODE_OPTIONS or --inspect.
# --v8-pool-size=2: the default of four garbage collection threads would compete with the signing
# thread.
# Semi-spaces of up to 32 MB: objects of requests that wait for their audit record die before a
# collection; in smaller ones they would be copied. Without a minimum they grow under load, and
# shrink when the service is idle.
# --no-allocation-site-pretenuring: from what survives a start, V8 may conclude that objects of the
# signing path live long, and allocate them in the old generation. After their request they then
# keep young objects alive until the next full collection: more memory, slower collections.
HEALTHCHECK --interval=10s --timeout=5s --start-period=75s --retries=3 \
  CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "dist/healthcheck.js"]
CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "--v8-pool-size=2", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "dist/main.js"]

# The signing service as an image of its own: node, the libraries that it loads, and the service. No shell, no npm, no compiler, no package manager, no root, and a root
# file system that may be read-only.
#
# Build (Docker Engine 23 or newer, or another builder that knows COPY --chown between stages):
#   docker build --tag signing-service .
#
# Build a release, so that it says what it was made from, and two builds of one commit have the same files with the same times (deploy/README.md has more):
#   docker build --tag signing-service --build-arg VERSION="$(node -p 'require("./package.json").version')" --build-arg REVISION="$(git rev-parse HEAD)" \
#     --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .
#
# Configure, once (the two folders on the host belong to user 10001, the image's):
#   mkdir -p signing/config signing/var && sudo chown -R 10001:10001 signing
#   docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges --ulimit memlock=67108864:67108864 \
#     --volume "$PWD/signing/config:/app/config" --volume "$PWD/signing/var:/app/var" \
#     signing-service signing-service init
#   (then `platform add` and `account add` in the same way; the first signing-service is the image, the second the command in it)
#
# Run:
#   docker run --detach --name signing --read-only --cap-drop ALL --security-opt no-new-privileges \
#     --ulimit memlock=67108864:67108864 --ulimit core=0:0 --memory 512m --memory-swap 512m \
#     --volume "$PWD/signing/config:/app/config:ro" --volume "$PWD/signing/var:/app/var" \
#     --publish 127.0.0.1:8080:8080 signing-service
#
# Look it over, with what to do about what it finds:
#   docker exec signing signing-service doctor
#
# memlock: keys live in memory that is locked into RAM, and the service does not start when it can't lock it.
# core: a core dump would hold the process's memory. The image's node makes none anyway (see below); the limit holds also where the host
# dumps such processes for root (fs.suid_dumpable=2). memory-swap equal to memory: no swap.
# /app/config holds the credentials file, the master key and the audit key with its public half (audit.key.pub, for the auditors), /app/var the audit file;
# nothing else is written.

# An exact version, so that the same Dockerfile means the same image. A digest is exacter: --build-arg NODE_IMAGE=node@sha256:...
ARG NODE_IMAGE=node:24.21.0-bookworm

FROM ${NODE_IMAGE} AS build
WORKDIR /build

# No dependency's install script runs. secp256k1-native alone has native code to build where it brings none (linux-arm64), with the
# compiler and Node's headers that this image carries. With more optimization than -O1, GCC makes jumps that depend on the key (docs/decisions/0002-secp256k1-binding.md).
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
RUN if [ ! -d "node_modules/secp256k1-native/prebuilds/linux-$(node -p process.arch)" ]; then \
      CFLAGS=-O1 npm_config_nodedir=/usr/local npm rebuild secp256k1-native; \
    fi

COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts

# Native code of other systems is nothing that this image could run. The last line fails the build when a native module can't be loaded.
RUN find node_modules -path '*/prebuilds/*' -prune -type d ! -name "linux-$(node -p process.arch)" -exec rm -rf {} + \
    && rm -rf node_modules/secp256k1-native/build/Release/obj.target node_modules/secp256k1-native/build/Release/.deps \
    && node -e "require('fs-native-extensions'); require('secp256k1-native'); require('sodium-native')"

# From here on /image becomes the root of the image. The service's user can run node, but not read it. The kernel then makes the process "not dumpable" (prctl(2),
# PR_SET_DUMPABLE): its memory, environment and descriptors in /proc belong to root, no debugger of the same user attaches, and a crash leaves no core. It holds only
# when whoever executes node has no capability to read all files, which --cap-drop ALL sees to. env is what the first line of the command signing-service asks for.
RUN install -D --mode=0711 /usr/local/bin/node /image/usr/local/bin/node \
    && install -D --mode=0755 /usr/bin/env /image/usr/bin/env

# The libraries that they name, and those that the native modules name, with the loader. ldd's own failure fails the build.
RUN find node_modules -name '*.node' > /tmp/modules \
    && xargs ldd /usr/local/bin/node /usr/bin/env < /tmp/modules > /tmp/libraries \
    && ! grep 'not found' /tmp/libraries \
    && grep -o '/[^ ]*\.so[^ ]*' /tmp/libraries | sort -u | xargs cp --dereference --parents --target-directory=/image

# What scanners look for: which Debian, and which of its packages the files are of; with their licenses.
RUN mkdir -p /image/etc /image/var/lib/dpkg/status.d \
    && cp --dereference /etc/os-release /image/etc/os-release \
    && for package in libc6 libgcc-s1 libstdc++6 coreutils; do \
         dpkg-query --status "$package" > "/image/var/lib/dpkg/status.d/$package" \
         && install -D --mode=0644 "/usr/share/doc/$package/copyright" "/image/usr/share/doc/$package/copyright" || exit 1; \
       done

RUN printf 'root:x:0:0:root:/nonexistent:/nonexistent\nsigning:x:10001:10001:signing:/nonexistent:/nonexistent\n' > /image/etc/passwd \
    && printf 'root:x:0:\nsigning:x:10001:\nsigning-audit:x:10002:\n' > /image/etc/group \
    && printf 'hosts: files dns\n' > /image/etc/nsswitch.conf

# The service's own code belongs to root: the user that runs it can't change it. The command's first line holds the options of node that CMD has below.
RUN mkdir /image/app \
    && cp --recursive package.json node_modules dist /image/app \
    && chmod -R u=rwX,go=rX /image/app \
    && chmod 0755 /image/app/dist/cli.js \
    && ln -s /app/dist/cli.js /image/usr/local/bin/signing-service

# Keys go to the one, and are nobody else's business. Records go to the other, which the group of the auditors (10002) may look into: what is made there belongs to that group.
RUN install --directory --mode=0700 /owned/config && install --directory --mode=2750 /recorded/var

# With the time of a commit, files have the same times in every build of it. Without, they have those of this build.
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

# Inside a container, loopback is out of everybody's reach; what is published is decided by `docker run --publish`.
ENV PATH=/usr/local/bin:/usr/bin \
    NODE_ENV=production \
    SIGNING_HOST=0.0.0.0

WORKDIR /app
USER 10001:10001
VOLUME ["/app/config", "/app/var"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# No text becomes code, no data reaches a prototype through __proto__, and SIGUSR1 opens no debugger, not even while node itself starts. In production
# the service refuses to start with NODE_OPTIONS, --inspect and their like. Two threads help V8 with garbage collection; four, the default, would take the core that signs. What
# waits for its audit record dies before 32 MB of new objects are looked through; with fewer it is copied about.
HEALTHCHECK --interval=10s --timeout=5s --start-period=75s --retries=3 \
  CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "dist/healthcheck.js"]
CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "--v8-pool-size=2", "--min-semi-space-size=32", "--max-semi-space-size=32", "dist/main.js"]

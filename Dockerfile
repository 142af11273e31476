# The signing service as an image: Debian slim, Node 24, no root, no shell needed, a root file system that may be read-only.
#
# Build:
#   docker build --tag signing-service .
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

FROM node:24-bookworm AS build
WORKDIR /build

# No dependency's install script runs. secp256k1-native alone has native code to build where it brings none (linux-arm64), with the
# compiler and Node's headers that this image carries; the next line fails the build when a native module can't be loaded.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
RUN if [ ! -d "node_modules/secp256k1-native/prebuilds/linux-$(node -p process.arch)" ]; then \
      npm_config_nodedir=/usr/local npm rebuild secp256k1-native; \
    fi
RUN node -e "require('fs-native-extensions'); require('secp256k1-native'); require('sodium-native')"

COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim

RUN groupadd --gid 10001 signing \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin signing \
    && install --directory --owner=signing --group=signing --mode=0700 /app/config /app/var

# The service's user can run node, but not read it. The kernel then makes the process "not dumpable" (prctl(2), PR_SET_DUMPABLE): its memory,
# environment and descriptors in /proc belong to root, no debugger of the same user attaches, and a crash leaves no core. It holds only when whoever
# executes node has no capability to read all files, which --cap-drop ALL sees to. What else comes with node (npm, npx, corepack) are scripts that
# it runs, and links to them; they stay as they are.
RUN chown root:root /usr/local/bin/node && chmod 0711 /usr/local/bin/node

# The service's own code belongs to root: the user that runs it can't change it.
WORKDIR /app
COPY package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# The command's first line holds the options of node that CMD has below.
RUN chmod 0755 dist/cli.js && ln -s /app/dist/cli.js /usr/local/bin/signing-service

# Inside a container, loopback is out of everybody's reach; what is published is decided by `docker run --publish`.
ENV NODE_ENV=production \
    SIGNING_HOST=0.0.0.0

USER 10001:10001
VOLUME ["/app/config", "/app/var"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# No text becomes code, no data reaches a prototype through __proto__, and SIGUSR1 opens no debugger, not even while node itself starts. In production
# the service refuses to start with NODE_OPTIONS, --inspect and their like. Two threads help V8 with garbage collection; four, the default, would take the core that signs.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "dist/healthcheck.js"]
CMD ["node", "--disable-proto=delete", "--disallow-code-generation-from-strings", "--disable-sigusr1", "--v8-pool-size=2", "dist/main.js"]

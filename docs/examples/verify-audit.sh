#!/bin/sh
# Verifies audit files: sh verify-audit.sh audit.key.pub FILE… (the oldest file first)
set -eu
export LC_ALL=C
key=$1 seq='' prev='' signed=''
shift
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
fail() { echo "record $n $1" >&2; exit 1; }
cat "$@" >"$folder/lines"
while IFS= read -r line || [ -n "$line" ]; do
  n=$(printf %s "$line" | sed -E 's/^\{"v":2,"seq":([0-9]+),.*/\1/')
  before=$(printf %s "$line" | sed -E 's/.*"prevHash":"?([^",}]*)"?(,"sig":"[^"]*")?\}$/\1/')
  [ "$n" = 1 ] && [ "$before" != null ] && fail 'has a hash before it'
  [ -z "$seq" ] || { [ "$n" = $((seq + 1)) ] && [ "$before" = "$prev" ]; } || fail 'does not follow the line before it'
  sig=$(printf %s "$line" | sed -nE 's/.*,"sig":"([^"]*)"\}$/\1/p')
  if [ -n "$sig" ]; then
    instance=$(printf %s "$line" | sed -E 's/.*"instanceId":"([^"]*)","prevHash":.*/\1/')
    hash=$(printf %s "${line%,\"sig\":*}" | sha256sum | cut -c 1-64)
    printf 'signing-service audit record v2\n%s\n%s\nsha256:%s\n' "$instance" "$n" "$hash" >"$folder/text"
    printf %s "$sig" | base64 -d >"$folder/sig"
    openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$folder/text" -sigfile "$folder/sig" >/dev/null 2>&1 ||
      fail 'is not signed with this key'
    signed=$n
  fi
  seq=$n prev=sha256:$(printf %s "$line" | sha256sum | cut -c 1-64)
done <"$folder/lines"
[ "$signed" = "$seq" ] || fail 'is the last, and not signed'

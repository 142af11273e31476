#!/bin/sh
# Verifies audit files: sh verify-audit.sh audit.key.pub FILE… (the oldest file first)
set -euf
export LC_ALL=C
fail() { echo "$1" >&2; exit 1; }
[ $# -ge 2 ] || fail "$(sed -n '2s/# //p' "$0")"
key=$1 seq='' prev='' signed=''
shift
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# A line as a record: its number, event, instance, hash of the line before, and signature.
fields='s/^\{"v":2,"seq":([1-9][0-9]{0,15}),"time":"[^"]+","event":"([^" ]+)",.*,"instanceId":"([^" ]+)",'
fields=$fields'"prevHash":(null|"sha256:[0-9a-f]{64}")(,"sig":"([A-Za-z0-9+\/]{85}[AQgw]==)")?\}$/\1 \2 \3 \4 \6/p'
for file; do
  number=0
  [ "$(tr -d '\000' <"$file" | wc -c)" = "$(wc -c <"$file")" ] || fail "$file has a NUL in it"
  [ -z "$(tail -c 1 "$file")" ] || fail "$file ends in the middle of a line"
  while IFS= read -r line; do
    number=$((number + 1))
    # shellcheck disable=SC2046 # the fields have no blanks, and -f expands no patterns
    set -- $(printf '%s\n' "$line" | sed -nE "$fields")
    [ $# -ge 4 ] || fail "$file, line $number, is no record"
    n=$1 event=$2 instance=$3 before=$4 sig=${5:-}
    { [ "$number" = 1 ] && [ "$event" = segment ]; } || { [ "$number" != 1 ] && [ "$event" != segment ]; } ||
      fail "record $n is not in its place: files begin with a segment record, and have no other"
    { [ "$n" = 1 ] && [ "$before" = null ]; } || { [ "$n" != 1 ] && [ "$before" != null ]; } ||
      fail "record $n does not follow the line before it"
    [ -z "$seq" ] || { [ "$n" = $((seq + 1)) ] && [ "$before" = "$prev" ]; } ||
      fail "record $n does not follow the line before it"
    if [ -n "$sig" ]; then
      hash=$(printf %s "${line%,\"sig\":*}" | sha256sum | cut -c 1-64)
      printf 'signing-service audit record v2\n%s\n%s\nsha256:%s\n' "$instance" "$n" "$hash" >"$folder/text"
      printf %s "$sig" | base64 -d >"$folder/sig"
      openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$folder/text" -sigfile "$folder/sig" >/dev/null 2>&1 ||
        fail "record $n is not signed with this key"
      signed=$n
    fi
    seq=$n prev='"'sha256:$(printf %s "$line" | sha256sum | cut -c 1-64)'"'
  done <"$file"
  [ "$number" -gt 0 ] || fail "$file has no records"
done
[ "$signed" = "$seq" ] || fail "record $seq is the last, and not signed"

"""Verifies audit files: python3 verify-audit.py audit.key.pub FILE… (the oldest file first)"""
import base64, hashlib, pathlib, re, subprocess, sys, tempfile

LINE = re.compile(
    rb'\{"v":2,"seq":([1-9][0-9]{0,15}),"time":"[^"]+","event":"([^"]+)",.*,"instanceId":"([^"]+)",'
    rb'"prevHash":(?:null|"(sha256:[0-9a-f]{64})")(,"sig":"([A-Za-z0-9+/]{85}[AQgw]==)")?\}\n'
)

def is_signed(text: bytes, sig: bytes, key: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        message, signature = pathlib.Path(folder, "text"), pathlib.Path(folder, "sig")
        message.write_bytes(text), signature.write_bytes(base64.b64decode(sig))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin"]
        command += ["-in", str(message), "-sigfile", str(signature)]
        return subprocess.run(command, capture_output=True).returncode == 0

if len(sys.argv) < 3:
    sys.exit(__doc__)
key, seq, prev, signed = sys.argv[1], None, None, None
for name in sys.argv[2:]:
    number = 0
    for number, line in enumerate(open(name, "rb"), 1):
        record = LINE.fullmatch(line)
        if record is None:
            sys.exit(f"{name}, line {number}, is no record")
        n, (event, instance, before, member, sig) = int(record[1]), record.groups()[1:]
        if (number == 1) != (event == b"segment"):
            sys.exit(f"record {n} is not in its place: files begin with a segment record, and have no other")
        if (n == 1) != (before is None) or (seq is not None and (n, before) != (seq + 1, prev)):
            sys.exit(f"record {n} does not follow the line before it")
        if sig:
            digest = hashlib.sha256(line[: record.start(5)]).hexdigest().encode()
            if not is_signed(b"signing-service audit record v2\n%b\n%d\nsha256:%b\n" % (instance, n, digest), sig, key):
                sys.exit(f"record {n} is not signed with this key")
            signed = n
        seq, prev = n, b"sha256:" + hashlib.sha256(line[:-1]).hexdigest().encode()
    if number == 0:
        sys.exit(f"{name} has no records")
sys.exit(None if signed == seq else f"record {seq} is the last, and not signed")

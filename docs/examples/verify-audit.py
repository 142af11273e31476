"""Verifies audit files: python3 verify-audit.py audit.key.pub FILE… (the oldest file first)"""
import base64, hashlib, json, pathlib, subprocess, sys, tempfile

def is_signed(text: bytes, sig: str, key: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        message, signature = pathlib.Path(folder, "text"), pathlib.Path(folder, "sig")
        message.write_bytes(text), signature.write_bytes(base64.b64decode(sig))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin"]
        command += ["-in", str(message), "-sigfile", str(signature)]
        return subprocess.run(command, capture_output=True).returncode == 0

key, seq, prev, signed = sys.argv[1], None, None, None
for name, number, line in ((name, *at) for name in sys.argv[2:] for at in enumerate(open(name, "rb"), 1)):
    try:
        line = line.rstrip(b"\n")
        record = json.loads(line)
        follows = record["seq"] == (record["seq"] if seq is None else seq + 1) and prev in (None, record["prevHash"])
        if not follows or (record["seq"] == 1) != (record["prevHash"] is None):
            sys.exit(f"record {record['seq']} does not follow the line before it")
        if "sig" in record:
            digest = hashlib.sha256(line[: line.rindex(b',"sig":')]).hexdigest()
            text = f"signing-service audit record v2\n{record['instanceId']}\n{record['seq']}\nsha256:{digest}\n"
            if not is_signed(text.encode(), record["sig"], key):
                sys.exit(f"record {record['seq']} is not signed with this key")
            signed = record["seq"]
        seq, prev = record["seq"], "sha256:" + hashlib.sha256(line).hexdigest()
    except (LookupError, RecursionError, TypeError, ValueError):
        sys.exit(f"{name}, line {number}, is no record")
sys.exit(None if signed == seq else f"record {seq} is the last, and not signed")

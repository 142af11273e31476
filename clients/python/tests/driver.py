"""Runs the contract of all clients (tests/client/contract): JSON lines in, JSON lines out."""

import dataclasses
import datetime
import json
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))

import signing_client as sc  # noqa: E402

SPECIAL = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "big-integer": 2**53,
    "date": datetime.date(2026, 1, 1),
}


def source(given):
    return pathlib.Path(given["file"]) if isinstance(given, dict) else given


def open_client(given):
    options = {"url": given["url"]}
    for name, option in (
        ("adminUrl", "admin_url"),
        ("pinnedKeys", "pinned_keys"),
        ("maxConnections", "max_connections"),
        ("maxAnswerBytes", "max_response_bytes"),
        ("verifySignatures", "verify_signatures"),
        ("pinnedKeysOnly", "pinned_keys_only"),
    ):
        if name in given:
            options[option] = given[name]
    for name in ("timeout", "connectTimeout", "idleTimeout"):
        if f"{name}Ms" in given:
            options[snake(name)] = given[f"{name}Ms"] / 1000
    if "tls" in given:
        tls = given["tls"]
        options["tls"] = sc.Tls(
            **{snake(name): value["file"] if isinstance(value, dict) else value for name, value in tls.items()}
        )
    if "authentication" in given:
        own = given["authentication"]
        options["authentication"] = sc.Authentication(
            source(own["privateKey"]), source(own["token"]), own["serviceKey"], own["authorityKeys"]
        )
    if given.get("retry") is False:
        options["retry"] = None
    elif "retry" in given:
        retry = given["retry"]
        options["retry"] = sc.Retry(
            **{
                **({"attempts": retry["attempts"]} if "attempts" in retry else {}),
                **({"base_delay": retry["baseDelayMs"] / 1000} if "baseDelayMs" in retry else {}),
                **({"max_delay": retry["maxDelayMs"] / 1000} if "maxDelayMs" in retry else {}),
                **({"when_unanswered": retry["whenUnanswered"]} if "whenUnanswered" in retry else {}),
            }
        )
    return sc.SigningClient(**options), options


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def plain(value):
    if dataclasses.is_dataclass(value):
        fields = {
            camel(item.name): plain(getattr(value, item.name))
            for item in dataclasses.fields(value)
            if item.name != "raw"
        }
        return {name: content for name, content in fields.items() if content is not None}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def call(client, message):
    name, request, options = message["call"], dict(message.get("request", {})), {}
    if name in ("fillMessage", "sendRequest"):
        return send(name, sc.RequestToSend(**{**request, "missing": tuple(request["missing"])}), message.get("values"))
    given = message.get("options", {})
    for option in ("requestId", "traceparent", "includePayload", "includeRequest"):
        if option in given:
            options[snake(option)] = given[option]
    if "timeoutMs" in given:
        options["timeout"] = given["timeoutMs"] / 1000
    if "special" in message:
        request["data"] = {"list": [{"x": SPECIAL[message["special"]]}]}
    if name == "close":
        return client.close()
    if name == "parallelSign":
        with ThreadPoolExecutor(message["times"]) as threads:
            arguments = {snake(key): value for key, value in request.items()}
            return [done.result() for done in [threads.submit(client.sign, **arguments) for _ in range(message["times"])]]
    if name == "signBatch":
        requests = [sc.BatchRequest(**{snake(key): value for key, value in one.items()}) for one in message["requests"]]
        return client.sign_batch(requests, **options)
    arguments = {snake(key): value for key, value in request.items()}
    if name == "eachAccount":
        return list(client.each_account(**arguments))
    return getattr(client, snake(name))(**arguments, **options)


def send(name, request, values):
    if name == "fillMessage":
        return sc.fill_request(request, values).message
    with sc.send_request(request, values) as response:
        return {"status": response.status, "body": response.read().decode()}


def failure(error):
    if not isinstance(error, sc.SigningClientError):
        known = isinstance(error, (TypeError, ValueError, OSError, ImportError))
        return {"kind": "invalid" if known else "unexpected", "message": f"{type(error).__name__}: {error}"}
    fields = {"kind": error.kind, "message": str(error)}
    for name, value in vars(error).items():
        if name == "retry_after":
            fields["retryAfterMs"] = None if value is None else value * 1000
        elif name == "claimed":
            fields["claimed"] = None if value is None else failure(value)
        else:
            fields[camel(name)] = value
    return fields


def main():
    client = None
    for line in sys.stdin:
        message = json.loads(line)
        try:
            if "open" in message:
                client, options = open_client(message["open"])
                reply = {"ok": {"shown": f"{client!r} {client} {options!r} {vars(client._caller)}"}}
            else:
                result = call(client, message)
                reply = {"ok": [plain(item) for item in result] if isinstance(result, list) else plain(result)}
        except Exception as error:  # noqa: BLE001
            reply = {"error": failure(error)}
        print(json.dumps(reply), flush=True)


main()

"""Requests that clients in Python sign and try to send, with a fixed clock and without a network.

Arguments: file for the records, keys as JSON.
"""

import base64
import datetime
import json
import socket
import sys
import time

KEYS = json.loads(sys.argv[2])
NOW = 1_700_000_000
RESERVED = "a/b:c+d,e f=g"
NON_ASCII = "币安人生USDT"


class FixedDateTime(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return cls(2023, 11, 14, 22, 13, 20)

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(NOW, tz)


def refuse(*_arguments, **_options):
    raise OSError("no network here")


datetime.datetime = FixedDateTime
time.time = lambda: float(NOW)
time.time_ns = lambda: NOW * 1_000_000_000
socket.socket.connect = refuse
socket.create_connection = refuse
socket.getaddrinfo = refuse

import httpx  # noqa: E402
import requests  # noqa: E402

results = []
sent = []
unsent = {}


def to_text(body):
    if body is None:
        return ""
    return body.decode() if isinstance(body, bytes) else body


def record_requests(_adapter, request, **_options):
    sent.append(
        {
            "method": request.method,
            "url": request.url,
            "headers": {name.lower(): to_text(value) for name, value in request.headers.items()},
            "body": to_text(request.body),
        }
    )
    response = requests.Response()
    response.status_code = 200
    response.headers["Content-Type"] = "application/json"
    response._content = b"{}"
    response.request = request
    return response


def record_httpx(_transport, request):
    sent.append(
        {
            "method": request.method,
            "url": str(request.url),
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "body": request.read().decode(),
        }
    )
    return httpx.Response(200, json={}, request=request)


requests.adapters.HTTPAdapter.send = record_requests
httpx.HTTPTransport.handle_request = record_httpx


def record(about, kinds):
    """Records what each call signs.

    A call sends one request or returns it; or it returns the signature, and `unsent`: members of
    data that are signed and not sent.
    """
    for kind, call in kinds.items():
        sent.clear()
        unsent.clear()
        problem, returned = "no request", None
        try:
            returned = call()
        except Exception as error:  # Clients fail on the empty response.
            problem = repr(error)
        returned = returned if isinstance(returned, dict) else {}
        request = returned if "url" in returned else (sent or [None])[-1]
        if "signature" in returned:
            found = returned
        else:
            found = {"problem": problem} if request is None else {"request": request, "unsent": {**unsent}}
        results.append({**about, "kind": kind, "signed": [], **found})


def to_message(message):
    return {"method": "MESSAGE", "url": "https://unsent.invalid/", "headers": {}, "body": json.dumps(message)}


def record_bybit():
    from pybit.unified_trading import HTTP

    order = {"symbol": NON_ASCII, "side": "Buy", "orderType": "Limit", "qty": "0.01", "price": "25000"}
    for preset, options in [
        ("bybit", {"api_secret": KEYS["secret"]}),
        ("bybit-rsa", {"api_secret": KEYS["rsaPem"], "rsa_authentication": True}),
    ]:
        client = HTTP(api_key=KEYS["apiKey"], max_retries=1, **options)
        about = {"preset": preset, "source": "pybit", "values": {"apiKey": KEYS["apiKey"]}}
        record(about, {"order": lambda: client.place_order(category="linear", **order)})
        if preset == "bybit":
            record(
                about,
                {
                    "reserved": lambda: client.get_open_orders(category="linear", orderLinkId=RESERVED),
                    "non-ASCII": lambda: client.get_open_orders(category="linear", symbol=NON_ASCII),
                },
            )


def record_coinbase():
    from coinbase.jwt_generator import build_ws_jwt
    from coinbase.rest import RESTClient

    name = "organizations/test-organization/apiKeys/test-api-key"
    seed = base64.b64encode(bytes.fromhex(KEYS["seed"])).decode()
    order = {"limit_limit_gtc": {"base_size": "0.001", "limit_price": "10000"}}
    for preset, key in [("coinbase", KEYS["p256Pem"]), ("coinbase-ed25519", seed)]:
        client = RESTClient(api_key=name, api_secret=key)
        about = {"preset": preset, "source": "coinbase-advanced-py", "values": {"keyName": name}}
        record(
            about,
            {
                "order": lambda: client.create_order("c1", "BTC-USD", "BUY", order),
                "reserved": lambda: client.list_orders(cursor=RESERVED),
            },
        )
        message = {"type": "subscribe", "channel": "user"}
        record(
            {**about, "rule": "websocket"},
            {"subscription": lambda: to_message({**message, "jwt": build_ws_jwt(name, key)})},
        )


def record_binance_fix():
    from binance_fix_connector.fix_connector import BinanceFixConnector
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(KEYS["seed"]))

    def logon():
        session = BinanceFixConnector("unsent.invalid", KEYS["apiKey"], key, "BOETRADE")
        session.logon()
        return to_fix(session.messages_sent[0])

    record({"preset": "binance-ed25519", "rule": "fix", "source": "binance-fix-connector"}, {"logon": logon})


def to_fix(message):
    names = {"msgType": 35, "senderCompId": 49, "targetCompId": 56, "msgSeqNum": 34, "sendingTime": 52, "rawData": 96}
    data = {name: message.get(tag).decode() for name, tag in names.items()}
    return {"signature": data.pop("rawData"), "unsent": data}


def record_okx():
    from okx import Account, Trade

    keys = (KEYS["apiKey"], KEYS["secret"], KEYS["passphrase"], False, "0")
    trade = Trade.TradeAPI(*keys)
    order = {"instId": NON_ASCII, "tdMode": "cash", "side": "buy", "ordType": "limit", "px": "2.15", "sz": "2"}
    record(
        {"preset": "okx", "source": "python-okx"},
        {
            "order": lambda: trade.place_order(**order),
            "batch": lambda: trade.place_multiple_orders([order]),
            "query": lambda: Account.AccountAPI(*keys).get_account_balance("BTC,ETH"),
            "reserved": lambda: trade.get_order("BTC-USDT", clOrdId=RESERVED),
            "non-ASCII": lambda: trade.get_order(NON_ASCII, ordId="28"),
        },
    )


def record_hyperliquid():
    from eth_account import Account
    from hyperliquid.exchange import Exchange
    from hyperliquid.utils import constants, signing

    encode = signing.encode_typed_data

    def observe(full_message):
        unsent.update(full_message)
        return encode(full_message=full_message)

    signing.encode_typed_data = observe
    wallet = Account.from_key("0x" + KEYS["ethereumKey"])
    nonce = NOW * 1000
    expiry = nonce + 60_000
    cancel = {"type": "cancel", "cancels": [{"a": 3, "o": 82382}]}
    other = "0x" + "22" * 20
    vault = "0x1719884eb866cb12b2287399b15f7db5e7d775ea"
    users = {"multiSigUser": "0x" + "33" * 20, "outerSigner": wallet.address.lower()}
    own = {"nonce": nonce, "vaultAddress": vault, "expiresAfter": expiry}
    meta = {"universe": [{"name": "ETH", "szDecimals": 4}]}
    for preset, url in (("hyperliquid", constants.MAINNET_API_URL), ("hyperliquid-testnet", constants.TESTNET_API_URL)):

        def connect(vault_address=None, expires_after=None):
            exchange = Exchange(wallet, url, meta, vault_address, spot_meta={"universe": [], "tokens": []})
            exchange.set_expires_after(expires_after)
            return exchange

        def sign_inner():
            is_mainnet = url == constants.MAINNET_API_URL
            return signing.sign_multi_sig_l1_action_payload(
                wallet, cancel, is_mainnet, vault, nonce, expiry, users["multiSigUser"], users["outerSigner"]
            )

        def take_inner():
            r, s, v = (sign_inner()[name] for name in ("r", "s", "v"))
            signature = "0x" + r[2:].zfill(64) + s[2:].zfill(64) + format(v, "x")
            return {"signature": signature, "unsent": {"action": cancel, **own, **users}}

        def send_multi_sig():
            signatures = [sign_inner()]
            connect(vault, expiry).multi_sig(users["multiSigUser"], cancel, signatures, nonce, vault)

        about = {"preset": preset, "source": "hyperliquid-python-sdk"}
        record(
            about,
            {
                "order": lambda: connect().order("ETH", True, 0.0147, 1670.1, {"limit": {"tif": "Ioc"}}),
                "non-ASCII": lambda: connect().create_sub_account(NON_ASCII),
                "vault and expiry": lambda: connect(vault, expiry).cancel("ETH", 82382),
                "multi-sig": take_inner,
            },
        )
        record({**about, "rule": "multi-sig"}, {"multi-sig envelope": send_multi_sig})
        record(
            {**about, "rule": "user"},
            {
                "transfer": lambda: connect().usd_transfer(1, other),
                "withdrawal": lambda: connect().withdraw_from_bridge(1, other),
            },
        )


def record_backpack():
    from bpx.account import Account

    seed = base64.b64encode(bytes.fromhex(KEYS["seed"])).decode()
    client = Account(KEYS["apiKey"], seed, 5000)
    record(
        {"preset": "backpack", "source": "bpx-py"},
        {
            "order": lambda: client.execute_order("BTC_USDC", "Bid", "Limit", quantity="1", price="100", post_only=True),
            "reserved": lambda: client.get_open_orders(symbol=RESERVED),
            "non-ASCII": lambda: client.get_open_orders(symbol=NON_ASCII),
        },
    )


record_bybit()
record_coinbase()
record_binance_fix()
record_okx()
record_hyperliquid()
record_backpack()
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(results, file, default=bytes.hex)

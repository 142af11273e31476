"""Places a limit order, 0.001 BTC at 50,000: python3 place-order.py okx (docs/callers/clients.md).

The platform has the venue's name, the account is main. What only you have is read from the
environment: API_KEY for {apiKey}, PASSPHRASE. VENUE_ORIGIN replaces https://www.okx.com.
"""

import base64
import dataclasses
import datetime
import json
import os
import re
import secrets
import struct
import sys
import time
import urllib.request
import uuid

from signing_client import SigningClient, fill_request, send_request

client = SigningClient(os.environ.get("SIGNER_URL", "http://127.0.0.1:8080"))
venue_origin = os.environ.get("VENUE_ORIGIN")
now = time.time_ns() // 1_000_000
seconds = now // 1000


def main(venue):
    data, known = ORDERS[venue]()
    request = sign(venue, data)
    with send_request(request, get_values(request, known)) as response:
        print(response.status, response.read().decode())


def sign(platform_id, data):
    request = client.sign(platform_id, "main", data, include_request=True).request
    if venue_origin is None:
        return request
    return dataclasses.replace(request, url=re.sub("^https://[^/]+", venue_origin, request.url))


def get_values(request, known):
    """What is missing in the request: known, or in the environment."""
    variables = {name: re.sub("([A-Z])", r"_\1", name).upper() for name in request.missing}
    return {name: known.get(name) or os.environ.get(variable) for name, variable in variables.items()}


# What each venue signs, and values that it does not sign.


def okx():
    timestamp = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"
    order = {"instId": "BTC-USDT", "tdMode": "cash", "side": "buy", "ordType": "limit", "px": "50000", "sz": "0.001"}
    return {"method": "POST", "path": "/api/v5/trade/order", "timestamp": timestamp, "body": order}, {}


def binance():
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    params = {**order, "quantity": "0.001", "price": "50000", "timestamp": now}
    return {"method": "POST", "path": "/api/v3/order", "params": params}, {}


def kraken():
    order = {"pair": "XBTUSD", "type": "buy", "ordertype": "limit", "price": "50000", "volume": "0.001"}
    return {"path": "/0/private/AddOrder", "body": {"nonce": str(now), **order}}, {}


def coinbase():
    limit = {"limit_limit_gtc": {"base_size": "0.001", "limit_price": "50000"}}
    order = {"client_order_id": str(uuid.uuid4()), "product_id": "BTC-USD", "side": "BUY", "order_configuration": limit}
    path = "/api/v3/brokerage/orders"
    data = {"method": "POST", "path": path, "timestamp": seconds, "nonce": secrets.token_hex(16)}
    return data, {"body": json.dumps(order)}


def hyperliquid():
    order = {"a": 0, "b": True, "p": "50000", "s": "0.001", "r": False, "t": {"limit": {"tif": "Gtc"}}}
    return {"action": {"type": "order", "orders": [order], "grouping": "na"}, "nonce": now}, {}


def polymarket():
    address = client.account("polymarket-order", "main").address
    body = sign_polymarket_order(address)
    return {"method": "POST", "path": "/order", "timestamp": seconds, "body": body}, {"address": address}


def sign_polymarket_order(address):
    """The body with an order that the wallet signs: 1,000 shares of TOKEN_ID at 1 cent."""
    fields = "uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount"
    fields += ",uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder"
    request = sign(
        "polymarket-order",
        {
            "domain": {
                "name": "Polymarket CTF Exchange",
                "version": "2",
                "chainId": 137,
                "verifyingContract": "0xE111180000d2663C0091e4f400237545B87B996B",
            },
            "types": {"Order": [dict(zip(("type", "name"), field.split())) for field in fields.split(",")]},
            "primaryType": "Order",
            "message": {
                "salt": now,
                "maker": address,
                "signer": address,
                "tokenId": os.environ["TOKEN_ID"],
                "makerAmount": "10000000",
                "takerAmount": "1000000000",
                "side": 0,
                "signatureType": 0,
                "timestamp": str(now),
                "metadata": "0x" + 64 * "0",
                "builder": "0x" + 64 * "0",
            },
        },
    )
    return fill_request(request, get_values(request, {"orderType": "GTC", "expiration": "0"})).body


def dydx():
    """The SignDoc of an order by ADDRESS that is valid for an hour (long-term)."""
    address, node = os.environ["ADDRESS"], venue_origin or "https://dydx-ops-rest.kingnodes.com"
    with urllib.request.urlopen(f"{node}/cosmos/auth/v1beta1/accounts/{address}") as response:
        account = json.load(response)["account"]
    public_key = base64.b64decode(client.account("dydx", "main").public_key)

    long_term, buy, quantums, subticks = 64, 1, 10_000_000, 5_000_000_000
    order_id = field(1, field(1, field(1, address)), fixed32(2, seconds), number(3, long_term))
    amounts = number(2, buy) + number(3, quantums) + number(4, subticks)
    order = field(1, order_id, amounts, fixed32(6, seconds + 3600))
    body = any_message(1, "/dydxprotocol.clob.MsgPlaceOrder", order)

    key = any_message(1, "/cosmos.crypto.secp256k1.PubKey", field(1, public_key))
    direct = field(2, field(1, number(1, 1)))
    signer = field(1, key, direct, number(3, int(account["sequence"])))
    gas = field(2, number(2, 1_000_000))
    chain = field(3, "dydx-mainnet-1") + number(4, int(account["account_number"]))
    return {"signDoc": base64.b64encode(field(1, body) + field(2, signer, gas) + chain).decode()}, {}


# Fields of protocol buffers.


def varint(value):
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value // 128)


def number(index, value):
    """A number; 0 is left out."""
    return b"" if value == 0 else varint(index * 8) + varint(value)


def fixed32(index, value):
    return varint(index * 8 + 5) + struct.pack("<I", value)


def field(index, *content):
    """A text, or a message of these fields."""
    value = b"".join(part.encode() if isinstance(part, str) else part for part in content)
    return varint(index * 8 + 2) + varint(len(value)) + value


def any_message(index, name, message):
    return field(index, field(1, name), field(2, message))


ORDERS = {one.__name__: one for one in (okx, binance, kraken, coinbase, hyperliquid, dydx, polymarket)}
if len(sys.argv) != 2 or sys.argv[1] not in ORDERS:
    sys.exit(f"Usage: python3 place-order.py {'|'.join(ORDERS)}")
main(sys.argv[1])

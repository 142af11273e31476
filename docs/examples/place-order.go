// Places a limit order, 0.001 BTC at 50,000: go run place-order.go okx (docs/callers/clients.md).
// The platform has the venue's name, the account is main. What only you have is read from the
// environment: API_KEY for {apiKey}, PASSPHRASE. VENUE_ORIGIN replaces https://www.okx.com.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"signing-service.internal/signing"
)

var (
	ctx         = context.Background()
	client      = must(signing.New(signing.Options{URL: variable("SIGNER_URL", "http://127.0.0.1:8080")}))
	venueOrigin = os.Getenv("VENUE_ORIGIN")
	now         = time.Now()
)

type known = map[string]string

// What each venue signs, as JSON, and values that it does not sign.
var orders = map[string]func() (string, known){
	"okx": func() (string, known) {
		timestamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
		return fmt.Sprintf(`{"method": "POST", "path": "/api/v5/trade/order", "timestamp": %q, "body": {"instId": "BTC-USDT",
			"tdMode": "cash", "side": "buy", "ordType": "limit", "px": "50000", "sz": "0.001"}}`, timestamp), nil
	},
	"binance": func() (string, known) {
		return fmt.Sprintf(`{"method": "POST", "path": "/api/v3/order", "params": {"symbol": "BTCUSDT", "side": "BUY",
			"type": "LIMIT", "timeInForce": "GTC", "quantity": "0.001", "price": "50000", "timestamp": %d}}`, now.UnixMilli()), nil
	},
	"kraken": func() (string, known) {
		return fmt.Sprintf(`{"path": "/0/private/AddOrder", "body": {"nonce": "%d", "pair": "XBTUSD", "type": "buy",
			"ordertype": "limit", "price": "50000", "volume": "0.001"}}`, now.UnixMilli()), nil
	},
	"coinbase": func() (string, known) {
		data := fmt.Sprintf(`{"method": "POST", "path": "/api/v3/brokerage/orders", "timestamp": %d, "nonce": "%x"}`,
			now.Unix(), random())
		return data, known{"body": fmt.Sprintf(`{"client_order_id": "%x", "product_id": "BTC-USD", "side": "BUY",
			"order_configuration": {"limit_limit_gtc": {"base_size": "0.001", "limit_price": "50000"}}}`, random())}
	},
	"hyperliquid": func() (string, known) {
		return fmt.Sprintf(`{"action": {"type": "order", "orders": [{"a": 0, "b": true, "p": "50000", "s": "0.001",
			"r": false, "t": {"limit": {"tif": "Gtc"}}}], "grouping": "na"}, "nonce": %d}`, now.UnixMilli()), nil
	},
	"dydx": func() (string, known) { return fmt.Sprintf(`{"signDoc": %q}`, makeSignDoc()), nil },
	"polymarket": func() (string, known) {
		address := must(client.Account(ctx, "polymarket-order", "main")).Address
		data := `{"method": "POST", "path": "/order", "timestamp": %d, "body": %q}`
		return fmt.Sprintf(data, now.Unix(), signPolymarketOrder(address)), known{"address": address}
	},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || orders[os.Args[1]] == nil {
		log.Fatal("Usage: place-order okx|binance|kraken|coinbase|hyperliquid|dydx|polymarket")
	}
	data, known := orders[os.Args[1]]()
	request := sign(os.Args[1], data)
	response := must(signing.SendRequest(ctx, request, values(request, known), nil))
	fmt.Println(response.StatusCode, string(must(io.ReadAll(response.Body))))
}

func sign(platform, data string) *signing.RequestToSend {
	order := signing.SignRequest{PlatformID: platform, AccountID: "main", Data: json.RawMessage(data)}
	request := must(client.Sign(ctx, order, signing.WithRequest())).Request
	if venueOrigin != "" {
		request.URL = regexp.MustCompile("^https://[^/]+").ReplaceAllString(request.URL, venueOrigin)
	}
	return request
}

// values of what is missing in the request: known, or in the environment.
func values(request *signing.RequestToSend, known known) map[string]string {
	found := map[string]string{}
	for _, name := range request.Missing {
		words := regexp.MustCompile("[A-Z]").ReplaceAllString(name, "_$0")
		if value, isSet := os.LookupEnv(strings.ToUpper(words)); isSet {
			found[name] = value
		}
		if value, isKnown := known[name]; isKnown {
			found[name] = value
		}
	}
	return found
}

// signPolymarketOrder returns the body with an order that the wallet signs: 1,000 shares of
// TOKEN_ID at 1 cent.
func signPolymarketOrder(address string) string {
	fields := `{"type": "uint256", "name": "salt"}, {"type": "address", "name": "maker"},
		{"type": "address", "name": "signer"}, {"type": "uint256", "name": "tokenId"},
		{"type": "uint256", "name": "makerAmount"}, {"type": "uint256", "name": "takerAmount"},
		{"type": "uint8", "name": "side"}, {"type": "uint8", "name": "signatureType"},
		{"type": "uint256", "name": "timestamp"}, {"type": "bytes32", "name": "metadata"},
		{"type": "bytes32", "name": "builder"}`
	zeros := "0x" + strings.Repeat("0", 64)
	request := sign("polymarket-order", fmt.Sprintf(`{
		"domain": {"name": "Polymarket CTF Exchange", "version": "2", "chainId": 137,
			"verifyingContract": "0xE111180000d2663C0091e4f400237545B87B996B"},
		"types": {"Order": [%s]}, "primaryType": "Order",
		"message": {"salt": %d, "maker": %q, "signer": %q, "tokenId": %q, "makerAmount": "10000000",
			"takerAmount": "1000000000", "side": 0, "signatureType": 0, "timestamp": "%d", "metadata": %q, "builder": %q}}`,
		fields, now.UnixMilli(), address, address, os.Getenv("TOKEN_ID"), now.UnixMilli(), zeros, zeros))
	known := known{"orderType": "GTC", "expiration": "0"}
	filled := must(signing.FillRequest(ctx, request, values(request, known)))
	return string(must(io.ReadAll(filled.Body)))
}

// makeSignDoc returns the SignDoc of an order by ADDRESS that is valid for an hour (long-term).
func makeSignDoc() string {
	address := os.Getenv("ADDRESS")
	node := variable("VENUE_ORIGIN", "https://dydx-ops-rest.kingnodes.com")
	response := must(http.Get(node + "/cosmos/auth/v1beta1/accounts/" + address))
	var state struct {
		Account struct {
			Sequence      string `json:"sequence"`
			AccountNumber string `json:"account_number"`
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
		log.Fatal(err)
	}
	publicKey := must(base64.StdEncoding.DecodeString(must(client.Account(ctx, "dydx", "main")).PublicKey))

	longTerm, buy, quantums, subticks := 64, 1, 10_000_000, 5_000_000_000
	id := field(1, field(1, field(1, address)), fixed32(2, now.Unix()), number(3, longTerm))
	amounts := number(2, buy) + number(3, quantums) + number(4, subticks)
	order := field(1, id, amounts, fixed32(6, now.Unix()+3600))
	body := message(1, "/dydxprotocol.clob.MsgPlaceOrder", order)

	key := message(1, "/cosmos.crypto.secp256k1.PubKey", field(1, string(publicKey)))
	direct := field(2, field(1, number(1, 1)))
	signer := field(1, key, direct, number(3, must(strconv.Atoi(state.Account.Sequence))))
	gas := field(2, number(2, 1_000_000))
	chain := field(3, "dydx-mainnet-1") + number(4, must(strconv.Atoi(state.Account.AccountNumber)))
	return base64.StdEncoding.EncodeToString([]byte(field(1, body) + field(2, signer, gas) + chain))
}

// Fields of protocol buffers, as bytes.

func varint(value int) string { return string(binary.AppendUvarint(nil, uint64(value))) }

// number leaves 0 out.
func number(index, value int) string {
	if value == 0 {
		return ""
	}
	return varint(index*8) + varint(value)
}

func fixed32(index int, value int64) string {
	return varint(index*8+5) + string(binary.LittleEndian.AppendUint32(nil, uint32(value)))
}

// field is a text, or a message of these fields.
func field(index int, content ...string) string {
	value := strings.Join(content, "")
	return varint(index*8+2) + varint(len(value)) + value
}

func message(index int, name, content string) string {
	return field(index, field(1, name), field(2, content))
}

func random() []byte {
	bytes := make([]byte, 16)
	must(rand.Read(bytes))
	return bytes
}

func variable(name, fallback string) string {
	if value, isSet := os.LookupEnv(name); isSet {
		return value
	}
	return fallback
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

package signing

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// example is the worked example of docs/callers/authentication.md.
func example(t *testing.T) map[string]string {
	t.Helper()
	document, err := os.ReadFile("../../docs/callers/authentication.md")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^([^|\n=]+?) = (.+)$`).FindAllSubmatch(document, -1) {
		values[string(line[1])] = string(line[2])
	}
	return values
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestWorkedExampleOfRequest(t *testing.T) {
	values := example(t)
	seconds, _ := strconv.ParseFloat(values["time"], 64)
	claims := encodeRequestClaims(fromHex(t, values["client token"]), fromHex(t, values["service public key"]), seconds, fromHex(t, values["nonce"]))
	content := requestContent(claims, values["method"], values["path"], []byte(values["body"]))
	if hex.EncodeToString(content) != values["signed by the client"] {
		t.Fatal("other bytes are signed")
	}
	key := openPrivateKey(values["client seed"])
	own := credentials{message: append(claims, bytesField(5, ed25519.Sign(key, content))...)}
	if own.header() != values["Signing-Request-Auth"] {
		t.Fatal("another header")
	}
}

func TestWorkedExampleOfResponse(t *testing.T) {
	values := example(t)
	authority := &mutualAuthentication{
		serviceKey:  readPublicKey(values["service public key"]),
		authorities: []ed25519.PublicKey{readPublicKey(values["authority public key"])},
	}
	message := decodeBase64(values["Signing-Request-Auth"])
	own := credentials{owner: authority, message: message, nonce: fromHex(t, values["nonce"])}
	status, _ := strconv.Atoi(values["status"])
	body := []byte(values["body of the response"])
	want := ""
	if !time.Now().Before(parseExpiration(values["expiration_time"])) {
		want = "TOKEN_EXPIRED"
	}
	if got := own.verify(status, body, values["Signing-Response-Auth"]); got != want {
		t.Fatal(got)
	}
	info := readFields(decodeBase64(values["Signing-Response-Auth"]), 3)
	claims := append(bytesField(1, info[0]), bytesField(2, info[1])...)
	content := responseContent(claims, message, status, body)
	if hex.EncodeToString(content) != values["signed by the service"] || !ed25519.Verify(authority.serviceKey, content, info[2]) {
		t.Fatal("other bytes are signed")
	}
}

func TestBase58(t *testing.T) {
	// draft-msporny-base58-03, section 5.
	if string(decodeBase58("2NEpo7TZRRrLZSi2U")) != "Hello World!" || !bytes.Equal(decodeBase58("11233QC4"), fromHex(t, "0000287fb4cd")) {
		t.Fatal("wrong bytes")
	}
	if decodeBase58("0OIl") != nil {
		t.Fatal("accepted")
	}
}

func TestFieldsInCanonicalEncodingOnly(t *testing.T) {
	if fields := readFields(fromHex(t, "0a0161120162"), 2); len(fields) != 2 || string(fields[1]) != "b" {
		t.Fatal(fields)
	}
	for _, wrong := range []string{"0a0161", "0a0161120162ff", "120162", "0a00120162", "0a810061120162", "0a05611201", ""} {
		if readFields(fromHex(t, wrong), 2) != nil {
			t.Fatal(wrong)
		}
	}
}

func TestCanceledCall(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := New(Options{URL: "http://" + listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			_, _ = connection.Read(make([]byte, 1))
			cancel()
		}
	}()
	_, err = client.Sign(ctx, SignRequest{PlatformID: "a", AccountID: "b", Data: Object{}})
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != KindCanceled || !failure.MayHaveBeenDone || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

type textual struct{ text string }

func (t textual) MarshalText() ([]byte, error) { return []byte(t.text), nil }

type common struct {
	Type string `json:"type"`
}

type order struct {
	common
	Sizes    []float64       `json:"sizes"`
	Amount   *textual        `json:"amount"`
	Note     string          `json:"note,omitempty"`
	Large    uint64          `json:"large,string"`
	Raw      json.RawMessage `json:"raw"`
	Absent   map[string]int  `json:"absent,omitempty"`
	Internal map[string]int  `json:"-"`
	hidden   map[string]int
}

func TestDataInTheOrderOfTheCaller(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		bodies <- string(body)
	}))
	defer server.Close()
	client, err := New(Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	given := order{
		common: common{"a<b>&c"}, Sizes: []float64{1.5, 2}, Amount: &textual{"1.10"}, Large: 1 << 63,
		Raw: json.RawMessage(`{"z": 1.0, "a": [{"y": "\u003c"}]}`), Internal: map[string]int{"a": 1}, hidden: map[string]int{"a": 1},
	}
	text := `{"type":"a<b>&c","sizes":[1.5,2],"amount":"1.10","large":"9223372036854775808","raw":{"z":1.0,"a":[{"y":"\u003c"}]}}`
	members := Object{
		{"type", given.Type}, {"sizes", given.Sizes}, {"amount", given.Amount}, {"large", "9223372036854775808"}, {"raw", given.Raw},
	}
	for name, data := range map[string]any{"a struct": given, "a pointer": &given, "members": members, "text": json.RawMessage(text)} {
		_, err := client.Sign(context.Background(), SignRequest{PlatformID: "a", AccountID: "b", Data: data})
		var failure *Error
		if !errors.As(err, &failure) {
			t.Fatalf("%s: %v", name, err)
		}
		if body, want := <-bodies, `{"platformId":"a","accountId":"b","data":`+text+`}`; body != want {
			t.Errorf("%s: %s", name, body)
		}
	}
}

func TestDataThatJSONWouldChange(t *testing.T) {
	client, err := New(Options{URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	type node struct{ Next *node }
	circle := &node{}
	circle.Next = circle
	var deep any
	for range 63 {
		deep = []any{deep}
	}
	if err := checkSignable(reflect.ValueOf(Object{{"a", deep}}), "data", 1); err != nil {
		t.Fatal(err)
	}
	deep = []any{deep}
	for path, value := range map[string]any{
		"data.map": map[string]any{"type": "order", "orders": 1}, "data.empty": map[string]string{},
		"data.struct.Orders[0].P": struct{ Orders []any }{[]any{struct{ P any }{map[string]int{"a": 1}}}},
		"data.bytes":              []byte("x"), "data.text": "\xff", "data.time": time.Now(), "data.pointer": &time.Time{},
		"data.members.a": &Object{{"a", map[string]int{}}},
		"data.function":  func() {}, "data.integer": uint64(1) << 63, "data.number": struct{ X any }{math.NaN()}.X,
		"data.circle": circle, "data.deep": deep, "data.raw": json.RawMessage(`{"a":`), "data.rawText": json.RawMessage("\"\xff\""),
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "data."), ".")
		_, err := client.Sign(context.Background(), SignRequest{Data: Object{{name, value}}})
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", path, err)
		} else if isNamed := strings.Contains(err.Error(), path); !isNamed && !strings.HasPrefix(path, "data.raw") {
			t.Errorf("%s is not in: %v", path, err)
		}
	}
}

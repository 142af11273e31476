package signing

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"regexp"
	"strconv"
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
	_, err = client.Sign(ctx, SignRequest{PlatformID: "a", AccountID: "b", Data: map[string]any{}})
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != KindCanceled || !failure.MayHaveBeenDone || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestDataThatJSONWouldChange(t *testing.T) {
	client, err := New(Options{URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	type order struct{ Side string }
	for name, value := range map[string]any{
		"a struct": order{"buy"}, "bytes": []byte("x"), "a pointer": &order{}, "text that is not UTF-8": "\xff",
		"an object with numbers as names": map[int]string{1: "x"}, "a time": time.Now(), "a function": func() {},
		"a large number": uint64(1) << 63,
	} {
		_, err := client.Sign(context.Background(), SignRequest{Data: map[string]any{"x": []any{value}}})
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package signing

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"
)

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var (
	hexKey     = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	expiration = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$`)
)

// mutualAuthentication signs requests and verifies responses, byte by byte as in
// docs/callers/authentication.md.
type mutualAuthentication struct {
	key         ed25519.PrivateKey
	token       []byte
	serviceKey  ed25519.PublicKey
	authorities []ed25519.PublicKey
}

// credentials are for one attempt: nonce and time are single-use.
type credentials struct {
	owner   *mutualAuthentication
	message []byte
	nonce   []byte
}

func newMutualAuthentication(options *Authentication) (*mutualAuthentication, error) {
	own := &mutualAuthentication{}
	text, err := options.PrivateKey.read()
	if err != nil {
		return nil, invalid("Authentication.PrivateKey: %v", err)
	}
	if own.key = openPrivateKey(strings.TrimSpace(text)); own.key == nil {
		return nil, invalid("Authentication.PrivateKey must be an Ed25519 private key: 64 hex digits, or PKCS#8 PEM without a passphrase")
	}
	if text, err = options.Token.read(); err != nil {
		return nil, invalid("Authentication.Token: %v", err)
	}
	own.token = decodeBase64(strings.TrimSpace(text))
	fields := readFields(own.token, 4)
	if fields == nil {
		return nil, invalid("Authentication.Token must be an access token in base64")
	}
	if !bytes.Equal(fields[1], own.key.Public().(ed25519.PublicKey)) {
		return nil, invalid("Authentication.Token does not match Authentication.PrivateKey")
	}
	if own.serviceKey = readPublicKey(options.ServiceKey); own.serviceKey == nil {
		return nil, invalid("Authentication.ServiceKey must be an Ed25519 public key in base58 or 64 hex digits")
	}
	for _, given := range options.AuthorityKeys {
		key := readPublicKey(given)
		if key == nil {
			return nil, invalid("Authentication.AuthorityKeys must be Ed25519 public keys in base58 or 64 hex digits")
		}
		own.authorities = append(own.authorities, key)
	}
	if len(own.authorities) == 0 {
		return nil, invalid("Authentication.AuthorityKeys is empty")
	}
	return own, nil
}

func (m *mutualAuthentication) sign(method, target string, body []byte) (*credentials, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	claims := encodeRequestClaims(m.token, m.serviceKey, float64(time.Now().UnixMilli())/1000, nonce)
	signature := ed25519.Sign(m.key, requestContent(claims, method, target, body))
	return &credentials{owner: m, message: append(claims, bytesField(5, signature)...), nonce: nonce}, nil
}

func (c *credentials) header() string { return base64.StdEncoding.EncodeToString(c.message) }

// verify returns why a response is not trusted; empty if it is.
func (c *credentials) verify(status int, body []byte, header string) string {
	if header == "" {
		return "UNSIGNED"
	}
	info := readFields(decodeBase64(header), 3)
	if info == nil {
		return "MALFORMED"
	}
	token := readFields(info[0], 4)
	if token == nil {
		return "MALFORMED"
	}
	content := domain("access-token")
	for index := 0; index < 3; index++ {
		content = append(content, bytesField(index+1, token[index])...)
	}
	isTrusted := false
	for _, authority := range c.owner.authorities {
		isTrusted = isTrusted || ed25519.Verify(authority, content, token[3])
	}
	switch {
	case !isTrusted:
		return "UNKNOWN_AUTHORITY"
	case !bytes.Equal(token[1], c.owner.serviceKey):
		return "WRONG_SERVICE"
	case !time.Now().Before(parseExpiration(string(token[2]))):
		return "TOKEN_EXPIRED"
	case !bytes.Equal(info[1], c.nonce):
		return "WRONG_NONCE"
	}
	claims := append(bytesField(1, info[0]), bytesField(2, info[1])...)
	if !ed25519.Verify(c.owner.serviceKey, responseContent(claims, c.message, status, body), info[2]) {
		return "INVALID_SIGNATURE"
	}
	return ""
}

// encodeRequestClaims encodes fields 1 to 4 of a RequestAuthInfo.
func encodeRequestClaims(token, serviceKey []byte, seconds float64, nonce []byte) []byte {
	claims := append(bytesField(1, token), bytesField(2, serviceKey)...)
	claims = append(claims, 3*8+1)
	claims = binary.LittleEndian.AppendUint64(claims, math.Float64bits(seconds))
	return append(claims, bytesField(4, nonce)...)
}

// requestContent is what a client signs.
func requestContent(claims []byte, method, target string, body []byte) []byte {
	content := domain("request")
	for _, part := range [][]byte{claims, []byte(method), []byte(target)} {
		content = append(binary.BigEndian.AppendUint32(content, uint32(len(part))), part...)
	}
	hash := sha256.Sum256(body)
	return append(content, hash[:]...)
}

// responseContent is what the service signs.
func responseContent(claims, message []byte, status int, body []byte) []byte {
	content := binary.BigEndian.AppendUint32(domain("response"), uint32(len(claims)))
	hash := sha256.Sum256(message)
	content = append(append(content, claims...), hash[:]...)
	content = binary.BigEndian.AppendUint32(content, uint32(status))
	hash = sha256.Sum256(body)
	return append(content, hash[:]...)
}

func domain(kind string) []byte { return []byte("signing-service/v1/" + kind + "\x00") }

// bytesField is a length-delimited field of protocol buffers.
func bytesField(number int, value []byte) []byte {
	return append(binary.AppendUvarint([]byte{byte(number*8 + 2)}, uint64(len(value))), value...)
}

// readFields returns fields 1 to count, none empty; nil if the message is anything else or not
// canonical.
func readFields(message []byte, count int) [][]byte {
	var values [][]byte
	var written []byte
	rest := message
	for number := 1; number <= count; number++ {
		if len(rest) == 0 || rest[0] != byte(number*8+2) {
			return nil
		}
		size, length := binary.Uvarint(rest[1:])
		if length <= 0 || size == 0 || size > uint64(len(rest)-1-length) {
			return nil
		}
		value := rest[1+length : 1+length+int(size)]
		values = append(values, value)
		written = append(written, bytesField(number, value)...)
		rest = rest[1+length+int(size):]
	}
	if !bytes.Equal(written, message) {
		return nil
	}
	return values
}

func parseExpiration(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !expiration.MatchString(text) {
		return time.Time{}
	}
	return at
}

func openPrivateKey(text string) ed25519.PrivateKey {
	if hexKey.MatchString(text) {
		seed, _ := hex.DecodeString(text)
		return ed25519.NewKeyFromSeed(seed)
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil
	}
	parsed, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, _ := parsed.(ed25519.PrivateKey)
	return key
}

// readPublicKey returns the 32 bytes of a key in base58 or 64 hex digits; nil if malformed.
func readPublicKey(text string) ed25519.PublicKey {
	text = strings.TrimSpace(text)
	key := decodeBase58(text)
	if hexKey.MatchString(text) {
		key, _ = hex.DecodeString(text)
	}
	if len(key) != ed25519.PublicKeySize {
		return nil
	}
	return key
}

// decodeBase58 decodes Bitcoin's alphabet, no checksum; nil if malformed or too long for a key or
// signature.
func decodeBase58(text string) []byte {
	if len(text) > 128 {
		return nil
	}
	number := new(big.Int)
	for index := range text {
		digit := strings.IndexByte(base58Digits, text[index])
		if digit < 0 {
			return nil
		}
		number.Add(number.Mul(number, big.NewInt(58)), big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, "1"))
	return append(make([]byte, zeros), number.Bytes()...)
}

// decodeBase64 decodes RFC 4648 §4 in canonical form; nil if malformed.
func decodeBase64(text string) []byte {
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	return decoded
}

package signing

import (
	"crypto/ed25519"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of the service and of JSON readers with doubles.
const (
	maxDepth   = 64
	maxInteger = 1<<53 - 1
)

// checkSignable refuses data that JSON would change, and maps, whose order Go does not keep.
func checkSignable(value reflect.Value, path string, level int) error {
	for value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer && !writesOnlyByPointer(value.Type()) {
		value = value.Elem()
	}
	if !value.IsValid() {
		return nil
	}
	if level > maxDepth && (value.Kind() == reflect.Struct || isList(value.Type())) {
		return invalid("%s is nested deeper than %d levels", path, maxDepth)
	}
	if value.CanInterface() {
		switch own := value.Interface().(type) {
		case time.Time:
			return invalid("%s is a time; pass the text or number that the platform documents", path)
		case Object:
			return checkMembers(own, path, level)
		}
		if writesItself(value.Type()) {
			return nil
		}
	}
	switch {
	case value.Kind() == reflect.Map:
		return invalid("%s is a map; Go maps have no order, which platforms may sign: pass a struct, a signing.Object or a json.RawMessage", path)
	case value.Kind() == reflect.Struct:
		return checkFields(value, path, level)
	case isList(value.Type()):
		for index := 0; index < value.Len(); index++ {
			if err := checkSignable(value.Index(index), fmt.Sprintf("%s[%d]", path, index), level+1); err != nil {
				return err
			}
		}
		return nil
	case value.Kind() == reflect.Bool:
		return nil
	case value.Kind() == reflect.String:
		if !utf8.ValidString(value.String()) {
			return invalid("%s is not UTF-8", path)
		}
		return nil
	case value.CanInt():
		return checkNumber(float64(value.Int()), path)
	case value.CanUint():
		return checkNumber(float64(value.Uint()), path)
	case value.CanFloat():
		return checkNumber(value.Float(), path)
	}
	return invalid("%s is %s; pass structs, slices, strings, numbers, bool or nil", path, value.Kind())
}

var marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}

func writesItself(kind reflect.Type) bool {
	return kind.Implements(marshalers[0]) || kind.Implements(marshalers[1])
}

// writesOnlyByPointer is whether a pointer has MarshalJSON or MarshalText and its value has not.
func writesOnlyByPointer(pointer reflect.Type) bool {
	return writesItself(pointer) && !writesItself(pointer.Elem())
}

// isList is false for bytes, which encoding/json writes in base64.
func isList(kind reflect.Type) bool {
	return (kind.Kind() == reflect.Slice || kind.Kind() == reflect.Array) && kind.Elem().Kind() != reflect.Uint8
}

func checkMembers(members Object, path string, level int) error {
	for _, member := range members {
		if !utf8.ValidString(member.Name) {
			return invalid("%s has a name that is not UTF-8", path)
		}
		if err := checkSignable(reflect.ValueOf(member.Value), path+"."+member.Name, level+1); err != nil {
			return err
		}
	}
	return nil
}

// checkFields checks the fields that encoding/json writes.
func checkFields(value reflect.Value, path string, level int) error {
	for index := 0; index < value.NumField(); index++ {
		field := value.Type().Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		isOmitted := strings.Contains(options, "omit") && value.Field(index).IsZero()
		if !field.IsExported() && !field.Anonymous || name == "-" && options == "" || isOmitted || strings.Contains(options, "string") {
			continue
		}
		at := path
		if name == "" && !field.Anonymous {
			name = field.Name
		}
		if name != "" {
			at += "." + name
		}
		if err := checkSignable(value.Field(index), at, level+1); err != nil {
			return err
		}
	}
	return nil
}

func checkNumber(number float64, path string) error {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return invalid("%s is %v, which JSON cannot represent", path, number)
	}
	if number == math.Trunc(number) && math.Abs(number) > maxInteger {
		return invalid("%s is an integer beyond 2^53 - 1, which may already be rounded; pass it as a string", path)
	}
	return nil
}

var base58Key = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)

// isKeyOf reports whether the key has the notation of the algorithm's keys: base58 of 32 bytes for
// Ed25519, another one otherwise.
func isKeyOf(key, algorithm string) bool {
	isEd25519 := base58Key.MatchString(key) && readPublicKey(key) != nil
	if algorithm == "cosmos" && isEd25519 {
		// A compressed point in base64 may look like base58 of 32 bytes.
		point := decodeBase64(key)
		return len(point) == 33 && (point[0] == 2 || point[0] == 3)
	}
	return isEd25519 == (algorithm == "ed25519")
}

// checkKey rejects another key than the pinned one.
func (c *Client) checkKey(platformID, accountID, received, requestID string) error {
	pinned, isPinned := c.options.PinnedKeys[platformID+"/"+accountID]
	if !isPinned || pinned == received {
		return nil
	}
	message := fmt.Sprintf("the account's key is %s, but %s is pinned", received, pinned)
	return c.unusable(platformID, accountID, "KEY_CHANGED", message, received, requestID)
}

func (c *Client) unusable(platformID, accountID, reason, message, received, requestID string) error {
	name := platformID + "/" + accountID
	return &Error{
		Kind: KindVerification, Message: name + ": " + message, Reason: reason, RequestID: requestID,
		MayHaveBeenDone: true, PlatformID: platformID, AccountID: accountID,
		PinnedKey: c.options.PinnedKeys[name], ReceivedKey: received,
	}
}

// check returns whether the signature was verified, or an error if it must not be used.
// PublicKey and Encoding are empty in batches.
func (c *Client) check(request *SignRequest, signed *Signature, requestID string) (bool, error) {
	reject := func(reason, message string) (bool, error) {
		return false, c.unusable(request.PlatformID, request.AccountID, reason, message, signed.PublicKey, requestID)
	}
	if signed.PublicKey != "" {
		if err := c.checkKey(request.PlatformID, request.AccountID, signed.PublicKey, requestID); err != nil {
			return false, err
		}
	}
	key, isPinned := c.options.PinnedKeys[request.PlatformID+"/"+request.AccountID]
	if !isPinned && c.options.PinnedKeysOnly {
		return reject("KEY_NOT_PINNED", "no key is pinned for the account")
	}
	// Otherwise an attacker could claim an algorithm that is not verifiable for a pinned key.
	if isPinned && !isKeyOf(key, signed.Algorithm) {
		return reject("WRONG_ALGORITHM", "the pinned key is not a key of "+signed.Algorithm)
	}
	if c.options.VerifySignatures == VerifyNever {
		return false, nil
	}
	if !isPinned {
		key = signed.PublicKey
	}
	if key == "" || signed.Algorithm != "ed25519" {
		if c.options.VerifySignatures == VerifyWherePossible {
			return false, nil
		}
		return reject("NOT_VERIFIABLE", "the client cannot verify a signature of "+signed.Algorithm+" without a key of ed25519")
	}
	payload := []byte(signed.Payload)
	if signed.PayloadEncoding != "" {
		payload = decodeText(signed.Payload, signed.PayloadEncoding)
	}
	if len(payload) == 0 && signed.Payload != "" {
		return reject("WRONG_PAYLOAD", "the payload cannot be decoded")
	}
	publicKey := readPublicKey(key)
	for _, signature := range candidates(signed) {
		if publicKey != nil && ed25519.Verify(publicKey, payload, signature) {
			return true, nil
		}
	}
	return reject("WRONG_SIGNATURE", "the signature is not the key's signature over the payload")
}

// candidates decodes the signature by its encoding; batches name none, so by all.
func candidates(signed *Signature) [][]byte {
	text, encodings := signed.Signature, []string{signed.Encoding}
	if token, isToken := strings.CutPrefix(text, signed.Payload+"."); isToken && signed.Payload != "" {
		text, encodings = token, []string{"base64url"}
	} else if signed.Encoding == "" {
		encodings = []string{"base58", "base64", "base64url", "base64url-padded", "hex", "0x-hex"}
	}
	var decoded [][]byte
	for _, name := range encodings {
		if signature := decodeText(text, name); len(signature) == ed25519.SignatureSize {
			decoded = append(decoded, signature)
		}
	}
	return decoded
}

func decodeText(text, name string) (decoded []byte) {
	var err error
	switch name {
	case "base58":
		return decodeBase58(text)
	case "base64":
		return decodeBase64(text)
	case "base64url":
		decoded, err = base64.RawURLEncoding.Strict().DecodeString(text)
	case "base64url-padded":
		decoded, err = base64.URLEncoding.Strict().DecodeString(text)
	case "hex", "0x-hex":
		digits, isPrefixed := strings.CutPrefix(text, "0x")
		if isPrefixed != (name == "0x-hex") || digits != strings.ToLower(digits) {
			return nil
		}
		decoded, err = hex.DecodeString(digits)
	}
	if err != nil {
		return nil
	}
	return decoded
}

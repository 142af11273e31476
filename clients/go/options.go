package signing

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Source is a text, or a file that contains it, read by New. It never prints its content.
type Source struct{ text, file string }

// Text is a source in memory.
func Text(text string) Source { return Source{text: text} }

// File is a source on disk.
func File(path string) Source { return Source{file: path} }

// Format prints no content.
func (s Source) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "signing.Source") }

func (s Source) isEmpty() bool { return s == Source{} }

func (s Source) read() (string, error) {
	if s.file == "" {
		return s.text, nil
	}
	content, err := os.ReadFile(s.file)
	return string(content), err
}

// TLS is for TLS and mutual TLS, in PEM.
type TLS struct {
	// CA holds trusted certificates; default: the system's.
	CA Source
	// Cert is the client certificate chain; requires Key.
	Cert, Key Source
	// ServerName is the name in the service's certificate if it differs from the URL's host.
	ServerName string
}

// Authentication is mutual authentication (docs/callers/authentication.md).
type Authentication struct {
	// PrivateKey is the client's Ed25519 key: 64 hex digits, or PKCS#8 in PEM.
	PrivateKey Source
	// Token is the client's access token, base64.
	Token Source
	// ServiceKey is the service's public key, base58 or 64 hex digits.
	ServiceKey string
	// AuthorityKeys are public keys of trusted authorities, base58 or 64 hex digits.
	AuthorityKeys []string
}

// Retry configures the retries of failed calls (docs/callers/clients.md#retries). Zero values are
// the defaults.
type Retry struct {
	// Attempts of a call, 1 to 10; default 3. 1 disables retries.
	Attempts int
	// BaseDelay is the delay before the second attempt; doubles each time, with jitter. Default
	// 100 ms.
	BaseDelay time.Duration
	// MaxDelay is the maximum such delay; default 2 s. Retry-After may exceed it.
	MaxDelay time.Duration
	// WhenUnanswered is whether sign, verify and reload calls are retried after a broken
	// connection, although the first attempt may have succeeded: the same signature, two audit
	// records.
	WhenUnanswered bool
}

// VerificationMode is how signatures are verified before they are returned.
type VerificationMode string

// Modes of verification of Ed25519 signatures, over the payload that the service reports.
const (
	VerifyNever VerificationMode = "never"
	// VerifyWherePossible returns signatures of other algorithms, and items of a batch without a
	// pinned key, with Verified false.
	VerifyWherePossible VerificationMode = "where-possible"
	// VerifyAlways rejects signatures that cannot be verified.
	VerifyAlways VerificationMode = "always"
)

// Options of a client. Zero values are the defaults.
type Options struct {
	// URL of the service or its proxy; a path precedes /api/v1.
	URL string
	// AdminURL of the operators' listener, for Reload and Status; default URL.
	AdminURL       string
	TLS            *TLS
	Authentication *Authentication
	// Timeout of a call with all its retries; default 10 s. The context may end it earlier.
	Timeout time.Duration
	// ConnectTimeout of a connection and its TLS handshake; default 2 s.
	ConnectTimeout time.Duration
	// MaxConnections is the number of connections; further calls wait. Default 64.
	MaxConnections int
	// IdleTimeout after which an idle connection is closed; default 30 s.
	IdleTimeout time.Duration
	// MaxResponseBytes; longer responses are rejected. Default 64 MiB.
	MaxResponseBytes int64
	Retry            Retry
	// PinnedKeys are public keys as the service shows them, by "platformId/accountId".
	PinnedKeys map[string]string
	// PinnedKeysOnly rejects signatures of accounts without a pinned key.
	PinnedKeysOnly bool
	// VerifySignatures; default VerifyWherePossible with PinnedKeys, else VerifyNever.
	VerifySignatures VerificationMode
}

// CallOption is an option of one call.
type CallOption func(*callOptions)

type callOptions struct {
	requestID, traceparent string
	included               []string
	timeout                time.Duration
}

// WithRequestID sends an X-Request-Id of 1 to 128 letters, digits or . _ : @ + -; default: random.
func WithRequestID(id string) CallOption { return func(o *callOptions) { o.requestID = id } }

// WithTraceparent sends a traceparent (W3C Trace Context).
func WithTraceparent(value string) CallOption {
	return func(o *callOptions) { o.traceparent = value }
}

// WithPayload returns the signed payload of Sign, SignBatch and Verify.
func WithPayload() CallOption { return include("payload") }

// WithRequest returns the request of Sign and SignBatch as the venue takes it, for SendRequest.
func WithRequest() CallOption { return include("request") }

func include(name string) CallOption {
	return func(o *callOptions) {
		if !slices.Contains(o.included, name) {
			o.included = append(o.included, name)
		}
	}
}

// WithTimeout replaces Options.Timeout.
func WithTimeout(timeout time.Duration) CallOption {
	return func(o *callOptions) { o.timeout = timeout }
}

// bounded returns the value, or the default for 0.
func bounded[Number int | int64 | time.Duration](value Number, name string, fallback, minimum, maximum Number) (Number, error) {
	if value == 0 {
		return fallback, nil
	}
	if value < minimum || value > maximum {
		return 0, invalid("%s must be from %v to %v", name, minimum, maximum)
	}
	return value, nil
}

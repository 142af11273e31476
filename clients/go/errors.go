package signing

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of an Error.
type Kind string

// Kinds of errors.
const (
	// KindService: the service refused the request; see Code, Status, Details and RetryAfter.
	KindService Kind = "service"
	// KindNetwork: no complete response: connection refused or broken, untrusted certificate.
	KindNetwork Kind = "network"
	// KindTimeout: no response in time; see Phase.
	KindTimeout Kind = "timeout"
	// KindCanceled: the caller's context was canceled.
	KindCanceled Kind = "canceled"
	// KindProtocol: the response is not the service's: not JSON, missing fields, too long.
	KindProtocol Kind = "protocol"
	// KindUntrusted: with authentication, the service did not sign the response; see Reason and
	// Claimed. 401 responses never are signed.
	KindUntrusted Kind = "untrusted"
	// KindVerification: the signature must not be used; see Reason, PinnedKey and ReceivedKey.
	KindVerification Kind = "verification"
)

// ErrInvalid is wrapped by the errors of invalid arguments and options; nothing was sent.
var ErrInvalid = errors.New("invalid")

// Error is the error of a call. Fields that a kind does not have are empty.
type Error struct {
	Kind    Kind
	Message string
	// RequestID is the X-Request-Id of the call, as in the service log and the audit log.
	RequestID string
	// MayHaveBeenDone is whether the service may have executed (signed and recorded) the request.
	MayHaveBeenDone bool
	// Code is one of docs/callers/errors.md, or of a later service.
	Code string
	// Status is the HTTP status.
	Status  int
	Details map[string]any
	// RetryAfter is the time until a retry may succeed; nil if the service gives none.
	RetryAfter *time.Duration
	// Phase is "connect" (ConnectTimeout) or "call" (Timeout, or the context's deadline).
	Phase string
	// Reason of KindUntrusted: UNSIGNED, MALFORMED, UNKNOWN_AUTHORITY, WRONG_SERVICE,
	// TOKEN_EXPIRED, WRONG_NONCE or INVALID_SIGNATURE. Of KindVerification: KEY_CHANGED,
	// KEY_NOT_PINNED, WRONG_ALGORITHM, WRONG_PAYLOAD, WRONG_SIGNATURE or NOT_VERIFIABLE.
	Reason string
	// Claimed is the content of an untrusted refusal, for diagnosis only.
	Claimed               *Error
	PlatformID, AccountID string
	// PinnedKey and ReceivedKey are the keys of KindVerification; empty without one.
	PinnedKey, ReceivedKey string
	// Cause is the error of net, crypto/tls or context.
	Cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// IsCode reports whether an error is a refusal of the service with this code.
func IsCode(err error, code string) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Kind == KindService && failure.Code == code
}

func invalid(format string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, values...))
}

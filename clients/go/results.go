package signing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// SignRequest is data to sign and the account to sign it with.
type SignRequest struct {
	PlatformID string `json:"platformId"`
	AccountID  string `json:"accountId"`
	// Data has the platform's format. encoding/json writes it, in the order that you give, which
	// many platforms sign: a struct, an Object, a json.RawMessage or a type with MarshalJSON. Maps
	// have no order and are refused. Write prices and amounts as strings.
	Data any `json:"data"`
	// Rule is one of the platform's named rules; empty: its default rule.
	Rule string `json:"rule,omitempty"`
}

// Object is a JSON object with its members in this order, where their names are not known at
// compile time; else use a struct.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	text.WriteByte('{')
	for index, member := range o {
		if index > 0 {
			text.WriteByte(',')
		}
		if err := encoder.Encode(member.Name); err != nil {
			return nil, err
		}
		text.WriteByte(':')
		if err := encoder.Encode(member.Value); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// BatchRequest is one request of a batch. RequestID is unique in the batch and repeated in its
// result.
type BatchRequest struct {
	RequestID string `json:"requestId"`
	SignRequest
}

// VerifyRequest is a signature to verify, in the encoding of the rule or platform.
type VerifyRequest struct {
	SignRequest
	Signature string `json:"signature"`
}

// SignedPayload is what was signed; present with WithPayload and when signatures are verified.
type SignedPayload struct {
	// Payload is the exact text, or hex or base64 of binary data.
	Payload string `json:"payload,omitempty"`
	// PayloadEncoding is "hex" or "base64"; empty if Payload is the text.
	PayloadEncoding string        `json:"payloadEncoding,omitempty"`
	PayloadParts    *PayloadParts `json:"payloadParts,omitempty"`
}

// PayloadParts are the texts that were signed, each exactly as signed; a body before it is hashed.
type PayloadParts struct {
	Timestamp string `json:"timestamp,omitempty"`
	// Method in upper or lower case as signed.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	// Query without the leading "?".
	Query string `json:"query,omitempty"`
	Body  string `json:"body,omitempty"`
	// Data has other members of the data that are signed as texts of their own, such as a nonce.
	Data map[string]string `json:"data,omitempty"`
	// Values are fixed values of the account or the rule; "passphrase" is returned but not signed.
	Values map[string]string `json:"values,omitempty"`
}

// RequestToSend is a signed request as the venue takes it: an HTTP request, which SendRequest
// completes and sends, or the Message of a WebSocket, for FillMessage. What the service does not
// hold, such as a passphrase, stands as {name} in its texts.
type RequestToSend struct {
	// Method in upper case.
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is nil for none.
	Body *string `json:"body,omitempty"`
	// Message is JSON; empty for an HTTP request.
	Message string `json:"message,omitempty"`
	// Missing are the names of what the service does not hold.
	Missing []string `json:"missing"`
}

// Signature is in Encoding.
type Signature struct {
	Signature string `json:"signature"`
	Algorithm string `json:"algorithm"`
	Encoding  string `json:"encoding"`
	PublicKey string `json:"publicKey"`
	// SignedAt is ISO 8601 UTC.
	SignedAt string `json:"signedAt"`
	SignedPayload
	// Request is present with WithRequest.
	Request *RequestToSend `json:"request,omitempty"`
	// Verified is whether this client verified the signature (Options.VerifySignatures).
	Verified bool `json:"verified,omitempty"`
}

// BatchItem is the result of one request: a signature, or an Error.
type BatchItem struct {
	RequestID string `json:"requestId"`
	// Status is "success" or "failed".
	Status    string `json:"status"`
	Signature string `json:"signature,omitempty"`
	Algorithm string `json:"algorithm,omitempty"`
	SignedPayload
	// Request is present with WithRequest.
	Request  *RequestToSend `json:"request,omitempty"`
	Verified bool           `json:"verified,omitempty"`
	Error    *ItemError     `json:"error,omitempty"`
}

// ItemError is why an item of a batch failed.
type ItemError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// BatchResult has results in request order.
type BatchResult struct {
	Results []BatchItem  `json:"results"`
	Summary BatchSummary `json:"summary"`
}

// BatchSummary counts results.
type BatchSummary struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Failed     int `json:"failed"`
}

// Verification is the result of verifying a signature.
type Verification struct {
	Valid bool `json:"valid"`
	SignedPayload
}

// Usage of an account. ErrorCount counts failed attempts, refused ones included.
type Usage struct {
	TotalSigns int `json:"totalSigns"`
	// LastSignAt is ISO 8601 UTC; nil before the first signature.
	LastSignAt *string `json:"lastSignAt"`
	ErrorCount int     `json:"errorCount"`
}

// ListedAccount is an account in a list.
type ListedAccount struct {
	AccountID  string `json:"accountId"`
	PlatformID string `json:"platformId"`
	Alias      string `json:"alias"`
	// Status is "active" or "disabled": the account's own.
	Status string `json:"status"`
	// PlatformStatus is "disabled" if the platform is disabled.
	PlatformStatus string `json:"platformStatus,omitempty"`
	Environment    string `json:"environment"`
	Usage          Usage  `json:"usage"`
	// Address is the EIP-55 address of an Ethereum account.
	Address string `json:"address,omitempty"`
}

// AccountList is all accounts that the caller may read.
type AccountList struct {
	Accounts []ListedAccount `json:"accounts"`
	Total    int             `json:"total"`
}

// AccountPage is one page; NextCursor is nil on the last.
type AccountPage struct {
	AccountList
	NextCursor *string `json:"nextCursor"`
}

// Account is one account. Times are ISO 8601 UTC.
type Account struct {
	AccountID      string  `json:"accountId"`
	PlatformID     string  `json:"platformId"`
	Alias          string  `json:"alias"`
	Status         string  `json:"status"`
	PlatformStatus string  `json:"platformStatus,omitempty"`
	Environment    string  `json:"environment"`
	Algorithm      string  `json:"algorithm"`
	PublicKey      string  `json:"publicKey"`
	KeyID          string  `json:"keyId,omitempty"`
	Address        string  `json:"address,omitempty"`
	CreatedAt      string  `json:"createdAt"`
	LastUsed       *string `json:"lastUsed"`
}

// Changes of a reload.
type Changes struct {
	Added   int `json:"added"`
	Updated int `json:"updated"`
	Removed int `json:"removed"`
}

// ReloadResult is the result of a reload; Raw is everything that the service sent.
type ReloadResult struct {
	ReloadedAt    string         `json:"reloadedAt"`
	Changes       Changes        `json:"changes"`
	AccountCount  int            `json:"accountCount"`
	PlatformCount int            `json:"platformCount"`
	Raw           map[string]any `json:"-"`
}

// StatusReport is the status of the service, with groups as sent (docs/callers/api.md); Raw is
// everything.
type StatusReport struct {
	// Status is "healthy" or "degraded".
	Status      string         `json:"status"`
	Uptime      string         `json:"uptime"`
	Config      map[string]any `json:"config"`
	Accounts    map[string]any `json:"accounts"`
	Performance map[string]any `json:"performance"`
	Raw         map[string]any `json:"-"`
}

// readInto makes a result of the API's data: members without omitempty are required.
func readInto(data map[string]any, result any) error {
	if err := checkType(data, reflect.TypeOf(result).Elem(), "data"); err != nil {
		return err
	}
	// Both steps succeed for what was decoded from JSON and has these types, except fractions.
	text, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(text, result)
	}
	if err != nil {
		return fmt.Errorf("the response is invalid: %w", err)
	}
	return nil
}

func checkType(value any, wanted reflect.Type, name string) error {
	isRight := false
	switch wanted.Kind() {
	case reflect.Pointer:
		if value == nil {
			return nil
		}
		return checkType(value, wanted.Elem(), name)
	case reflect.Struct:
		members, ok := value.(map[string]any)
		for index := 0; ok && index < wanted.NumField(); index++ {
			if err := checkMember(members, wanted.Field(index)); err != nil {
				return err
			}
		}
		isRight = ok
	case reflect.Slice:
		items, ok := value.([]any)
		for _, item := range items {
			if err := checkType(item, wanted.Elem(), name); err != nil {
				return err
			}
		}
		isRight = ok
	case reflect.Map:
		_, isRight = value.(map[string]any)
	case reflect.String:
		_, isRight = value.(string)
	case reflect.Bool:
		_, isRight = value.(bool)
	case reflect.Int:
		_, isRight = value.(float64)
	}
	if !isRight {
		return fmt.Errorf("the response is invalid: %s has the wrong type", name)
	}
	return nil
}

func checkMember(members map[string]any, field reflect.StructField) error {
	if field.Anonymous {
		return checkType(members, field.Type, "data")
	}
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	value, isPresent := members[name]
	if isPresent {
		return checkType(value, field.Type, name)
	}
	if name == "-" || options == "omitempty" {
		return nil
	}
	return fmt.Errorf("the response is invalid: %s is missing", name)
}

func readBatch(data map[string]any, requests []BatchRequest, included []string) (*BatchResult, error) {
	batch := &BatchResult{}
	if err := readInto(data, batch); err != nil {
		return nil, err
	}
	if len(batch.Results) != len(requests) {
		return nil, fmt.Errorf("the response does not have one result per request")
	}
	var counted BatchSummary
	for index := range batch.Results {
		item := &batch.Results[index]
		item.Verified = false
		counted.Total++
		switch {
		case item.RequestID != requests[index].RequestID:
			return nil, fmt.Errorf("the response is invalid: requestId is not that of the request")
		case item.Status == "success" && item.Signature != "" && item.Algorithm != "":
			item.Error = nil
			counted.Successful++
			members, _ := data["results"].([]any)[index].(map[string]any)
			if err := requireMembers(members, included, nil); err != nil {
				return nil, err
			}
		case item.Status == "failed" && item.Error != nil:
			counted.Failed++
		default:
			return nil, fmt.Errorf("the response is invalid: an item is neither a signature nor an error")
		}
	}
	if batch.Summary != counted {
		return nil, fmt.Errorf("the response is invalid: summary does not match the results")
	}
	return batch, nil
}

// requireMembers requires what was asked for: payload, request.
func requireMembers(members map[string]any, included []string, err error) error {
	for _, name := range included {
		if err == nil && members[name] == nil {
			err = fmt.Errorf("the response is invalid: %s is missing", name)
		}
	}
	return err
}

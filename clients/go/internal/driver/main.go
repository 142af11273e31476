// Driver runs the contract of all clients (tests/client/contract): JSON lines in, JSON lines out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"signing-service.internal/signing"
)

type source struct {
	value signing.Source
}

func (s *source) UnmarshalJSON(text []byte) error {
	var file struct{ File string }
	if json.Unmarshal(text, &file) == nil {
		s.value = signing.File(file.File)
		return nil
	}
	var content string
	err := json.Unmarshal(text, &content)
	s.value = signing.Text(content)
	return err
}

type opening struct {
	URL, AdminURL string
	TLS           *struct {
		CA, Cert, Key source
		ServerName    string
	}
	Authentication *struct {
		PrivateKey, Token source
		ServiceKey        string
		AuthorityKeys     []string
	}
	TimeoutMs, ConnectTimeoutMs, IdleTimeoutMs int
	MaxConnections                             int
	MaxAnswerBytes                             int64
	Retry                                      json.RawMessage
	PinnedKeys                                 map[string]string
	PinnedKeysOnly                             bool
	VerifySignatures                           signing.VerificationMode
}

type message struct {
	Open     *opening
	Call     string
	Request  json.RawMessage
	Requests []batchRequest
	Options  struct {
		RequestID, Traceparent string
		IncludePayload         bool
		IncludeRequest         bool
		TimeoutMs              int
	}
	Values  map[string]string
	Special string
	Times   int
}

// Data keeps the order of the line.
type request struct {
	signing.VerifyRequest
	Data json.RawMessage `json:"data"`
}

type batchRequest struct {
	signing.BatchRequest
	Data json.RawMessage `json:"data"`
}

func milliseconds(count int) time.Duration { return time.Duration(count) * time.Millisecond }

func open(given *opening) (*signing.Client, signing.Options, error) {
	options := signing.Options{
		URL: given.URL, AdminURL: given.AdminURL, Timeout: milliseconds(given.TimeoutMs),
		ConnectTimeout: milliseconds(given.ConnectTimeoutMs), IdleTimeout: milliseconds(given.IdleTimeoutMs),
		MaxConnections: given.MaxConnections, MaxResponseBytes: given.MaxAnswerBytes,
		PinnedKeys: given.PinnedKeys, PinnedKeysOnly: given.PinnedKeysOnly, VerifySignatures: given.VerifySignatures,
	}
	if tls := given.TLS; tls != nil {
		options.TLS = &signing.TLS{CA: tls.CA.value, Cert: tls.Cert.value, Key: tls.Key.value, ServerName: tls.ServerName}
	}
	if own := given.Authentication; own != nil {
		options.Authentication = &signing.Authentication{
			PrivateKey: own.PrivateKey.value, Token: own.Token.value,
			ServiceKey: own.ServiceKey, AuthorityKeys: own.AuthorityKeys,
		}
	}
	var retry struct {
		Attempts, BaseDelayMs, MaxDelayMs int
		WhenUnanswered                    bool
	}
	if string(given.Retry) == "false" {
		retry.Attempts = 1
	} else if given.Retry != nil {
		if err := json.Unmarshal(given.Retry, &retry); err != nil {
			return nil, options, err
		}
	}
	options.Retry = signing.Retry{
		Attempts: retry.Attempts, BaseDelay: milliseconds(retry.BaseDelayMs),
		MaxDelay: milliseconds(retry.MaxDelayMs), WhenUnanswered: retry.WhenUnanswered,
	}
	client, err := signing.New(options)
	return client, options, err
}

var special = map[string]any{"nan": math.NaN(), "infinity": math.Inf(1), "big-integer": int64(1) << 53, "date": time.Now()}

func call(client *signing.Client, given *message) (any, error) {
	ctx := context.Background()
	var options []signing.CallOption
	if given.Options.RequestID != "" {
		options = append(options, signing.WithRequestID(given.Options.RequestID))
	}
	if given.Options.Traceparent != "" {
		options = append(options, signing.WithTraceparent(given.Options.Traceparent))
	}
	if given.Options.IncludePayload {
		options = append(options, signing.WithPayload())
	}
	if given.Options.IncludeRequest {
		options = append(options, signing.WithRequest())
	}
	if given.Options.TimeoutMs != 0 {
		options = append(options, signing.WithTimeout(milliseconds(given.Options.TimeoutMs)))
	}
	if given.Call == "fillMessage" || given.Call == "sendRequest" {
		return send(ctx, given)
	}
	var read request
	var selection signing.PageSelection
	if given.Request != nil {
		if err := errors.Join(json.Unmarshal(given.Request, &read), json.Unmarshal(given.Request, &selection)); err != nil {
			return nil, err
		}
	}
	request := read.VerifyRequest
	request.Data = read.Data
	if given.Special != "" {
		request.Data = signing.Object{{Name: "list", Value: []any{signing.Object{{Name: "x", Value: special[given.Special]}}}}}
	}
	switch given.Call {
	case "sign":
		return client.Sign(ctx, request.SignRequest, options...)
	case "signBatch":
		requests := make([]signing.BatchRequest, len(given.Requests))
		for index, one := range given.Requests {
			requests[index] = one.BatchRequest
			requests[index].Data = one.Data
		}
		return client.SignBatch(ctx, requests, options...)
	case "verify":
		return client.Verify(ctx, request, options...)
	case "accounts":
		return client.Accounts(ctx, request.PlatformID, options...)
	case "accountPage":
		return client.AccountPage(ctx, selection, options...)
	case "eachAccount":
		accounts := []signing.ListedAccount{}
		var failure error
		client.EachAccount(ctx, selection, options...)(func(account signing.ListedAccount, err error) bool {
			accounts, failure = append(accounts, account), err
			return true
		})
		return accounts, failure
	case "account":
		return client.Account(ctx, request.PlatformID, request.AccountID, options...)
	case "reload":
		return client.Reload(ctx, options...)
	case "status":
		return client.Status(ctx, options...)
	case "parallelSign":
		return parallel(ctx, client, request.SignRequest, given.Times)
	case "close":
		client.Close()
		return nil, nil
	}
	return nil, fmt.Errorf("no such call: %s", given.Call)
}

func send(ctx context.Context, given *message) (any, error) {
	var request signing.RequestToSend
	if err := json.Unmarshal(given.Request, &request); err != nil {
		return nil, err
	}
	if given.Call == "fillMessage" {
		return signing.FillMessage(&request, given.Values)
	}
	response, err := signing.SendRequest(ctx, &request, given.Values, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return map[string]any{"status": response.StatusCode, "body": string(body)}, err
}

func parallel(ctx context.Context, client *signing.Client, request signing.SignRequest, times int) (any, error) {
	results, failures := make([]*signing.Signature, times), make([]error, times)
	var calls sync.WaitGroup
	for index := range results {
		calls.Add(1)
		go func() {
			defer calls.Done()
			results[index], failures[index] = client.Sign(ctx, request)
		}()
	}
	calls.Wait()
	for _, failure := range failures {
		if failure != nil {
			return nil, failure
		}
	}
	return results, nil
}

func report(err error) map[string]any {
	var failure *signing.Error
	if !errors.As(err, &failure) {
		kind := "unexpected"
		if errors.Is(err, signing.ErrInvalid) {
			kind = "invalid"
		}
		return map[string]any{"kind": kind, "message": err.Error()}
	}
	fields := map[string]any{
		"kind": failure.Kind, "message": failure.Error(), "requestId": failure.RequestID,
		"mayHaveBeenDone": failure.MayHaveBeenDone, "status": failure.Status, "code": failure.Code,
		"details": failure.Details, "phase": failure.Phase, "reason": failure.Reason, "retryAfterMs": nil,
		"pinnedKey": failure.PinnedKey, "receivedKey": failure.ReceivedKey,
	}
	if failure.RetryAfter != nil {
		fields["retryAfterMs"] = failure.RetryAfter.Milliseconds()
	}
	if failure.Claimed != nil {
		fields["claimed"] = report(failure.Claimed)
	}
	return fields
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	var client *signing.Client
	for lines.Scan() {
		var given message
		var result any
		err := json.Unmarshal(lines.Bytes(), &given)
		if err == nil && given.Open != nil {
			var options signing.Options
			client, options, err = open(given.Open)
			var shown strings.Builder
			fmt.Fprintf(&shown, "%v %+v %#v %s ", client, client, client, client)
			fmt.Fprintf(&shown, "%v %+v %#v", options, options.TLS, options.Authentication)
			encoded, _ := json.Marshal(options)
			result = map[string]string{"shown": shown.String() + string(encoded)}
		} else if err == nil {
			result, err = call(client, &given)
		}
		reply := map[string]any{"ok": result}
		if err != nil {
			reply = map[string]any{"error": report(err)}
		}
		text, _ := json.Marshal(reply)
		fmt.Println(string(text))
	}
}

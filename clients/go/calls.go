package signing

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

var (
	requestIDForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$`)
	// W3C Trace Context §3.2; IDs are not all zeros.
	traceparentForm = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)
	jsonType        = regexp.MustCompile(`(?i)^application/json(;|$)`)
	wholeSeconds    = regexp.MustCompile(`^[0-9]{1,9}$`)
	zeros           = regexp.MustCompile(`^0+$`)
	// Refusals after which nothing was executed. Written by `npm run generate`.
	retryableCodes = []string{"RATE_LIMITED", "OVERLOADED", "NOT_READY"}
)

// call is one call with its retries.
type call struct {
	client    *Client
	endpoint  *endpoint
	method    string
	path      string
	body      []byte
	headers   http.Header
	requestID string
	timeout   time.Duration
	// attempt is 1 for the first.
	attempt int
	// mayHaveRun is whether an earlier attempt may have been executed.
	mayHaveRun bool
}

func (c *Client) newCall(e *endpoint, method, path string, content any, options callOptions) (*call, error) {
	made := &call{client: c, endpoint: e, method: method, path: path, timeout: options.timeout}
	if c.isClosed.Load() {
		return nil, invalid("the client is closed")
	}
	var err error
	if made.timeout, err = bounded(options.timeout, "timeout", c.options.Timeout, 1, maxTimeout); err != nil {
		return nil, err
	}
	if made.requestID = options.requestID; made.requestID == "" {
		made.requestID = newUUID()
	}
	if !requestIDForm.MatchString(made.requestID) {
		return nil, invalid("the request ID must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit")
	}
	made.headers = http.Header{"Accept": {"application/json"}, "X-Request-Id": {made.requestID}, "User-Agent": nil}
	if options.traceparent != "" {
		parts := traceparentForm.FindStringSubmatch(options.traceparent)
		if parts == nil || parts[1] == "ff" || zeros.MatchString(parts[2]) || zeros.MatchString(parts[3]) {
			return nil, invalid("traceparent must be in W3C Trace Context form")
		}
		made.headers["Traceparent"] = []string{options.traceparent}
	}
	if content == nil {
		return made, nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return nil, invalid("%v", err)
	}
	if !utf8.Valid(body.Bytes()) {
		return nil, invalid("the data is not UTF-8")
	}
	made.body = bytes.TrimRight(body.Bytes(), "\n")
	made.headers["Content-Type"] = []string{"application/json"}
	return made, nil
}

// run sends the request, retries where that is safe, and returns the service's request ID.
func (c *call) run(parent context.Context, read func(map[string]any) error) (string, error) {
	ctx, cancel := context.WithTimeout(parent, c.timeout)
	defer cancel()
	for c.attempt = 1; ; c.attempt++ {
		requestID, failure, retryIn := c.once(ctx, parent, read)
		if failure == nil {
			return requestID, nil
		}
		c.mayHaveRun = failure.MayHaveBeenDone
		deadline, _ := ctx.Deadline()
		if retryIn < 0 || time.Now().Add(retryIn).After(deadline) {
			return "", failure
		}
		timer := time.NewTimer(retryIn)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", c.ended(parent, c.mayHaveRun)
		}
	}
}

const noRetry = time.Duration(-1)

func (c *call) once(ctx, parent context.Context, read func(map[string]any) error) (string, *Error, time.Duration) {
	target := c.endpoint.prefix + "/api/v1" + c.path
	headers := c.headers.Clone()
	var own *credentials
	if c.client.authentication != nil {
		// Nonce and time are single-use, so each attempt is signed again.
		var err error
		if own, err = c.client.authentication.sign(c.method, target, c.body); err != nil {
			return "", c.failure(KindNetwork, err.Error(), c.mayHaveRun), noRetry
		}
		headers["Signing-Request-Auth"] = []string{own.header()}
	}
	received, problem := c.endpoint.exchange(ctx, c.method, target, headers, c.body, c.client.options.MaxResponseBytes)
	if problem != nil {
		failure, retryIn := c.afterExchangeError(ctx, parent, problem)
		return "", failure, retryIn
	}
	distrust := ""
	if own != nil {
		distrust = own.verify(received.status, received.body, received.header("Signing-Response-Auth"))
	}
	return c.read(received, distrust, read)
}

func (c *call) read(received *response, distrust string, read func(map[string]any) error) (string, *Error, time.Duration) {
	requestID := c.requestID
	for _, name := range []string{"X-Correlation-Id", "X-Request-Id"} {
		if given := received.header(name); given != "" {
			requestID = given
		}
	}
	data, refusal, err := readEnvelope(received)
	if refusal != nil {
		isFromService := received.header("X-Correlation-Id") != ""
		// A 5xx does not exclude execution, except the service's own 503.
		mayHaveRun := received.status >= 500 && !(received.status == 503 && isFromService)
		refusal.RequestID, refusal.MayHaveBeenDone = requestID, mayHaveRun || c.mayHaveRun
		// An unsigned refusal is as trustworthy as its TLS connection.
		isTrusted := distrust == "" || (distrust == "UNSIGNED" && c.endpoint.isSecure)
		retryIn := c.afterRefusal(refusal, isFromService && isTrusted)
		if distrust != "" {
			return "", untrusted(distrust, refusal, requestID), retryIn
		}
		return "", refusal, retryIn
	}
	if distrust != "" {
		return "", untrusted(distrust, nil, requestID), noRetry
	}
	if err == nil {
		err = read(data)
	}
	if err != nil {
		failure := c.failure(KindProtocol, err.Error(), true)
		failure.Status, failure.RequestID = received.status, requestID
		return "", failure, noRetry
	}
	return requestID, nil, 0
}

func (c *call) afterRefusal(refusal *Error, isFromService bool) time.Duration {
	isRetryable := slices.Contains(retryableCodes, refusal.Code)
	retry := c.client.options.Retry
	if c.attempt >= retry.Attempts || !isRetryable || (!isFromService && !c.mayRepeat()) {
		return noRetry
	}
	if refusal.RetryAfter == nil {
		if refusal.Code == "RATE_LIMITED" {
			// No time: the batch exceeds the limit and never fits.
			return noRetry
		}
		return c.backoff()
	}
	jitter := min(time.Second, max(retry.BaseDelay, *refusal.RetryAfter))
	wait := *refusal.RetryAfter << (c.attempt - 1)
	if wait>>(c.attempt-1) != *refusal.RetryAfter {
		return noRetry
	}
	return wait + time.Duration(mathrand.Float64()*float64(jitter))
}

func (c *call) afterExchangeError(ctx, parent context.Context, problem *exchangeError) (*Error, time.Duration) {
	mayHaveBeenDone := problem.wasSent || c.mayHaveRun
	if errors.Is(problem.cause, errTooLong) {
		failure := c.failure(KindProtocol, problem.Error(), true)
		failure.Status = problem.status
		return failure, noRetry
	}
	if ctx.Err() != nil {
		return c.ended(parent, mayHaveBeenDone), noRetry
	}
	message := "the connection closed before the response was complete: "
	if !problem.wasSent {
		message = "cannot connect to the service: "
	}
	failure := c.failure(KindNetwork, message+problem.Error(), mayHaveBeenDone)
	if problem.isConnectTimeout() {
		failure = c.failure(KindTimeout, fmt.Sprintf("no connection within %v", c.client.options.ConnectTimeout), mayHaveBeenDone)
		failure.Phase = "connect"
	}
	failure.Cause = problem.cause
	isSafe := problem.isTransient()
	if problem.wasSent {
		isSafe = c.mayRepeat()
	}
	if !isSafe || c.attempt >= c.client.options.Retry.Attempts {
		return failure, noRetry
	}
	return failure, c.backoff()
}

// ended is the error of a call whose context is over.
func (c *call) ended(parent context.Context, mayHaveBeenDone bool) *Error {
	if errors.Is(parent.Err(), context.Canceled) {
		failure := c.failure(KindCanceled, "the call was canceled", mayHaveBeenDone)
		failure.Cause = context.Cause(parent)
		return failure
	}
	failure := c.failure(KindTimeout, fmt.Sprintf("no response within %v", c.timeout), mayHaveBeenDone)
	failure.Phase, failure.Cause = "call", context.DeadlineExceeded
	return failure
}

func (c *call) failure(kind Kind, message string, mayHaveBeenDone bool) *Error {
	return &Error{Kind: kind, Message: message, RequestID: c.requestID, MayHaveBeenDone: mayHaveBeenDone}
}

func (c *call) mayRepeat() bool {
	return c.method == http.MethodGet || c.client.options.Retry.WhenUnanswered
}

// backoff has jitter between half and all of the delay, which spreads the callers.
func (c *call) backoff() time.Duration {
	retry := c.client.options.Retry
	wait := float64(min(retry.MaxDelay, retry.BaseDelay<<(c.attempt-1)))
	return time.Duration(wait/2 + mathrand.Float64()*wait/2)
}

func untrusted(reason string, claimed *Error, requestID string) *Error {
	message := fmt.Sprintf("the response is not authenticated (%s)", reason)
	if claimed != nil {
		message += fmt.Sprintf("; it reports %d %s", claimed.Status, claimed.Message)
		if detail, ok := claimed.Details["reason"].(string); ok {
			message += fmt.Sprintf(" (%s)", detail)
		}
	}
	failure := &Error{Kind: KindUntrusted, Message: message, RequestID: requestID, MayHaveBeenDone: true}
	failure.Reason, failure.Claimed = reason, claimed
	return failure
}

// readEnvelope reads {"success":true,"data":{…}} with status 200, or
// {"success":false,"error":{…}} above 399.
func readEnvelope(received *response) (map[string]any, *Error, error) {
	status := received.status
	if !jsonType.MatchString(received.header("Content-Type")) {
		return nil, nil, fmt.Errorf("the response with status %d is not JSON", status)
	}
	var content map[string]any
	if !utf8.Valid(received.body) || json.Unmarshal(received.body, &content) != nil || content == nil {
		return nil, nil, fmt.Errorf("the response with status %d is not a valid JSON object", status)
	}
	data, isObject := content["data"].(map[string]any)
	if status == 200 && content["success"] == true && isObject {
		return data, nil, nil
	}
	problem, isObject := content["error"].(map[string]any)
	if status < 400 || content["success"] != false || !isObject {
		return nil, nil, fmt.Errorf("the response with status %d does not have the envelope of the service", status)
	}
	code, hasCode := problem["code"].(string)
	message, hasMessage := problem["message"].(string)
	details, hasDetails := problem["details"].(map[string]any)
	if !hasCode || !hasMessage || !hasDetails {
		return nil, nil, fmt.Errorf("the response with status %d has no valid error object", status)
	}
	refusal := &Error{Kind: KindService, Message: code + ": " + message, Code: code, Status: status, Details: details}
	milliseconds := -1.0
	if exact, ok := details["retryAfterMs"].(float64); ok && exact >= 0 {
		milliseconds = exact
	} else if header := received.header("Retry-After"); wholeSeconds.MatchString(header) {
		seconds, _ := strconv.ParseFloat(header, 64)
		milliseconds = seconds * 1000
	}
	if milliseconds >= 0 {
		after := time.Duration(min(milliseconds*1e6, math.MaxInt64/2))
		refusal.RetryAfter = &after
	}
	return nil, refusal, nil
}

func newUUID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic(err)
	}
	id[6], id[8] = id[6]&15|64, id[8]&63|128
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

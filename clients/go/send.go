package signing

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	placeholder = regexp.MustCompile(`\{([A-Za-z0-9_.]+)\}`)
	// headerValue has no line breaks, which would begin another header, and nothing that clients
	// encode differently.
	headerValue = regexp.MustCompile(`^[\x20-\x7e]*$`)
)

const formType = "application/x-www-form-urlencoded"

// FillRequest puts values in place of {name} in an HTTP request: percent-encoded in the URL and in
// a form, escaped in JSON, verbatim in headers. One that a URL or body begins with is verbatim: an
// origin, a whole body. Errors wrap ErrInvalid: for a value that is missing or that the request
// does not need, for a header with characters other than printable ASCII, and for a URL that
// net/http would send otherwise. SendRequest sends the request without following redirects.
func FillRequest(ctx context.Context, request *RequestToSend, values map[string]string) (*http.Request, error) {
	if request.Message != "" {
		return nil, invalid("the request is a message of a WebSocket; use FillMessage")
	}
	if err := request.checkValues(values); err != nil {
		return nil, err
	}
	address := request.fill(request.URL, values, escape)
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil || parsed.String() != address || strings.Contains(address, "#") {
		return nil, invalid("the URL of the request cannot be sent as it is")
	}
	headers, encode := http.Header{}, escapeJSON
	for name, template := range request.Headers {
		value := request.fill(template, values, func(text string) string { return text })
		if !headerValue.MatchString(value) {
			return nil, invalid("the header %s must be printable ASCII", name)
		}
		if strings.EqualFold(name, "Content-Type") && strings.HasPrefix(value, formType) {
			encode = escape
		}
		headers[name] = []string{value}
	}
	var body io.Reader
	if request.Body != nil {
		body = strings.NewReader(request.fill(*request.Body, values, encode))
	}
	filled, err := http.NewRequestWithContext(ctx, request.Method, address, body)
	if err != nil {
		return nil, invalid("the request cannot be sent: its method or URL is invalid")
	}
	filled.Header = headers
	return filled, nil
}

// FillMessage puts values, escaped, in place of {name} in the message of a WebSocket. Errors wrap
// ErrInvalid.
func FillMessage(request *RequestToSend, values map[string]string) (string, error) {
	if err := request.checkValues(values); err != nil {
		return "", err
	}
	return request.fill(request.Message, values, escapeJSON), nil
}

// SendRequest fills an HTTP request and sends it, byte for byte as signed. It returns the venue's
// response, of any status; a redirect is not followed. A nil client uses no proxies of the
// environment and has a timeout of 30 s. Errors are those of FillRequest and of net/http.
func SendRequest(ctx context.Context, request *RequestToSend, values map[string]string, client *http.Client) (*http.Response, error) {
	filled, err := FillRequest(ctx, request, values)
	if err != nil {
		return nil, err
	}
	own := http.Client{Transport: direct, Timeout: 30 * time.Second}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return own.Do(filled)
}

var direct = &http.Transport{ForceAttemptHTTP2: true, MaxIdleConns: 100, IdleConnTimeout: 30 * time.Second}

func (r *RequestToSend) checkValues(values map[string]string) error {
	for name := range values {
		if !slices.Contains(r.Missing, name) {
			return invalid("the request has no {%s}", name)
		}
	}
	for _, name := range r.Missing {
		if _, isGiven := values[name]; !isGiven {
			return invalid("the request needs a value for {%s}", name)
		}
	}
	return nil
}

func (r *RequestToSend) fill(text string, values map[string]string, encode func(string) string) string {
	var filled strings.Builder
	end := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		if !slices.Contains(r.Missing, name) {
			continue
		}
		filled.WriteString(text[end:at[0]])
		if at[0] == 0 {
			filled.WriteString(values[name])
		} else {
			filled.WriteString(encode(values[name]))
		}
		end = at[1]
	}
	return filled.String() + text[end:]
}

func escapeJSON(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	// A string always encodes.
	_ = encoder.Encode(text)
	return strings.TrimSuffix(strings.TrimPrefix(quoted.String(), `"`), "\"\n")
}

// Package signing is a client of the signing service (docs/callers/clients.md): it reuses
// connections, retries where that cannot sign twice, and types errors. It needs the standard
// library only.
package signing

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const maxTimeout = time.Hour

// Client calls the service. Create one per service with New and share it among goroutines.
// Methods return an *Error, or an error that wraps ErrInvalid before anything is sent.
type Client struct {
	options        Options
	endpoint       *endpoint
	admin          *endpoint
	authentication *mutualAuthentication
	isClosed       atomic.Bool
}

// New returns a client. Errors wrap ErrInvalid and quote no key material.
func New(options Options) (*Client, error) {
	if err := setDefaults(&options); err != nil {
		return nil, err
	}
	c := &Client{}
	var err error
	if c.endpoint, err = newEndpoint(options.URL, "URL", &options); err != nil {
		return nil, err
	}
	c.admin = c.endpoint
	if options.AdminURL != "" {
		if c.admin, err = newEndpoint(options.AdminURL, "AdminURL", &options); err != nil {
			return nil, err
		}
	}
	if options.TLS != nil && !c.endpoint.isSecure && !c.admin.isSecure {
		return nil, invalid("TLS is set, but the URL is not https")
	}
	if options.Authentication != nil {
		if c.authentication, err = newMutualAuthentication(options.Authentication); err != nil {
			return nil, err
		}
	}
	// Secrets are not kept longer than needed.
	options.TLS, options.Authentication = nil, nil
	c.options = options
	return c, nil
}

func setDefaults(options *Options) error {
	var err error
	set := func(problem error) {
		if err == nil {
			err = problem
		}
	}
	duration := func(value *time.Duration, name string, fallback, maximum time.Duration) {
		var problem error
		*value, problem = bounded(*value, name, fallback, 1, maximum)
		set(problem)
	}
	duration(&options.Timeout, "Timeout", 10*time.Second, maxTimeout)
	duration(&options.ConnectTimeout, "ConnectTimeout", 2*time.Second, maxTimeout)
	duration(&options.IdleTimeout, "IdleTimeout", 30*time.Second, maxTimeout)
	duration(&options.Retry.BaseDelay, "Retry.BaseDelay", 100*time.Millisecond, time.Minute)
	duration(&options.Retry.MaxDelay, "Retry.MaxDelay", 2*time.Second, time.Minute)
	var problem error
	options.MaxConnections, problem = bounded(options.MaxConnections, "MaxConnections", 64, 1, 65_536)
	set(problem)
	options.MaxResponseBytes, problem = bounded(options.MaxResponseBytes, "MaxResponseBytes", 67_108_864, 1, 536_870_912)
	set(problem)
	options.Retry.Attempts, problem = bounded(options.Retry.Attempts, "Retry.Attempts", 3, 1, 10)
	set(problem)
	pinned := make(map[string]string, len(options.PinnedKeys))
	for name, key := range options.PinnedKeys {
		if !strings.Contains(name, "/") || key == "" {
			set(invalid("PinnedKeys[%q] must be a public key, named platformId/accountId", name))
		}
		pinned[name] = key
	}
	options.PinnedKeys = pinned
	switch options.VerifySignatures {
	case VerifyNever, VerifyWherePossible, VerifyAlways:
	case "":
		options.VerifySignatures = VerifyNever
		if len(pinned) > 0 {
			options.VerifySignatures = VerifyWherePossible
		}
	default:
		set(invalid("VerifySignatures must be never, where-possible or always"))
	}
	return err
}

// Format prints the URL only, no key material.
func (c *Client) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "signing.Client("+c.options.URL+")")
}

// Sign signs one data object.
func (c *Client) Sign(ctx context.Context, request SignRequest, options ...CallOption) (*Signature, error) {
	if err := checkSignable(reflect.ValueOf(request.Data), "data", 1); err != nil {
		return nil, err
	}
	own := c.signingOptions(options)
	signed := &Signature{}
	requestID, err := c.call(ctx, c.endpoint, "/sign"+includeQuery(own.included), request, own, func(data map[string]any) error {
		return requireMembers(data, own.included, readInto(data, signed))
	})
	if err != nil {
		return nil, err
	}
	if signed.Verified, err = c.check(&request, signed, requestID); err != nil {
		return nil, err
	}
	return signed, nil
}

// SignBatch signs many in one call; items succeed or fail independently.
func (c *Client) SignBatch(ctx context.Context, requests []BatchRequest, options ...CallOption) (*BatchResult, error) {
	for index := range requests {
		path := fmt.Sprintf("requests[%d].data", index)
		if err := checkSignable(reflect.ValueOf(requests[index].Data), path, 1); err != nil {
			return nil, err
		}
	}
	sent := append([]BatchRequest{}, requests...)
	own := c.signingOptions(options)
	content := map[string]any{"requests": sent}
	var batch *BatchResult
	requestID, err := c.call(ctx, c.endpoint, "/sign/batch"+includeQuery(own.included), content, own, func(data map[string]any) (err error) {
		batch, err = readBatch(data, sent, own.included)
		return err
	})
	if err != nil {
		return nil, err
	}
	for index := range batch.Results {
		item := &batch.Results[index]
		if item.Error != nil {
			continue
		}
		signed := &Signature{Signature: item.Signature, Algorithm: item.Algorithm, SignedPayload: item.SignedPayload}
		if item.Verified, err = c.check(&sent[index].SignRequest, signed, requestID); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

// Verify verifies a signature with the service.
func (c *Client) Verify(ctx context.Context, request VerifyRequest, options ...CallOption) (*Verification, error) {
	if err := checkSignable(reflect.ValueOf(request.Data), "data", 1); err != nil {
		return nil, err
	}
	own := c.callOptions(options)
	verification := &Verification{}
	_, err := c.call(ctx, c.endpoint, "/verify"+includeQuery(own.included), request, own, into(verification))
	return orNil(verification, err)
}

// Accounts returns all accounts that the caller may read, of one platform if platformID is not
// empty. For many accounts, use EachAccount.
func (c *Client) Accounts(ctx context.Context, platformID string, options ...CallOption) (*AccountList, error) {
	list := &AccountList{}
	path := accountsPath(url.Values{}, platformID)
	_, err := c.call(ctx, c.endpoint, path, nil, c.callOptions(options), into(list))
	return orNil(list, err)
}

// PageSelection selects a page of accounts.
type PageSelection struct {
	// PlatformID; empty for all.
	PlatformID string
	// Limit is the page size, at most 1000; default 1000.
	Limit int
	// Cursor is NextCursor of the previous page; empty for the first.
	Cursor string
}

// AccountPage returns one page of accounts.
func (c *Client) AccountPage(ctx context.Context, selection PageSelection, options ...CallOption) (*AccountPage, error) {
	if selection.Limit == 0 {
		selection.Limit = 1000
	}
	query := url.Values{"limit": {strconv.Itoa(selection.Limit)}}
	if selection.Cursor != "" {
		query.Set("cursor", selection.Cursor)
	}
	page := &AccountPage{}
	path := accountsPath(query, selection.PlatformID)
	_, err := c.call(ctx, c.endpoint, path, nil, c.callOptions(options), into(page))
	return orNil(page, err)
}

// EachAccount iterates over all accounts page by page; an error ends it. From Go 1.23:
//
//	for account, err := range client.EachAccount(ctx, signing.PageSelection{}) { … }
func (c *Client) EachAccount(ctx context.Context, selection PageSelection, options ...CallOption) func(yield func(ListedAccount, error) bool) {
	return func(yield func(ListedAccount, error) bool) {
		for next := selection; ; {
			page, err := c.AccountPage(ctx, next, options...)
			if err != nil {
				yield(ListedAccount{}, err)
				return
			}
			for _, account := range page.Accounts {
				if !yield(account, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			next.Cursor = *page.NextCursor
		}
	}
}

// Account returns one account; KindVerification if another key is pinned.
func (c *Client) Account(ctx context.Context, platformID, accountID string, options ...CallOption) (*Account, error) {
	account := &Account{}
	path := "/accounts/" + escape(platformID) + "/" + escape(accountID)
	requestID, err := c.call(ctx, c.endpoint, path, nil, c.callOptions(options), func(data map[string]any) error {
		err := readInto(data, account)
		if err == nil && (account.PlatformID != platformID || account.AccountID != accountID) {
			err = fmt.Errorf("the response is invalid: it is about another account")
		}
		return err
	})
	if err == nil {
		err = c.checkKey(platformID, accountID, account.PublicKey, requestID)
	}
	return orNil(account, err)
}

// Reload reloads the credentials, through AdminURL if set.
func (c *Client) Reload(ctx context.Context, options ...CallOption) (*ReloadResult, error) {
	result := &ReloadResult{}
	_, err := c.post(ctx, c.admin, "/config/reload", nil, c.callOptions(options), func(data map[string]any) error {
		result.Raw = data
		return readInto(data, result)
	})
	return orNil(result, err)
}

// Status returns the status of the service, through AdminURL if set.
func (c *Client) Status(ctx context.Context, options ...CallOption) (*StatusReport, error) {
	report := &StatusReport{}
	_, err := c.call(ctx, c.admin, "/status", nil, c.callOptions(options), func(data map[string]any) error {
		report.Raw = data
		return readInto(data, report)
	})
	return orNil(report, err)
}

// Close closes idle connections now, others after their calls; later calls are ErrInvalid.
func (c *Client) Close() {
	c.isClosed.Store(true)
	c.endpoint.transport.CloseIdleConnections()
	c.admin.transport.CloseIdleConnections()
}

func (c *Client) callOptions(options []CallOption) callOptions {
	var own callOptions
	for _, set := range options {
		set(&own)
	}
	return own
}

func (c *Client) signingOptions(options []CallOption) callOptions {
	own := c.callOptions(options)
	if c.options.VerifySignatures != VerifyNever {
		WithPayload()(&own)
	}
	return own
}

func includeQuery(included []string) string {
	if len(included) == 0 {
		return ""
	}
	return "?include=" + strings.Join(included, ",")
}

// call sends GET without content, else POST.
func (c *Client) call(ctx context.Context, e *endpoint, path string, content any, own callOptions, read func(map[string]any) error) (string, error) {
	if content != nil {
		return c.post(ctx, e, path, content, own, read)
	}
	made, err := c.newCall(e, http.MethodGet, path, nil, own)
	if err != nil {
		return "", err
	}
	return made.run(ctx, read)
}

func (c *Client) post(ctx context.Context, e *endpoint, path string, content any, own callOptions, read func(map[string]any) error) (string, error) {
	made, err := c.newCall(e, http.MethodPost, path, content, own)
	if err != nil {
		return "", err
	}
	return made.run(ctx, read)
}

func into(result any) func(map[string]any) error {
	return func(data map[string]any) error { return readInto(data, result) }
}

func orNil[Result any](result *Result, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	return result, nil
}

func accountsPath(query url.Values, platformID string) string {
	if platformID != "" {
		query.Set("platform", platformID)
	}
	if len(query) == 0 {
		return "/accounts"
	}
	return "/accounts?" + query.Encode()
}

// escape encodes everything but unreserved characters (RFC 3986 §2.3).
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

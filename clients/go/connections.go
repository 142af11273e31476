package signing

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// transientErrors are errors of connecting that may pass; wrong certificates or unknown hosts stay
// wrong. EOF ends a TLS handshake.
var transientErrors = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH, io.EOF, io.ErrUnexpectedEOF,
}

var errTooLong = errors.New("the response is larger than MaxResponseBytes")

// endpoint is a listener of the service and its connections.
type endpoint struct {
	base      *url.URL
	isSecure  bool
	prefix    string
	transport *http.Transport
}

// response is a complete HTTP response.
type response struct {
	status  int
	headers http.Header
	body    []byte
}

func (r *response) header(name string) string { return strings.Join(r.headers.Values(name), ", ") }

// exchangeError is an exchange without a complete response.
type exchangeError struct {
	cause error
	// wasSent is whether the service may have received the request.
	wasSent bool
	status  int
}

func (e *exchangeError) Error() string { return e.cause.Error() }

type connectTimeoutError struct{ error }

func (e *exchangeError) isConnectTimeout() bool {
	var timeout connectTimeoutError
	return !e.wasSent && errors.As(e.cause, &timeout)
}

// isTransient reports whether another attempt to connect may succeed.
func (e *exchangeError) isTransient() bool {
	for _, transient := range transientErrors {
		if errors.Is(e.cause, transient) {
			return true
		}
	}
	var lookup *net.DNSError
	return e.isConnectTimeout() || (errors.As(e.cause, &lookup) && (lookup.IsTemporary || lookup.IsTimeout))
}

func newEndpoint(given, name string, options *Options) (*endpoint, error) {
	base, err := url.Parse(given)
	switch {
	case err != nil || base.Hostname() == "" || (base.Scheme != "https" && base.Scheme != "http"):
		return nil, invalid("%s must be a URL that starts with https: or http:", name)
	case base.User != nil:
		return nil, invalid("%s must not contain a user or password", name)
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, invalid("%s must not have a query or fragment", name)
	}
	e := &endpoint{base: base, isSecure: base.Scheme == "https", prefix: strings.TrimRight(base.EscapedPath(), "/")}
	var secure *tls.Config
	if e.isSecure {
		if secure, err = tlsConfig(options.TLS, base.Hostname()); err != nil {
			return nil, err
		}
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return connect(ctx, network, address, secure, options.ConnectTimeout)
	}
	// No Proxy: variables of the environment are ignored. HTTP/1.1 only.
	e.transport = &http.Transport{
		DialContext:            dial,
		DialTLSContext:         dial,
		DisableCompression:     true,
		IdleConnTimeout:        options.IdleTimeout,
		MaxConnsPerHost:        options.MaxConnections,
		MaxIdleConnsPerHost:    options.MaxConnections,
		MaxResponseHeaderBytes: 65536,
	}
	return e, nil
}

func connect(ctx context.Context, network, address string, secure *tls.Config, timeout time.Duration) (net.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(limited, network, address)
	if err == nil && secure != nil {
		raw, encrypted := connection, tls.Client(connection, secure)
		if err = encrypted.HandshakeContext(limited); err != nil {
			_ = raw.Close()
		}
		connection = encrypted
	}
	if err == nil {
		return connection, nil
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = connectTimeoutError{err}
	}
	return nil, err
}

// noBody keeps the transport from repeating GET requests: each attempt needs another nonce.
type noBody struct{}

func (noBody) Read([]byte) (int, error) { return 0, io.EOF }
func (noBody) Close() error             { return nil }

// exchange sends a request once, without following redirects, and reads the response.
func (e *endpoint) exchange(ctx context.Context, method, target string, headers http.Header, body []byte, maxBytes int64) (*response, *exchangeError) {
	var wasSent atomic.Bool
	failed := func(cause error, status int) (*response, *exchangeError) {
		return nil, &exchangeError{cause: cause, wasSent: wasSent.Load(), status: status}
	}
	// The transport gives a connection to the request after its TLS handshake.
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { wasSent.Store(true) },
	})
	var content io.Reader = bytes.NewReader(body)
	if method == http.MethodGet {
		content = noBody{}
	}
	request, err := http.NewRequestWithContext(traced, method, e.base.Scheme+"://"+e.base.Host+target, content)
	if err != nil {
		return failed(err, 0)
	}
	request.Header = headers
	received, err := e.transport.RoundTrip(request)
	if err != nil {
		return failed(err, 0)
	}
	defer received.Body.Close()
	text, err := io.ReadAll(io.LimitReader(received.Body, maxBytes+1))
	if err != nil {
		return failed(err, received.StatusCode)
	}
	if int64(len(text)) > maxBytes {
		return failed(errTooLong, received.StatusCode)
	}
	return &response{status: received.StatusCode, headers: received.Header, body: text}, nil
}

func tlsConfig(options *TLS, host string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if options == nil {
		return config, nil
	}
	if options.ServerName != "" {
		config.ServerName = options.ServerName
	}
	if !options.CA.isEmpty() {
		text, err := options.CA.read()
		if err != nil {
			return nil, invalid("TLS.CA: %v", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(text)) {
			return nil, invalid("TLS.CA has no certificate in PEM")
		}
	}
	if options.Cert.isEmpty() != options.Key.isEmpty() {
		return nil, invalid("TLS.Cert and TLS.Key must be set together")
	}
	if options.Cert.isEmpty() {
		return config, nil
	}
	cert, err := options.Cert.read()
	if err != nil {
		return nil, invalid("TLS.Cert: %v", err)
	}
	key, err := options.Key.read()
	if err != nil {
		return nil, invalid("TLS.Key: %v", err)
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, invalid("TLS.Cert or TLS.Key: %v", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

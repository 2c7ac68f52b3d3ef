package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// answerTime is how long an answer has from its request's head to its last byte,
// the call included.
const answerTime = 45 * time.Second

const jsonMedia = "application/json"

// A reply is an answer that is complete.
type reply struct {
	status int
	media  string
	body   []byte
	// revalidate says that the body is the same for the caller until something
	// changes: it has an ETag. Other replies are kept by nobody.
	revalidate bool
}

// send answers a request.
func (a *API) send(r *request, p reply) {
	header := r.w.Header()
	header.Set("Content-Type", p.media)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // should a browser show it
	header.Add("Vary", "Authorization, Accept, Accept-Encoding")
	header.Set("Cache-Control", "private, no-store")
	if p.revalidate {
		header.Set("Cache-Control", "private, no-cache")
		tag := etag(p.body)
		header.Set("ETag", tag)
		if matches(r.Header.Values("If-None-Match"), tag) {
			p.status, p.body = http.StatusNotModified, nil
			header.Del("Content-Type")
		}
	}
	if len(p.body) >= minGzip && acceptsGzip(r.Header.Values("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		p.body = compress(p.body)
	}
	if p.status != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(p.body)))
	}
	a.opts.Metrics.replied(p.status)
	r.w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		_, _ = r.w.Write(p.body) // the client has gone, if it fails
	}
}

// etag is made of the body, in which the revision of the caller's schema stands.
// It is weak: compressed and not, the bytes differ.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:12]) + `"`
}

// matches reports whether a tag is among those of If-None-Match, which compares
// weakly (RFC 9110, 13.1.2).
func matches(headers []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			item = strings.TrimSpace(item)
			if item == "*" || strings.TrimPrefix(item, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

// minGzip is the length from which compression is worth its time: about what
// fits into one packet.
const minGzip = 1400

// acceptsGzip reports whether a client takes gzip: its own weight, or else that
// of *, is not 0.
func acceptsGzip(headers []string) bool {
	accepted := false
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			name, q := weighed(item)
			switch {
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				return q > 0
			case name == "*":
				accepted = q > 0
			}
		}
	}
	return accepted
}

// weighed splits an item of a header that lists what a client takes into its
// name and its weight, which is 1 if it is not given and 0 if it is not readable.
func weighed(item string) (name string, q float64) {
	name, rest, _ := strings.Cut(item, ";")
	q = 1
	for param := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(key, "q") {
			var err error
			if q, err = strconv.ParseFloat(value, 64); err != nil || !(q >= 0 && q <= 1) {
				q = 0
			}
		}
	}
	return strings.TrimSpace(name), q
}

var gzips = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func compress(body []byte) []byte {
	var out bytes.Buffer
	w, ok := gzips.Get().(*gzip.Writer)
	if !ok {
		return body
	}
	defer gzips.Put(w)
	w.Reset(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// marshal writes a document of this package's own types, which all have a JSON
// form.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

package httpapi

import (
	"net/http"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// statusClosed is what proxies log for a client that has gone away.
const statusClosed = 499

// statuses is the status of each code. A code that is not listed, and any
// refusal to come, is 422: the request is well formed, and says what cannot be.
var statuses = map[graph.Code]int{
	graph.Syntax:        http.StatusBadRequest,
	graph.TooDeep:       http.StatusBadRequest,
	graph.DuplicateKey:  http.StatusBadRequest,
	graph.InvalidString: http.StatusBadRequest,
	graph.UnknownField:  http.StatusBadRequest,
	graph.MissingField:  http.StatusBadRequest,
	graph.TooLarge:      http.StatusRequestEntityTooLarge,
	graph.UnknownTool:   http.StatusNotFound,
	graph.NoScope:       http.StatusUnauthorized,
	graph.Forbidden:     http.StatusForbidden,
	graph.Conflict:      http.StatusConflict,
	graph.RateLimited:   http.StatusTooManyRequests,
	graph.QuotaExceeded: http.StatusTooManyRequests,
	graph.Canceled:      statusClosed,
	graph.Internal:      http.StatusInternalServerError,
	graph.InvalidData:   http.StatusInternalServerError,
	graph.StorageFull:   http.StatusServiceUnavailable,
	graph.Overloaded:    http.StatusServiceUnavailable,
	graph.Unavailable:   http.StatusServiceUnavailable,
	graph.Timeout:       http.StatusGatewayTimeout,
}

// statusOf is the status of an error document: that of its first error.
func statusOf(list graph.Errors) int {
	if len(list) == 0 {
		return http.StatusInternalServerError
	}
	if status, known := statuses[list[0].Code]; known {
		return status
	}
	return http.StatusUnprocessableEntity
}

// A problem is a document of RFC 9457 that is an error document, too.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	*graph.ErrorDocument
}

// refuse answers with what is wrong with a call, or went wrong in it.
func (a *API) refuse(r *request, err error) {
	doc := graph.NewErrorDocument(r.tool, err)
	status := statusOf(doc.Errors)
	if status == http.StatusUnauthorized && graph.ScopeFrom(r.ctx) != nil {
		status = http.StatusForbidden // another token may do, this one is known
	}
	a.problem(r, status, doc)
}

// fail answers with a mistake of the request itself, under a status of its own.
func (a *API) fail(r *request, status int, err *graph.Error) {
	a.problem(r, status, graph.NewErrorDocument(r.tool, err))
}

func (a *API) problem(r *request, status int, doc *graph.ErrorDocument) {
	p := problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: "the call failed", ErrorDocument: doc}
	if status == statusClosed {
		p.Title = "Client Closed Request"
	}
	if len(doc.Errors) > 0 {
		p.Detail = doc.Errors[0].Message
	}
	header := r.w.Header()
	if status == http.StatusUnauthorized && header.Get("WWW-Authenticate") == "" {
		header.Set("WWW-Authenticate", "Bearer")
	}
	if seconds := retryAfter(status, doc.Errors); seconds > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds))
	}
	a.send(r, reply{status: status, media: "application/problem+json", body: marshal(p)})
}

// retryAfter is how many seconds to wait, rounded up; 0 where nobody can tell.
func retryAfter(status int, list graph.Errors) (seconds int) {
	for _, e := range list {
		seconds = max(seconds, (e.RetryAfterMS+999)/1000)
	}
	if seconds == 0 && status == http.StatusTooManyRequests {
		return 1
	}
	return seconds
}

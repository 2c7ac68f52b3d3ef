package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/format"
)

// bodyTime is how long a body may take to come.
const bodyTime = 10 * time.Second

// call answers a call of a tool.
func (a *API) call(r *request) {
	f, ok := a.wanted(r)
	if !ok || !a.isJSON(r) {
		return
	}
	args, ok := a.body(r)
	if !ok {
		return
	}
	var doc []byte
	var err error
	if f == format.JSON {
		doc, err = a.tools.Call(r.ctx, r.tool, args)
	} else {
		var res *graph.Result
		if res, err = a.tools.Result(r.ctx, r.tool, args); err == nil {
			doc, err = format.Append(nil, f, res)
		}
	}
	if err != nil {
		a.refuse(r, err)
		return
	}
	a.send(r, reply{status: http.StatusOK, media: f.MediaType(), body: doc})
}

// body reads the arguments: no more than the call's own limit and a byte, which
// is refused as any call that is too large.
func (a *API) body(r *request) ([]byte, bool) {
	registry, err := a.tools.Registry(r.ctx)
	if err != nil {
		a.refuse(r, err)
		return nil, false
	}
	conn := http.NewResponseController(r.w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTime)) // a recorder has none
	args, err := io.ReadAll(io.LimitReader(r.Body, int64(registry.Limits().ArgumentBytes)+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		a.fail(r, http.StatusRequestTimeout, &graph.Error{Code: graph.Timeout, Message: "the body did not come in time", Retryable: true})
		return nil, false
	case err != nil:
		a.fail(r, http.StatusBadRequest, &graph.Error{Code: graph.Syntax, Message: "the body could not be read"})
		return nil, false
	}
	_ = conn.SetReadDeadline(time.Time{}) // or the call would end with it
	return args, true
}

// isJSON refuses bodies that do not say that they are JSON. Web pages can send
// those without asking, and nobody else needs to.
func (a *API) isJSON(r *request) bool {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, ok := params["charset"]
	encoding := r.Header.Get("Content-Encoding")
	if err == nil && media == jsonMedia && (!ok || strings.EqualFold(charset, "utf-8")) && (encoding == "" || strings.EqualFold(encoding, "identity")) {
		return true
	}
	a.fail(r, http.StatusUnsupportedMediaType, &graph.Error{Code: graph.Unsupported, Message: "arguments are one JSON object in UTF-8, not compressed", Hint: "send the header Content-Type: application/json"})
	return false
}

// wanted is the format that a request asks for: that of its query, or else the
// best of those that its Accept header takes.
func (a *API) wanted(r *request) (format.Format, bool) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range query {
		switch {
		case name != "format" && err == nil:
			err = fmt.Errorf("there is no query parameter %q; the only one is format", name)
		case len(values) != 1 && err == nil:
			err = errors.New("format stands there more than once")
		}
	}
	if err != nil {
		a.fail(r, http.StatusBadRequest, &graph.Error{Code: graph.UnknownField, Message: "the query of the URL: " + err.Error(), Hint: "arguments are the body"})
		return "", false
	}
	if name, ok := query["format"]; ok {
		f, known := format.Parse(name[0])
		if !known {
			e := &graph.Error{Code: graph.InvalidEnum, Message: "there is no such format"}
			e.SetGot(name[0])
			e.SetAllowed(strings.Split(format.Names(), ", "))
			a.fail(r, http.StatusBadRequest, e)
		}
		return f, known
	}
	f, ok := accepted(r.Header.Values("Accept"))
	if !ok {
		a.fail(r, http.StatusNotAcceptable, &graph.Error{Code: graph.Unsupported, Message: "answers are application/json, text/csv, text/markdown or text/vnd.mermaid", Hint: "?format= names one of " + format.Names()})
	}
	return f, ok
}

// accepted is the format of the highest weight, and of those the one that the
// package lists first; columns, whose media type is that of JSON, is never it.
func accepted(headers []string) (format.Format, bool) {
	if len(headers) == 0 {
		return format.JSON, true
	}
	best, most := format.Format(""), 0.0
	for _, f := range format.All() {
		media, _, _ := strings.Cut(f.MediaType(), ";")
		if q := weight(headers, media); q > most && f != format.Columns {
			best, most = f, q
		}
	}
	return best, most > 0
}

// weight is what an Accept header gives a media type: by its own name, or else
// by that of its kind, or else by */*.
func weight(headers []string, media string) (q float64) {
	kind, _, _ := strings.Cut(media, "/")
	best := 0
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			name, w := weighed(item)
			exact := 0
			switch strings.ToLower(name) {
			case media:
				exact = 3
			case kind + "/*":
				exact = 2
			case "*/*":
				exact = 1
			}
			if exact > best {
				best, q = exact, w
			}
		}
	}
	return q
}

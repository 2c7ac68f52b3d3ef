// Package tokens knows on whose behalf a bearer token calls, for hosts that keep
// their tokens in a file.
//
//	format: trellis.tokens.v1
//	tokens:
//	  - sha256: 3f2a…        # of the token, as sha256sum prints it; or token: the token itself
//	    scope: {tenant: acme, principal: ada, claims: {role: manager}}
//	    expires: 2027-01-01T00:00:00Z
//	    id: laptop           # what records call it; the first digits of the hash by default
//
// A token is at least 16 bytes of printable ASCII. It is made at random; with
//
//	head -c 24 /dev/urandom | base64
//
// there is nothing to guess. A scope's view names one of the tenant's views, where
// its graphs have some. A scope without anything in it is that of somebody
// of whom policies know nothing.
package tokens

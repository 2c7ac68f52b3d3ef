// Package introspecttest is what tests of introspection have in common, on every
// kind of database.
package introspecttest

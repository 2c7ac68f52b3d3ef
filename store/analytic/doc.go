// Package analytic is the root of a module of its own: stores over databases
// whose drivers are heavy, so that the main module stays light. Whoever imports
// a package of the main module downloads and links none of them.
//
//   - duckdb opens files of DuckDB, for reading behind closed doors, and for
//     loading
//   - clickhouse connects to servers of ClickHouse, for reading and for loading
//
// The module's version follows the main module's.
package analytic

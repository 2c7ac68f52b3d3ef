package storetest_test

import (
	"testing"

	"github.com/trellisgraph/trellis/store/storetest"
)

func TestEmbeddedHardGraphs(t *testing.T) {
	long(t)
	storetest.HardGraphs(t, inProcess)
}

func TestMariaDBHardGraphs(t *testing.T) { storetest.HardGraphs(t, mariaDB(t)) }

func TestPostgreSQLHardGraphs(t *testing.T) { storetest.HardGraphs(t, postgreSQL(t)) }

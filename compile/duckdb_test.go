package compile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A decimal is compared with those of the column's scale around it.
func TestAroundDecimal(t *testing.T) {
	nines := "999999999999999999999999999999999999.99" // 38 of them
	for text, want := range map[string][2]string{
		"1": {"1.00", "1.00"}, "1.5": {"1.50", "1.50"}, "1.50000": {"1.50", "1.50"}, "007.1": {"7.10", "7.10"},
		"1.005": {"1.01", "1.00"}, "-1.005": {"-1.00", "-1.01"}, "9.999": {"10.00", "9.99"}, "-0.001": {"-0.00", "-0.01"},
		"0.000": {"0.00", "0.00"}, "999999999999999999999999999999999999.995": {nines, nines},
		"1000000000000000000000000000000000000": {nines, nines}, "-1000000000000000000000000000000000000.5": {"-" + nines, "-" + nines},
	} {
		least, greatest := aroundDecimal(text, 2)
		require.Equal(t, want, [2]string{least, greatest}, text)
	}
	least, greatest := aroundDecimal("-7.5", 0)
	require.Equal(t, [2]string{"-7", "-8"}, [2]string{least, greatest})
}

// In lists decimals are texts: equal ones are equal, and those between two of
// the column's scale are none of them.
func TestScaled(t *testing.T) {
	for text, want := range map[string]string{"1": "1.00", "1.5000": "1.50", "1.005": "1.005", "-0.00": "0.00", "00.1": "0.10", "-3": "-3.00"} {
		require.Equal(t, want, scaled(text, 2), text)
	}
	require.Equal(t, "12", scaled("12.000", 0))
}

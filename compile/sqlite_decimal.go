package compile

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// SQLite has no decimals. They are texts, or numbers with too few digits for
// them to differ; both are compared and summed by their digits.

// wholeDigits is how many digits before the point count.
const wholeDigits = 40

// decimalText is a template for a stored decimal as a text with all the digits
// of its scale.
func decimalText(p *schema.Property) string {
	if p.Scale == 0 {
		return "CASE typeof(@) WHEN 'real' THEN printf('%.0f', @ + 0.0) ELSE substr(@ || '.', 1, instr(@ || '.', '.') - 1) END"
	}
	return fmt.Sprintf("CASE typeof(@) WHEN 'real' THEN printf('%%.%df', @ + 0.0)"+
		" ELSE substr(@ || CASE instr(@, '.') WHEN 0 THEN '.' ELSE '' END || '%s', 1, instr(@ || '.', '.') + %d) END",
		p.Scale, strings.Repeat("0", p.Scale), p.Scale)
}

// padded is a template for the digits of a text of a decimal without its sign.
func padded(text string, p *schema.Property) string {
	n := wholeDigits + p.Scale
	return fmt.Sprintf("substr('%s' || replace(%s, '.', ''), -%d)", strings.Repeat("0", n), text, n)
}

// decimalInOrder is a template for a text that is in order, byte by byte: a
// sign, 0 or 1, and digits, of which each is taken from 9 where the number is
// below zero.
func decimalInOrder(p *schema.Property) string {
	value := decimalText(p)
	below := padded("substr("+value+", 2)", p)
	for i := range 5 { // each digit trades places with another one
		below = fmt.Sprintf("replace(replace(replace(%s, '%d', 'x'), '%d', '%d'), 'x', '%d')", below, i, 9-i, i, 9-i)
	}
	return fmt.Sprintf("CASE substr(%s, 1, 1) WHEN '-' THEN '0' || %s ELSE '1' || %s END", value, below, padded(value, p))
}

// orderedDecimal is what decimalInOrder makes of a decimal. One with more
// digits than the scale comes between those that surround it.
func orderedDecimal(text string, scale int) string {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	between := ""
	if rest := fraction[min(scale, len(fraction)):]; strings.Trim(rest, "0") != "" {
		between = "5"
	}
	fraction = fraction[:min(scale, len(fraction))]
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if negative && between != "" {
		n.Add(n, big.NewInt(1)) // what lies between comes after the lower one
	}
	digits = fmt.Sprintf("%0*s", wholeDigits+scale, n)
	if !negative || n.Sign() == 0 {
		return "1" + digits + between
	}
	b := []byte("0" + digits + between)
	for i := 1; i <= len(digits); i++ {
		b[i] = '9' - (b[i] - '0')
	}
	return string(b)
}

// extremeDecimal is the template of the least or the greatest decimal.
func extremeDecimal(function string, p *schema.Property) string {
	return fmt.Sprintf("substr(%s(%s || %s), %d)", function, decimalInOrder(p), decimalText(p), wholeDigits+p.Scale+2)
}

// pieceDigits is how many digits are summed in one piece: 40 million of the
// greatest such numbers do not overflow, not even with what is added to carry.
const pieceDigits = 11

// pieces are the numbers of digits that a decimal is summed in, and how many of
// them stand before the point.
func pieces(p *schema.Property) (widths []int, whole int) {
	widths = []int{wholeDigits - 2*pieceDigits, pieceDigits, pieceDigits}
	for left := p.Scale; left > 0; left -= pieceDigits {
		widths = append(widths, min(left, pieceDigits))
	}
	return widths, 3
}

// decimalSums are the templates of the sums of a decimal's pieces.
func decimalSums(p *schema.Property) []string {
	value := decimalText(p)
	digits := padded("ltrim("+value+", '-')", p)
	widths, _ := pieces(p)
	var sums []string
	at := 1
	for _, width := range widths {
		sums = append(sums, fmt.Sprintf("SUM(CAST(CASE substr(%s, 1, 1) WHEN '-' THEN '-' ELSE '' END || substr(%s, %d, %d) AS INTEGER))", value, digits, at, width))
		at += width
	}
	return sums
}

// wholeDecimal puts the sums of pieces together, as the text of a decimal with
// zeros in front.
func wholeDecimal(p *schema.Property) string {
	return fmt.Sprintf("CASE WHEN #1 IS NULL THEN NULL WHEN %s >= 0 THEN %s ELSE '-' || %s END",
		carried(p, "")[0], printed(p, ""), printed(p, "-"))
}

// carried are the pieces of a sum, or of its negation, after each has handed on
// to the one before what it is too long for. All but the first are not below
// zero.
func carried(p *schema.Property, sign string) []string {
	widths, _ := pieces(p)
	out := make([]string, len(widths))
	carry := ""
	for i := len(widths) - 1; i >= 0; i-- {
		sum := sign + "#" + strconv.Itoa(i+1) + carry
		if i == 0 {
			out[0] = sum
			break
		}
		// A multiple of the power of ten keeps what is divided above zero.
		power := "1" + strings.Repeat("0", widths[i])
		shift := "4" + strings.Repeat("0", 18)
		out[i] = fmt.Sprintf("(%s + %s) %% %s", sum, shift, power)
		carry = fmt.Sprintf(" + (%s + %s) / %s - 4%s", sum, shift, power, strings.Repeat("0", 18-widths[i]))
	}
	return out
}

// printed writes the pieces of a sum as one text.
func printed(p *schema.Property, sign string) string {
	widths, whole := pieces(p)
	var format strings.Builder
	for i, width := range widths {
		switch {
		case i == 0:
			format.WriteString("%d")
			continue
		case i == whole:
			format.WriteByte('.')
		}
		fmt.Fprintf(&format, "%%0%dd", width)
	}
	return fmt.Sprintf("printf('%s', %s)", &format, strings.Join(carried(p, sign), ", "))
}

//go:build !unix

package bench

import "time"

// processorTime is not known here: it is always 0.
func processorTime() time.Duration { return 0 }

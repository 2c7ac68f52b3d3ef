package memory

// SetSlack makes a Live sweep up after batches that leave more than n behind.
func (l *Live) SetSlack(n int) { l.slack = n }

package hpacouple

import "slices"

// The types of a change are embedded in the objects of custom resources, which need deep copies.

// DeepCopyInto writes a copy to out; the two share nothing.
func (c *Change) DeepCopyInto(out *Change) {
	*out = *c
	out.State = c.State.DeepCopy()
	if c.Amounts != nil {
		out.Amounts = make([]AmountChange, len(c.Amounts))
		for i := range c.Amounts {
			c.Amounts[i].DeepCopyInto(&out.Amounts[i])
		}
	}
	out.Targets = slices.Clone(c.Targets)
}

// DeepCopy returns a copy that shares nothing with c.
func (c *Change) DeepCopy() *Change {
	if c == nil {
		return nil
	}
	out := new(Change)
	c.DeepCopyInto(out)
	return out
}

// DeepCopyInto writes a copy to out; the two share nothing.
func (a *AmountChange) DeepCopyInto(out *AmountChange) {
	*out = *a
	out.From, out.To = copied(a.From), copied(a.To)
}

// DeepCopy returns a copy that shares nothing with a.
func (a *AmountChange) DeepCopy() *AmountChange {
	if a == nil {
		return nil
	}
	out := new(AmountChange)
	a.DeepCopyInto(out)
	return out
}

// DeepCopyInto writes a copy to out; the two share nothing.
func (t *Taken) DeepCopyInto(out *Taken) {
	*out = *t
	out.Metrics = t.Metrics.DeepCopy()
	if out.Amounts = nil; t.Amounts != nil {
		out.Amounts = make([]TakenAmount, len(t.Amounts))
		for i := range t.Amounts {
			t.Amounts[i].DeepCopyInto(&out.Amounts[i])
		}
	}
}

// DeepCopy returns a copy that shares nothing with t.
func (t *Taken) DeepCopy() *Taken {
	if t == nil {
		return nil
	}
	out := new(Taken)
	t.DeepCopyInto(out)
	return out
}

// DeepCopyInto writes a copy to out; the two share nothing.
func (t *TakenMetrics) DeepCopyInto(out *TakenMetrics) {
	*out = *t
	out.Targets, out.Owners = slices.Clone(t.Targets), slices.Clone(t.Owners)
}

// DeepCopy returns a copy that shares nothing with t.
func (t *TakenMetrics) DeepCopy() *TakenMetrics {
	if t == nil {
		return nil
	}
	out := new(TakenMetrics)
	t.DeepCopyInto(out)
	return out
}

// DeepCopyInto writes a copy to out; the two share nothing.
func (a *TakenAmount) DeepCopyInto(out *TakenAmount) {
	*out = *a
	out.Value, out.Owners = copied(a.Value), slices.Clone(a.Owners)
}

// DeepCopy returns a copy that shares nothing with a.
func (a *TakenAmount) DeepCopy() *TakenAmount {
	if a == nil {
		return nil
	}
	out := new(TakenAmount)
	a.DeepCopyInto(out)
	return out
}

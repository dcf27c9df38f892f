package hpacouple

// The types of a change are embedded in the objects of custom resources, which need deep copies.

// DeepCopyInto writes a copy to out; the two share nothing.
func (c *Change) DeepCopyInto(out *Change) {
	*out = *c
	if c.Amounts != nil {
		out.Amounts = make([]AmountChange, len(c.Amounts))
		for i := range c.Amounts {
			c.Amounts[i].DeepCopyInto(&out.Amounts[i])
		}
	}
	if c.Targets != nil {
		out.Targets = append(make([]TargetChange, 0, len(c.Targets)), c.Targets...)
	}
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

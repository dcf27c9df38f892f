// Package bounds says what a target and a request may be: settling a recommendation, fitting requests to target bounds, and whether the
// result can reach its scale-out trigger.
//
// All amounts are thousandths (millicores, milli-bytes), all targets whole percent. Every result names the rule that set it.
package bounds

// Interval is a closed range of whole numbers that remembers which rule set each side. It is empty where Lo > Hi.
type Interval struct {
	Lo   int64 `json:"lo"`
	Hi   int64 `json:"hi"`
	LoBy Rule  `json:"loBy,omitempty"`
	HiBy Rule  `json:"hiBy,omitempty"`
}

// Empty says whether no number is inside.
func (i Interval) Empty() bool { return i.Lo > i.Hi }

// Contains says whether Lo <= v <= Hi.
func (i Interval) Contains(v int64) bool { return i.Lo <= v && v <= i.Hi }

// Intersect returns the numbers that are in both: each side is the tighter one, with its rule; where both are equal the rule that comes
// first in the alphabet gives the name, so that the order of arguments does not matter. Law B1.
func (i Interval) Intersect(o Interval) Interval {
	if o.Lo > i.Lo || (o.Lo == i.Lo && o.LoBy < i.LoBy) {
		i.Lo, i.LoBy = o.Lo, o.LoBy
	}
	if o.Hi < i.Hi || (o.Hi == i.Hi && o.HiBy < i.HiBy) {
		i.Hi, i.HiBy = o.Hi, o.HiBy
	}
	return i
}

// Clamp returns the number of the interval that is nearest to v, and the rule of the side that acted, or no rule where v is inside.
// Special case: in an empty interval the upper side wins. Law B2.
func (i Interval) Clamp(v int64) (int64, Rule) {
	by := Rule("")
	if v < i.Lo {
		v, by = i.Lo, i.LoBy
	}
	if v > i.Hi {
		v, by = i.Hi, i.HiBy
	}
	return v, by
}

// Widen returns the smallest interval that holds i and v; a side that had to move is named by. Law B3.
func (i Interval) Widen(v int64, by Rule) Interval {
	if v < i.Lo {
		i.Lo, i.LoBy = v, by
	}
	if v > i.Hi {
		i.Hi, i.HiBy = v, by
	}
	return i
}

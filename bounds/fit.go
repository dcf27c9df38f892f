package bounds

import (
	"cmp"
	"slices"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// Item is one container that can move while requests are fitted to the target bounds, in thousandths.
type Item struct {
	// Name breaks ties.
	Name string
	// Present is the request in force, Settled the one that [Settle] gave.
	Present, Settled int64
	// Limit is the limit after the change, rounded down to what a request may be; -1 means none.
	Limit int64
	// Locked says that the request must not decrease and that a raise must be kept.
	Locked bool
	// Step is the rounding step, at least 1.
	Step int64
}

// Fitted is the result of [Fit].
type Fitted struct {
	// Requests are the items' final requests, in the order of the items.
	Requests []int64
	// Sum is the request sum with them.
	Sum int64
	// Target is the new target. Where a bound acted it is exactly the bound.
	Target int32
	// Acted says which bound held the target: [RuleMaxUtilization], [RuleMinUtilization], or none.
	Acted Rule
	// Needed is the request sum at which the product is met at that bound, 0 where none acted.
	Needed int64
	// Cause says why nothing fits; the rest is then void.
	Cause Cause
}

// Pair is a request sum of one pod and the target that goes with it. Their product is the scale point times 100: what a change keeps.
type Pair struct {
	// Requests is the sum in thousandths.
	Requests int64 `json:"requests"`
	// Target is in whole percent.
	Target int32 `json:"target"`
}

// Fit is [FitAnchored] without an anchor: it keeps the product of the pair in force.
func Fit(target int32, oldSum, settledSum int64, items []Item, effective Interval) (f Fitted, ok bool) {
	return FitAnchored(Pair{Requests: oldSum, Target: target}, Pair{Requests: oldSum, Target: target}, settledSum, items, effective)
}

// FitAnchored moves the requests, never the target past a bound, so that requests x target is what it is in the anchor:
//
//	t* = T0 x R0 / S               the exact target for the settled sum S
//	lo <= t* <= hi                 the settled requests stay, T' is t* rounded
//	t* > hi                        cuts are given back until the sum reaches N = min(ceil(R0 T0 / hi), R), T' = hi
//	t* < lo                        raises are given back until the sum falls to N = max(floor(R0 T0 / lo), R), T' = lo
//
// anchor is R0 and T0, the pair whose product is kept: what the user chose. live is R and T, the pair in force: requests never move past it
// when they are given back. Without an anchor both are the same. settledSum is S. R and S may hold parts that do not move (other containers,
// overhead), and R0 holds the same ones. effective must hold the live target.
//
// What is given back is shared in proportion to each container's room (a falling one: up to its present request or its limit; a rising one
// that is not locked: down to its present request), rounded down to the step; then one step more, to the end of the room at most, by largest
// remainder, ties by name, until N is reached. Where the room does not suffice the cause is [CauseLimit] or [CauseLock]. Where the live target
// is the bound, R is less than one step past N, and giving everything back leads to R, the requests stay: that is what an earlier fit left.
//
// Units: thousandths, whole percent. Rounding: the sum passes N by less than one step. At hi R'T' >= R0 T0: that reserves up to a step more (money)
// and scales out later by as much (an outage comes nearer). At lo R'T' <= R0 T0: that reserves up to a step less and scales out earlier (money).
//
// Whether t* is outside is judged exactly, before rounding: 90.09 is outside 40..90.
//
// Limits: where the live pair is not the anchor's within H1 or H1b (half a change was taken back), R can be too small or too large for the
// anchor's product at the bound; then the target is the bound and the product comes only nearer.
//
// Special cases: ok is false for a target below 1, an old sum or a step below 1, an amount below 0, bounds that do not
// hold the live target, and sums beyond int64.
// Laws H1, H1b, H4, H5, H7, H8, H9. Source: protocol A4 and A6, docs/decisions/anchor.md.
func FitAnchored(anchor, live Pair, settledSum int64, items []Item, effective Interval) (f Fitted, ok bool) {
	if anchor.Target < 1 || anchor.Requests < 1 || live.Target < 1 || live.Requests < 1 || settledSum < 0 ||
		effective.Lo < 1 || effective.Hi > 1<<31-1 || !effective.Contains(int64(live.Target)) {
		return f, false
	}
	f.Requests = make([]int64, len(items))
	for i, item := range items {
		if item.Present < 0 || item.Settled < 0 || item.Step < 1 {
			return f, false
		}
		f.Requests[i] = item.Settled
	}
	f.Sum = settledSum
	switch {
	case exact.Compare(anchor.Requests, int64(anchor.Target), settledSum, effective.Hi) > 0:
		return f.giveBack(anchor, live, items, effective.Hi, RuleMaxUtilization)
	case exact.Compare(anchor.Requests, int64(anchor.Target), settledSum, effective.Lo) < 0:
		return f.giveBack(anchor, live, items, effective.Lo, RuleMinUtilization)
	}
	f.Target, ok = Target(anchor.Target, anchor.Requests, settledSum)
	return f, ok
}

// giveBack moves the requests towards the present ones until the product is met at the bound.
func (f Fitted) giveBack(anchor, live Pair, items []Item, bound int64, acted Rule) (Fitted, bool) {
	f.Acted, f.Target = acted, int32(bound)
	cuts := acted == RuleMaxUtilization
	sign, short := int64(-1), CauseLock
	if cuts {
		sign, short = 1, CauseLimit
	}
	f.Needed = needed(anchor, live.Requests, bound, cuts)
	rooms := make([]int64, len(items))
	var total, step int64
	for i, item := range items {
		rooms[i] = item.room(cuts)
		step = max(step, item.Step)
		var ok bool
		if total, ok = exact.Add(total, rooms[i]); !ok {
			return f, false
		}
	}
	left := (live.Requests - f.Needed) * sign // how far an earlier fit passed N
	if int64(live.Target) == bound && left < step && (live.Requests-f.Sum)*sign == total {
		f.Needed = live.Requests
	}
	distance := (f.Needed - f.Sum) * sign
	if distance > total {
		f.Cause = short
		return f, true
	}
	for i, amount := range share(distance, total, rooms, items) {
		f.Requests[i] += amount * sign
		f.Sum += amount * sign
	}
	if f.Sum < 1 { // limits of 0 took every other request, and one step back takes the last: nothing is left to divide by
		f.Cause = CauseLimit
	}
	return f, true
}

// needed is the request sum at which the anchor's product is met at the bound, but never past the sum in force.
func needed(anchor Pair, oldSum, bound int64, cuts bool) int64 {
	if cuts {
		n, ok := exact.MulDivCeil(anchor.Requests, int64(anchor.Target), bound)
		if !ok { // beyond int64, and so beyond the sum in force
			return oldSum
		}
		return min(n, oldSum)
	}
	n, _ := exact.MulDivFloor(anchor.Requests, int64(anchor.Target), bound) // fits: it is below the settled sum
	return max(n, oldSum)
}

// room is how far an item can move back towards its present request.
func (item Item) room(cuts bool) int64 {
	if cuts {
		end := item.Present
		if item.Limit >= 0 {
			end = min(end, item.Limit)
		}
		return max(end-item.Settled, 0)
	}
	if item.Locked {
		return 0
	}
	return max(item.Settled-item.Present, 0)
}

// share splits distance over the rooms in whole steps, at least distance in all. distance <= total, and total is the sum of the rooms.
func share(distance, total int64, rooms []int64, items []Item) []int64 {
	amounts := make([]int64, len(items))
	if distance <= 0 {
		return amounts
	}
	type part struct{ index, steps, rest int64 }
	order := make([]part, 0, len(items))
	missing := distance
	for i, room := range rooms {
		if room == 0 {
			continue
		}
		q, r, _ := exact.MulDivMod(room, distance, total) // fits: distance <= total
		step := items[i].Step
		amounts[i] = q - q%step
		missing -= amounts[i]
		order = append(order, part{index: int64(i), steps: q % step, rest: r})
	}
	// The remainder of a share is q%step + r/total thousandths: largest first, ties by name.
	slices.SortStableFunc(order, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.steps, a.steps), cmp.Compare(b.rest, a.rest), cmp.Compare(items[a.index].Name, items[b.index].Name))
	})
	for _, p := range order {
		if missing <= 0 {
			break
		}
		more := min(items[p.index].Step, rooms[p.index]-amounts[p.index])
		amounts[p.index] += more
		missing -= more
	}
	return amounts
}

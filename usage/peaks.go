package usage

import (
	"math"
	"time"
)

// PeakRule says how memory samples become peaks, one per container instance and interval, and what an OOM kill is worth.
type PeakRule struct {
	// Interval is the length of an interval. The first one begins with the instance's first sample.
	Interval time.Duration
	// After an OOM kill the container is taken to have needed
	//
	//	used   = max(request, highest usage of the interval)
	//	needed = max(used + MinBump, trunc(used x BumpRatio))
	//
	// in bytes. Earlier estimates are no base for the next one, so that several kills in a row do not add up.
	BumpRatio float64
	MinBump   int64
}

// VPAPeakRule is what VPA 1.8 does by default: 24 hours, 20 %, at least 100 MiB.
func VPAPeakRule() PeakRule {
	return PeakRule{Interval: 24 * time.Hour, BumpRatio: 1.2, MinBump: 100 << 20}
}

// Valid reports whether the rule can be used: an interval of 1 s to 366 days, a finite ratio of at least 1 and a
// MinBump that is not negative.
func (r PeakRule) Valid() bool {
	return r.Interval >= minHalfLife && r.Interval <= maxHalfLife &&
		r.BumpRatio >= 1 && r.BumpRatio <= math.MaxFloat64 && r.MinBump >= 0 && r.MinBump <= maxBytes
}

// maxBytes is the largest number of bytes that is taken, 2^60.
const maxBytes = 1 << 60

// maxAmount is the largest amount that VPA knows.
const maxAmount = 1e14

// Needed returns what a container needs that was killed while it used so much, as PeakRule says; VPA's largest amount,
// 1e14, bounds the second term as it does there. Negative use counts as none.
func (r PeakRule) Needed(used int64) int64 {
	used = min(max(used, 0), maxBytes)
	scaled := float64(float64(used) * r.BumpRatio)
	switch {
	case scaled > maxAmount:
		scaled = maxAmount
	case !(scaled >= 0):
		scaled = 0
	}
	return max(used+min(max(r.MinBump, 0), maxBytes), int64(scaled))
}

// Instance is what has to be remembered about one container of one pod to find its peaks and its repeated samples. The
// zero value is a container that was not seen yet. A pod that is replaced is a new instance.
type Instance struct {
	end, last          int64 // ns since 1970: end of the memory interval, newest memory sample
	usagePeak, oomPeak int64 // bytes, in the interval
	lastCPU            int64 // ns since 1970: newest cpu sample
	started, cpu       bool
}

// AddCPU takes one cpu sample, in cores, with the weight that VPA gives it. It returns ErrOrder unless the sample is newer
// than the instance's last one, and otherwise the errors of Histogram.Add; then nothing has changed.
// Upstream: addCPUSample in pkg/recommender/model/container.go, VPA 1.8.1.
func AddCPU(into *Histogram, instance *Instance, t time.Time, cores float64) error {
	if into == nil || instance == nil {
		return ErrLayout
	}
	ns, ok := instant(t)
	if !ok {
		return ErrTime
	}
	if instance.cpu && ns <= instance.lastCPU {
		return ErrOrder
	}
	if !usable(cores) {
		return ErrValue
	}
	into.add(ns, cores, VPASampleWeight)
	instance.lastCPU, instance.cpu = ns, true
	return nil
}

// Add takes one memory sample in bytes. The interval's peak stands in the histogram with weight 1 at the interval's end,
// which may lie in the future; a higher sample takes the old peak out and puts itself in.
//
// It returns ErrValue for negative or more than 2^60 bytes, ErrTime, ErrOrder for a sample older than the newest one,
// and ErrPeakRule for a rule that is not valid; then nothing has changed. Upstream: addMemorySample in
// pkg/recommender/model/container.go, VPA 1.8.1.
//
// As there, a zero in the first sample of an interval hides every other sample and OOM kill of that interval. Whoever sizes a container by such
// peaks is hurt, by an outage: a request and a limit far below its use. A container that has just started is measured at 0 bytes now and then, and
// none runs on 0 bytes: leave samples of 0 out, and never call Add with them. Package recommend flags a request below the largest memory sample
// that the peaks do not hold (capped-below-peak), if it is given the samples beside the peaks.
func (r PeakRule) Add(into *Histogram, instance *Instance, t time.Time, bytes int64) error {
	if instance != nil && into != nil && instance.started && bytes >= 0 && bytes <= max(instance.usagePeak, instance.oomPeak) && r.Valid() {
		// Most samples end here: nothing changes but the time of the newest one.
		if ns, ok := instant(t); ok && ns >= instance.last && ns < instance.end {
			instance.last = ns
			return nil
		}
	}
	return r.add(into, instance, t, bytes, false)
}

// OOM takes an OOM kill: the estimate Needed becomes a sample at the time of the kill, and counts if it is above the
// interval's peak. The order of kills and samples does not matter within an interval: a kill older than the newest sample
// counts in the present interval. ErrTooOld is returned for one that is more than an interval older. After a zero in the first sample
// of the interval the kill is hidden and nil is returned (see Add). The limit plays no part. Other errors are
// those of Add.
func (r PeakRule) OOM(into *Histogram, instance *Instance, t time.Time, request int64) error {
	ns, ok := instant(t)
	switch {
	case !ok:
		return ErrTime
	case instance == nil || into == nil:
		return ErrLayout
	case !r.Valid():
		return ErrPeakRule
	case request < 0 || request > maxBytes:
		return ErrValue
	case instance.started && ns < instance.last-int64(r.Interval):
		return ErrTooOld
	}
	return r.add(into, instance, t, r.Needed(max(request, instance.usagePeak)), true)
}

func (r PeakRule) add(into *Histogram, instance *Instance, t time.Time, bytes int64, oom bool) error {
	ns, ok := instant(t)
	switch {
	case into == nil || instance == nil:
		return ErrLayout
	case !r.Valid():
		return ErrPeakRule
	case bytes < 0 || bytes > 2*maxBytes:
		return ErrValue
	case !ok:
		return ErrTime
	case instance.started && !oom && ns < instance.last:
		return ErrOrder
	}
	if instance.started && ns < instance.end {
		peak := max(instance.usagePeak, instance.oomPeak)
		instance.last = ns
		if peak == 0 || bytes <= peak {
			return nil
		}
		into.replace(instance.end, float64(peak), float64(bytes), 1)
		instance.set(bytes, oom)
		return nil
	}
	end := ns
	if instance.started {
		end = instance.end + (ns-instance.end)/int64(r.Interval)*int64(r.Interval)
	}
	end += int64(r.Interval)
	if end >= maxSecond*1e9 {
		return ErrTime
	}
	into.add(end, float64(bytes), 1)
	instance.end, instance.last, instance.started = end, ns, true
	instance.usagePeak, instance.oomPeak = 0, 0
	instance.set(bytes, oom)
	return nil
}

func (i *Instance) set(bytes int64, oom bool) {
	if oom {
		i.oomPeak = bytes
	} else {
		i.usagePeak = bytes
	}
}

// PeakPoints returns the largest point of each interval, at its own time. Intervals are counted from the first point, as
// PeakRule counts them; empty ones give nothing. The points must be those of one instance, as Clean returns them.
// An interval that is not positive gives the points themselves.
func PeakPoints(points []Point, interval time.Duration) []Point {
	var peaks []Point
	var index int64 = -1
	for _, p := range points {
		at := int64(len(peaks))
		if interval > 0 {
			at = int64(p.Time.Sub(points[0].Time) / interval)
		}
		switch {
		case at != index:
			peaks = append(peaks, p)
			index = at
		case p.Value > peaks[len(peaks)-1].Value:
			peaks[len(peaks)-1] = p
		}
	}
	return peaks
}

package replicas

import "math"

// toInt32 converts a whole float to int32. Beyond the range it is the nearest int32 (0 for NaN), or, to reproduce
// upstream, what the conversion gives on amd64. Written out, because Go leaves that conversion to the machine.
func toInt32(f float64, reproduce bool) (n int32, out bool) {
	if f > math.MinInt32-1.0 && f < math.MaxInt32+1.0 {
		return int32(f), false
	}
	if !reproduce && f > 0 {
		return math.MaxInt32, true
	}
	if !reproduce && math.IsNaN(f) {
		return 0, true
	}
	return math.MinInt32, true
}

// toInt64 is toInt32 for int64.
func toInt64(f float64, reproduce bool) (n int64, out bool) {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f), false
	}
	if !reproduce && f > 0 {
		return math.MaxInt64, true
	}
	if !reproduce && math.IsNaN(f) {
		return 0, true
	}
	return math.MinInt64, true
}

// clip puts a whole number into int32.
func clip(v int64) (n int32, out bool) {
	switch {
	case v > math.MaxInt32:
		return math.MaxInt32, true
	case v < math.MinInt32:
		return math.MinInt32, true
	}
	return int32(v), false
}

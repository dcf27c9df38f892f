package usage

import (
	"encoding/binary"
	"math"
)

// MarshalBinary writes the histogram: version, layout, flags, the integers as varints and the floats as eight bytes each.
func (h *Histogram) MarshalBinary() ([]byte, error) {
	if h == nil {
		return nil, ErrLayout
	}
	buckets := 0
	for _, w := range h.weights {
		if w != 0 {
			buckets++
		}
	}
	out := make([]byte, 0, 96+11*buckets)
	referred := byte(0)
	if h.referred {
		referred = 1
	}
	out = append(out, encodingVersion, byte(h.kind), referred, h.down)
	for _, v := range []int64{h.halfLife, h.reference, h.count, h.first, h.last} {
		out = binary.AppendVarint(out, v)
	}
	for _, v := range []float64{h.smallest, h.largest, h.total, h.zero} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	out = binary.AppendVarint(out, int64(buckets))
	for i, w := range h.weights {
		if w != 0 {
			out = binary.AppendVarint(out, h.index(i))
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(w))
		}
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Bytes that are left over are refused.
func (h *Histogram) UnmarshalBinary(data []byte) error {
	if h == nil || len(data) < 4 || data[1] >= byte(kinds) || data[2] > 1 {
		return ErrEncoding
	}
	r := reader{data: data[4:]}
	p := parts{version: int(data[0]), layout: Layouts()[data[1]], referred: data[2] == 1, scale: fineScale - int(data[3]),
		halfLife: r.integer(), reference: r.integer(), count: r.integer(), first: r.integer(), last: r.integer(),
		smallest: r.float(), largest: r.float(), total: r.float(), zero: r.float()}
	buckets := r.integer()
	if r.failed || buckets < 0 || buckets > vpaBuckets {
		return ErrEncoding
	}
	for range buckets {
		p.buckets = append(p.buckets, bucketWeight{index: r.integer(), weight: r.float()})
	}
	if r.failed || len(r.data) > 0 {
		return ErrEncoding
	}
	return h.assemble(p)
}

// reader takes numbers off the front; once something is missing it has failed and gives zeros.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) integer() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 || n != len(binary.AppendVarint(nil, v)) { // short, too long, or not the shortest form
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) float() float64 {
	if len(r.data) < 8 {
		r.failed, r.data = true, nil
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.data))
	r.data = r.data[8:]
	return v
}

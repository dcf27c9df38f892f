package hpacouple

import (
	"strconv"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// patch builds a JSON patch.
type patch struct{ ops jsonText }

func (p *patch) op(op, path string, value []byte) {
	if len(p.ops) == 0 {
		p.ops.open('[')
	}
	p.ops.open('{')
	p.ops.pair("op", op)
	p.ops.pair("path", path)
	if value != nil {
		p.ops.key("value")
		p.ops.raw(value)
	}
	p.ops.shut('}')
}

func (p *patch) test(path, value string) { p.op("test", path, []byte(fieldsv1.Quote(value))) }

// testContainer tests that the container is still at its place.
func (p *patch) testContainer(ref AmountRef, index int) {
	if ref.Place != InPod {
		p.test(fieldsv1.Pointer("spec", "template", "spec", string(ref.Place), strconv.Itoa(index), "name"), ref.Container)
	}
}

func (p *patch) body() []byte {
	if len(p.ops) == 0 {
		return nil
	}
	p.ops.shut(']')
	return p.ops
}

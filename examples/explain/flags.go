package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
)

// settings are what the arguments say.
type settings struct {
	files   []string
	format  string
	at      time.Time // zero: the newest sample's
	metrics []metricValue
	scales  []scaleValue
	help    bool
}

// scaleValue is one --replicas.
type scaleValue struct {
	hpa      string // NAME or NAMESPACE/NAME
	replicas int32
	selector *metav1.LabelSelector
}

// metricValue is one --metric.
type metricValue struct {
	name  string // as it was given
	value resource.Quantity
	pod   string // whose value it is alone
}

func flags() []program.Flag[settings] {
	return []program.Flag[settings]{
		{Long: "filename", Short: "f", Value: "FILE", Set: func(s *settings, v string) error { s.files = append(s.files, v); return nil }, Help: "the same as FILE"},
		{Long: "metric", Value: "[NAMESPACE/HPA:]NAME[@POD]=VALUE", Set: setMetric, Help: "the value of a Pods (of each pod, or of one), Object or External metric; again for each series of an External one"},
		{Long: "replicas", Value: "[NAMESPACE/]HPA=N,LABELS", Set: setReplicas, Help: "what an HPA scales that is of another kind: how many there are, and the labels of its pods, such as web=3,app=web"},
		{Long: "at", Value: "TIME", Set: setTime, Help: "the time of the pass, as 2026-09-01T12:00:00Z; without it that of the newest sample"},
		{Long: "output", Short: "o", Value: "FORMAT", Set: program.Format(func(s *settings) *string { return &s.format }), Help: "table (default), json or yaml"},
		{Long: "help", Short: "h", Set: program.Switch(func(s *settings) *bool { return &s.help }), Help: "print this text"},
	}
}

func usage() string {
	return `explain: why does my HPA want N replicas?

usage: explain [flags] [FILE...]

FILE is what kubectl get hpa,deployments,pods -o yaml and kubectl get podmetrics -o yaml print, of 16 MiB at most; - is standard input.
Without FILE an example is explained.

` + program.Describe(flags()) + `
What the controller remembers of the last minutes is not in the API. The pass is explained as one after a restart: the
present count is the only recommendation that it knows.
`
}

// parse reads the arguments.
func parse(args []string) (settings, error) {
	s := settings{format: "table"}
	p := program.Parser[settings]{
		Flags: flags(),
		File:  func(s *settings, name string) { s.files = append(s.files, name) },
		Done:  func(s *settings) bool { return s.help },
	}
	if err := p.Parse(args, &s); err != nil || s.help {
		return s, err
	}
	return s, program.OneStandardInput(s.files)
}

func setTime(s *settings, value string) (err error) {
	if s.at, err = time.Parse(time.RFC3339, value); err != nil {
		return errors.New("expected a time such as 2026-09-01T12:00:00Z")
	}
	return nil
}

func setReplicas(s *settings, value string) error {
	hpa, scale, _ := strings.Cut(value, "=")
	count, text, _ := strings.Cut(scale, ",")
	n, err := strconv.ParseInt(count, 10, 32)
	if err != nil || n < 0 || hpa == "" || text == "" {
		return errors.New("expected [NAMESPACE/]HPA=N,LABELS such as web=3,app=web")
	}
	selector, err := metav1.ParseToLabelSelector(text)
	if err != nil {
		return fmt.Errorf("expected labels such as app=web: %w", err)
	}
	for _, v := range s.scales {
		if v.hpa == hpa {
			return errors.New("was given twice")
		}
	}
	s.scales = append(s.scales, scaleValue{hpa, int32(n), selector})
	return nil
}

func setMetric(s *settings, value string) error {
	metric, text, ok := strings.Cut(value, "=")
	if !ok || metric == "" {
		return errors.New("expected NAME=VALUE with a quantity such as queue=90 or rate=1500m")
	}
	// The parser of documents: it refuses exponents that would keep resource.ParseQuantity busy for hours.
	q, err := manifest.ParseQuantity(text)
	if err != nil {
		return fmt.Errorf("expected NAME=VALUE with a quantity such as queue=90 or rate=1500m: %w", err)
	}
	s.metrics = append(s.metrics, metricValue{name: metric, value: q})
	return nil
}

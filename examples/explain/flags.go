package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// settings are what the arguments say.
type settings struct {
	files   []string
	format  string
	at      time.Time // zero: the newest sample's
	metrics []metricValue
	help    bool
}

// metricValue is one --metric.
type metricValue struct {
	name  string
	value resource.Quantity
}

func usage() string {
	return `explain: why does my HPA want N replicas?

usage: explain [flags] [FILE...]

FILE is what kubectl get hpa,deployments,pods -o yaml and kubectl get podmetrics -o yaml print; - is standard input.
Without FILE an example is explained.

  -f, --filename FILE      the same as FILE
  --metric NAME=VALUE      the value of a Pods (per pod), Object or External metric; again for each series of an External one
  --at TIME                the time of the pass, as 2026-09-01T12:00:00Z; without it that of the newest sample
  -o, --output FORMAT      table (default), json or yaml
  -h, --help               print this text

What the controller remembers of the last minutes is not in the API. The pass is explained as one after a restart: the
present count is the only recommendation that it knows.
`
}

// parse reads the arguments. Flags and files mix in any order; what follows -- is a file.
func parse(args []string) (settings, error) {
	s := settings{format: "table"}
	for len(args) > 0 && !s.help {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			s.files = append(s.files, args...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			s.files = append(s.files, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == "h" || name == "help" {
			s.help = true
			break
		}
		if !slices.Contains([]string{"f", "filename", "metric", "at", "o", "output"}, name) {
			return s, fmt.Errorf("unknown flag %s", strconv.Quote(arg))
		}
		if !given {
			if len(args) == 0 {
				return s, fmt.Errorf("--%s: expected a value", name)
			}
			value, args = args[0], args[1:]
		}
		if err := s.set(name, value); err != nil {
			return s, fmt.Errorf("--%s %s: %w", name, strconv.Quote(value), err)
		}
	}
	inputs := 0
	for _, f := range s.files {
		if f == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return s, errors.New("- (standard input) can be read only once")
	}
	return s, nil
}

func (s *settings) set(name, value string) (err error) {
	switch name {
	case "f", "filename":
		s.files = append(s.files, value)
	case "o", "output":
		if !slices.Contains([]string{"table", "json", "yaml"}, value) {
			return errors.New("expected table, json or yaml")
		}
		s.format = value
	case "at":
		if s.at, err = time.Parse(time.RFC3339, value); err != nil {
			return errors.New("expected a time such as 2026-09-01T12:00:00Z")
		}
	case "metric":
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
	}
	return nil
}

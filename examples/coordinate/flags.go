package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/risk"
)

// settings are what the arguments say.
type settings struct {
	files      []string
	tables     []string // files of new requests
	wishes     []wish
	facts      []fact
	format     string
	coordinate bool
	readOnly   bool
	exitCode   bool
	help       bool
	version    string // of the control plane
	usage      []usageFile
	preset     string
	window     time.Duration // of usage; 0 is the preset's
	prices     recommend.Prices
	unpriced   []corev1.ResourceName // by --price
	count      *int32                // replicas, for the savings
	progress   func(rows int64)
	startups   []wish // cpu used while starting
	options    hpacouple.Options
	retake     bool
	beginAnew  bool // what stands there is the user's choice, although fields are ours and nothing is remembered
}

// undoes says that rollbacks or releases are asked for, rather than changes.
func (s *settings) undoes() bool { return slices.ContainsFunc(s.facts, fact.undoes) }

// manager is the field manager of the writes.
func (s *settings) manager() string { return cmp.Or(s.options.FieldManager, risk.DefaultFieldManager) }

// option is one flag.
type option program.Flag[settings]

// flags are the options in the type of the parser.
func flags() (list []program.Flag[settings]) {
	for _, o := range options() {
		list = append(list, program.Flag[settings](o))
	}
	return list
}

func options() []option {
	return []option{
		{"filename", "f", "FILE", false, func(s *settings, v string) error {
			s.files = append(s.files, strings.Split(v, ",")...)
			return nil
		}, "a file or directory of manifests, YAML or JSON; - is standard input; the same as FILE"},
		{"output", "o", "FORMAT", false, program.Format(func(s *settings) *string { return &s.format }, "writes"),
			"table (default), json, yaml, or writes: the requests to the API server that carry out what is allowed"},
		{"request", "", "[KIND/NAME/]CONTAINER:cpu=700m,memory=512Mi", false, func(s *settings, v string) error { return s.wish("--request", v) },
			"new requests; without KIND/NAME/ of every workload that has the container; repeatable"},
		{"limit", "", "[KIND/NAME/]CONTAINER:cpu=1,memory=1Gi", false, func(s *settings, v string) error { return s.wish("--limit", v) },
			"limits after the change, in the same form; repeatable"},
		{"requests", "", "FILE", false, func(s *settings, v string) error { s.tables = append(s.tables, v); return nil },
			"a table of new requests in CSV: " + manifest.RequestsHeader},
		{"usage", "", "[RESOURCE=]FILE", false, setUsage,
			"measured usage: CSV time,pod,container,resource,value, the JSON of a Prometheus range query, or PodMetrics; RESOURCE= (cpu, memory, replicas, maxReplicas) where the file does not say it; several files add up"},
		{"preset", "", "vpa|peak", false, setPreset, "how requests are made of usage: as VPA does (default), or p95 of cpu and the largest memory plus 15 %"},
		{"window", "", "DURATION", false, setWindow,
			"how much of the usage counts, back from the newest row of each workload, such as 36h or 8d (default: 8d with vpa, 14d with peak); what is older is left out and counted"},
		{"start-up", "", "[KIND/NAME/]CONTAINER:cpu=200m", false, func(s *settings, v string) error { return s.startUp(v) },
			"the most cpu that the container uses while it starts: its limit does not fall below that with the request; repeatable"},
		{"price", "", "cpu=0.03,memory=0.004", false, setPrice, "what a core and a GiB cost for an hour, for the savings; up to six decimals"},
		{"replicas", "", "N", false, setReplicas, "how many pods of each workload save (default: status of the HPA, spec.replicas, or 1)"},
		{"throttled", "", "[KIND/NAME/]CONTAINER", false, func(s *settings, v string) error { return s.fact(throttled, v) },
			"the container was throttled: its cpu request must not decrease; repeatable"},
		{"oom-killed", "", "[KIND/NAME/]CONTAINER", false, func(s *settings, v string) error { return s.fact(oomKilled, v) },
			"the container was OOM-killed: its memory request must not decrease; repeatable"},
		{"max-replicas-reached", "", "KIND/NAME", true, func(s *settings, v string) error { return s.fact(maxReplicasReached, v) },
			"the HPA was at maxReplicas in the window; without a value of every workload; repeatable"},
		{"coordinate", "", "", false, program.Switch(func(s *settings) *bool { return &s.coordinate }), "as if the policy switched coordination on"},
		{"bounds", "", "MIN-MAX", false, setBounds, "target bounds in percent that requests are fitted to (default 40-90)"},
		{"step", "", "cpu=10m,memory=16Mi", false, func(s *settings, v string) (err error) { s.options.Steps, err = amounts(v); return err },
			"requests are rounded up to multiples of these (default cpu=1m,memory=1Mi)"},
		{"tolerance", "", "NUMBER", false, setTolerance, "the cluster's HPA tolerance (default 0.1)"},
		{"auto-patch", "", "cpu,memory", false, setAutoPatch, "the resources that may be changed (default both)"},
		{"largest-node", "", "cpu=4,memory=16Gi", false, func(s *settings, v string) (err error) { s.options.LargestNode, err = amounts(v); return err },
			"what the largest node can give to pods"},
		{"kube-version", "", "1.37.2", false, setVersion, "the version of the API server and the controller manager"},
		{"rollback", "", "KIND/NAME", true, func(s *settings, v string) error { return s.fact(rollBack, v) },
			"put requests and target back as they were before the last change, which the workload remembers (annotation " + ledger.Annotation + "); without a value of every workload; repeatable"},
		{"release", "", "KIND/NAME", true, func(s *settings, v string) error { return s.fact(release, v) },
			"give up what is ours: the values stay, and belong to their former owners where that is possible; with --rollback the values go back as well; repeatable"},
		{"field-manager", "", "NAME", false, setManager, "the field manager of the writes (default " + risk.DefaultFieldManager + ")"},
		{"retake", "", "", false, program.Switch(func(s *settings) *bool { return &s.retake }), "also write what somebody has taken back, or holds as well"},
		{"begin-anew", "", "", false, program.Switch(func(s *settings) *bool { return &s.beginAnew }),
			"plan also where fields are ours and nothing is remembered of that: what stands there now counts as the user's choice"},
		{"read-only", "", "", false, program.Switch(func(s *settings) *bool { return &s.readOnly }), "HPAs may not be patched"},
		{"exit-code", "", "", false, program.Switch(func(s *settings) *bool { return &s.exitCode }), "exit with 3 if a workload is skipped or blocked"},
		{"help", "h", "", false, program.Switch(func(s *settings) *bool { return &s.help }), "print this text"},
	}
}

// parse reads the arguments.
func parse(args []string) (settings, error) {
	s := settings{format: "table", preset: "vpa"}
	p := program.Parser[settings]{
		Flags:   flags(),
		File:    func(s *settings, name string) { s.files = append(s.files, name) },
		Done:    func(s *settings) bool { return s.help },
		IsValue: isWorkload,
	}
	if err := p.Parse(args, &s); err != nil || s.help {
		return s, err
	}
	return s, s.check()
}

func setManager(s *settings, value string) error {
	const most = 128 // of the API server, for the longer of the two names
	if value == "" || len(ledger.Manager(value)) > most || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("expected a name of 1 to %d printable characters", most-len(ledger.Manager("")))
	}
	s.options.FieldManager = value
	return nil
}

func setBounds(s *settings, value string) error {
	low, high, ok := strings.Cut(value, "-")
	least, errLow := strconv.ParseInt(low, 10, 32)
	most, errHigh := strconv.ParseInt(high, 10, 32)
	signed := strings.ContainsAny(value, "+") || strings.HasPrefix(high, "-")
	if !ok || signed || errLow != nil || errHigh != nil || least < 1 || most < least {
		return errors.New("expected two whole percent such as 40-90, at least 1 and the lower one first")
	}
	s.options.MinUtilization, s.options.MaxUtilization = int32(least), int32(most)
	return nil
}

func setTolerance(s *settings, value string) error {
	q, err := manifest.ParseQuantity(value)
	if err != nil || q.Sign() < 0 {
		return errors.New("expected a number such as 0.1, not below 0")
	}
	s.options.Tolerance = &q
	return nil
}

func setVersion(s *settings, value string) error {
	if _, err := version.ParseGeneric(value); err != nil {
		return errors.New("expected a version such as 1.37.2")
	}
	s.version = value
	return nil
}

func setAutoPatch(s *settings, value string) error {
	s.options.AutoPatch = []corev1.ResourceName{} // an empty value: nothing may be changed
	for _, name := range strings.Split(value, ",") {
		if slices.Contains(s.options.AutoPatch, corev1.ResourceName(name)) {
			return fmt.Errorf("%s was given twice", name)
		}
		if value != "" {
			s.options.AutoPatch = append(s.options.AutoPatch, corev1.ResourceName(name))
		}
	}
	return nil
}

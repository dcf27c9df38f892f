package usagefile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// readJSON reads the objects one after another: answers of range queries (status, data.result[].metric and .values), a
// PodMetricsList or PodMetrics; or an array of series, as promtool prints it. Arrays are walked element by element and never held whole.
func (c *parser) readJSON(in io.Reader, array bool) error {
	d := json.NewDecoder(in)
	c.in.from(d.InputOffset)
	if array {
		if err := elements(d, func() error { return c.series(d) }); err != nil {
			return fmt.Errorf("at byte %d: %w", d.InputOffset(), noEOF(err))
		}
	}
	for {
		err := c.object(d, "")
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
		}
	}
}

// object walks one object and looks only into what can hold rows.
func (c *parser) object(d *json.Decoder, path string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("an object is wanted, here is %v", token)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return noEOF(err)
		}
		switch path + "/" + key.(string) {
		case "/status":
			var status json.RawMessage
			if err := d.Decode(&status); err != nil {
				return noEOF(err)
			}
			if string(status) == `"error"` {
				return errors.New("the query has failed: its status is error")
			}
		case "/isPartial":
			var partial bool
			if err = d.Decode(&partial); err == nil && partial {
				err = errors.New("the database could answer in part alone (isPartial)")
			}
		case "/metadata":
			var list struct {
				Continue string `json:"continue"`
			}
			if err = d.Decode(&list); err == nil && list.Continue != "" {
				err = errors.New("this is one page of a longer list (metadata.continue)")
			}
		case "/data":
			err = c.object(d, "/data")
		case "/data/result":
			err = elements(d, func() error { return c.series(d) })
		case "/data/resultType":
			var kind string
			if err = d.Decode(&kind); err == nil && kind != "matrix" {
				err = fmt.Errorf("the answer of a range query is a matrix, this is a %s", kind)
			}
		case "/items":
			err = elements(d, func() error { return c.podMetrics(d) })
		case "/warnings":
			err = elements(d, func() error { return c.warning(d) })
		default:
			err = skip(d)
		}
		if err != nil {
			return noEOF(err)
		}
	}
	_, err = d.Token()
	return noEOF(err)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func elements(d *json.Decoder, each func() error) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token == nil {
		return nil // null
	}
	if token != json.Delim('[') {
		return fmt.Errorf("an array is wanted, here is %v", token)
	}
	for d.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// series reads one series of a matrix. Labels may stand behind the values; then the values are held until they are known.
func (c *parser) series(d *json.Decoder) error {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(err, errors.New("a series is an object"))
	}
	var of *row // what the labels say
	var held []sample
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "metric":
			var labels map[string]string
			if of != nil {
				return errors.New("a series has labels twice")
			}
			if err := d.Decode(&labels); err != nil {
				return err
			}
			if of, err = c.labelled(labels); err != nil {
				return err
			}
		case "values":
			err = elements(d, func() error {
				var s sample
				if err := d.Decode(&s); err != nil {
					return err
				}
				switch {
				case of != nil:
					return c.sample(of, s)
				case len(held) == mostHeld:
					return errHeld
				}
				held = append(held, s)
				return nil
			})
		default:
			err = skip(d)
		}
		if err != nil {
			return err
		}
	}
	if of == nil {
		var err error
		if of, err = c.labelled(nil); err != nil {
			return err
		}
	}
	for _, s := range held {
		if err := c.sample(of, s); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// sample is [seconds, "value"].
type sample struct {
	at    time.Time
	value float64
}

// UnmarshalJSON reads the pair.
func (s *sample) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a sample is [seconds, value]")
	}
	var seconds float64
	if err := json.Unmarshal(pair[0], &seconds); err != nil {
		return err
	}
	var err error
	if s.at, err = unix(seconds); err != nil {
		return err
	}
	s.value, err = parseValue(strings.Trim(string(pair[1]), `"`))
	return err
}

func (c *parser) sample(of *row, s sample) error {
	r := *of
	r.at, r.value = s.at, s.value
	return c.row(r)
}

// labelled is what the labels of a series say of its rows.
func (c *parser) labelled(labels map[string]string) (*row, error) {
	m, err := meaning(labels, c.of)
	if err != nil {
		return nil, err
	}
	r := row{pod: Pod{labels["namespace"], labels["pod"]}, container: labels["container"], resource: m.resource, counter: m.counter,
		series: labels["id"] + "/" + labels["node"] + "/" + labels["instance"]} // a cgroup and its scraper
	if r.ofReplicas() {
		r.pod, r.series = Pod{cmp.Or(labels["exported_namespace"], labels["namespace"]), named(labels)}, labels["__name__"]+"/"+r.series
	}
	return &r, nil
}

const longestWarning = 200

// warning reads one warning of the database: it answers with one when it knows of data that are missing.
func (c *parser) warning(d *json.Decoder) error {
	var text string
	if err := d.Decode(&text); err != nil {
		return err
	}
	if c.warned != nil {
		c.warned(text[:min(len(text), longestWarning)])
	}
	return nil
}

// podMetrics reads one element of a PodMetricsList of metrics.k8s.io.
func (c *parser) podMetrics(d *json.Decoder) error {
	var m struct {
		Metadata struct {
			Namespace string            `json:"namespace"`
			Name      string            `json:"name"`
			Labels    map[string]string `json:"labels"`
		} `json:"metadata"`
		Timestamp  time.Time `json:"timestamp"`
		Containers []struct {
			Name  string            `json:"name"`
			Usage map[string]string `json:"usage"`
		} `json:"containers"`
	}
	if err := d.Decode(&m); err != nil {
		return err
	}
	if m.Timestamp.IsZero() {
		return fmt.Errorf("%s: without a timestamp nobody knows when this was measured", m.Metadata.Name)
	}
	for _, k := range m.Containers {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			text, ok := k.Usage[string(name)]
			if !ok {
				continue
			}
			value, err := parseValue(text)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", m.Metadata.Name, k.Name, err)
			}
			if err := c.row(row{at: m.Timestamp, pod: Pod{m.Metadata.Namespace, m.Metadata.Name}, labels: m.Metadata.Labels, container: k.Name, resource: name, value: value}); err != nil {
				return err
			}
		}
	}
	return nil
}

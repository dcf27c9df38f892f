package usagefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// readJSON reads the objects one after another: answers of range queries (status, data.result[].metric and .values), a
// PodMetricsList or PodMetrics. Arrays are walked element by element and never held whole.
func (c *parser) readJSON(in io.Reader, of corev1.ResourceName) error {
	d := json.NewDecoder(in)
	for {
		err := c.object(d, of, "")
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
		}
	}
}

// object walks one object and looks only into what can hold rows.
func (c *parser) object(d *json.Decoder, of corev1.ResourceName, path string) error {
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
		case "/data":
			err = c.object(d, of, "/data")
		case "/data/result":
			err = elements(d, func() error { return c.series(d, of) })
		case "/data/resultType":
			var kind string
			if err = d.Decode(&kind); err == nil && kind != "matrix" {
				err = fmt.Errorf("the answer of a range query is a matrix, this is a %s", kind)
			}
		case "/items":
			err = elements(d, func() error { return c.podMetrics(d) })
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
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
func (c *parser) series(d *json.Decoder, of corev1.ResourceName) error {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(err, errors.New("a series is an object"))
	}
	var labels map[string]string
	var held []sample
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "metric":
			if err := d.Decode(&labels); err != nil {
				return err
			}
			if labels == nil {
				labels = map[string]string{}
			}
		case "values":
			err = elements(d, func() error {
				var s sample
				if err := d.Decode(&s); err != nil {
					return err
				}
				if labels == nil {
					held = append(held, s)
					return nil
				}
				return c.sample(labels, s, of)
			})
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range held {
		if err := c.sample(labels, s, of); err != nil {
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

func (c *parser) sample(labels map[string]string, s sample, of corev1.ResourceName) error {
	r := row{at: s.at, pod: Pod{labels["namespace"], labels["pod"]}, container: labels["container"], resource: of, value: s.value,
		series: labels["id"] + "/" + labels["node"] + "/" + labels["instance"]} // a cgroup and its scraper
	name := labels["__name__"]
	switch {
	case labels["resource"] != "":
		r.resource = corev1.ResourceName(labels["resource"])
	case strings.Contains(name, "cpu"):
		r.resource = corev1.ResourceCPU
	case strings.Contains(name, "memory"):
		r.resource = corev1.ResourceMemory
	case strings.Contains(name, "replicas"):
		r.resource = replicas
	}
	if r.resource == replicas {
		for _, label := range []string{"horizontalpodautoscaler", "hpa", "deployment", "statefulset"} {
			if r.pod.Name == "" {
				r.pod.Name = labels[label]
			}
		}
	}
	r.counter = strings.HasSuffix(name, "_seconds_total")
	if err := c.row(r); err != nil {
		return fmt.Errorf("%w: neither the label resource nor the metric's name says it; give it with the file", err)
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

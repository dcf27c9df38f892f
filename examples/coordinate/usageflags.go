package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/recommend"
)

// usageFile is a value of --usage.
type usageFile struct {
	name     string
	resource corev1.ResourceName // what its values are, where it does not say
}

func setUsage(s *settings, value string) error {
	u := usageFile{name: value}
	if of, name, ok := strings.Cut(value, "="); ok && slices.Contains(usagefile.Resources(), corev1.ResourceName(of)) {
		u = usageFile{name, corev1.ResourceName(of)}
	}
	if u.name == "" {
		return errors.New("expected a file")
	}
	s.usage = append(s.usage, u)
	return nil
}

// startUp reads the value of --start-up.
func (s *settings) startUp(value string) error {
	one := settings{}
	if err := one.wish("--start-up", value); err != nil {
		return err
	}
	for _, w := range one.wishes {
		if w.resource != corev1.ResourceCPU {
			return errors.New("expected an amount of cpu alone")
		}
	}
	s.startups = append(s.startups, one.wishes...)
	return nil
}

func setPreset(s *settings, value string) error {
	if value != "vpa" && value != "peak" {
		return errors.New("expected vpa or peak")
	}
	s.preset = value
	return nil
}

func setReplicas(s *settings, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 0 {
		return errors.New("expected a whole number, not below 0")
	}
	count := int32(n)
	s.count = &count
	return nil
}

// setPrice reads prices; a millionth of the currency unit is the smallest one.
func setPrice(s *settings, value string) error {
	list, err := amounts(value)
	if err != nil {
		return err
	}
	s.prices, s.unpriced = recommend.Prices{}, nil
	most := resource.MustParse("1e6")
	for _, r := range []struct {
		name corev1.ResourceName
		into *int64
	}{{corev1.ResourceCPU, &s.prices.CPU}, {corev1.ResourceMemory, &s.prices.Memory}} {
		q, ok := list[r.name]
		if !ok {
			s.unpriced = append(s.unpriced, r.name)
			continue
		}
		if q.Sign() < 0 || q.Cmp(most) > 0 {
			return errors.New("expected prices from 0 to a million")
		}
		*r.into = q.ScaledValue(resource.Micro)
		if q.Cmp(*resource.NewScaledQuantity(*r.into, resource.Micro)) != 0 {
			return errors.New("expected six decimals at most")
		}
	}
	if s.prices == (recommend.Prices{}) {
		return errors.New("expected a price above 0")
	}
	return nil
}

// setWindow reads a duration as Prometheus writes it, 8d or 1d12h, or as Go does.
func setWindow(s *settings, value string) error {
	expected := errors.New("expected a duration above 0 and of at most 10 years, such as 8d, 36h or 1d12h")
	days, rest, found := strings.Cut(value, "d")
	if !found {
		days, rest = "0", value
	}
	n, err := strconv.ParseUint(days, 10, 12)
	if err != nil {
		return expected
	}
	var d time.Duration
	if rest != "" {
		if d, err = time.ParseDuration(rest); err != nil {
			return expected
		}
	}
	const day = 24 * time.Hour
	if d < 0 || d > 3650*day {
		return expected
	}
	if d += time.Duration(n) * day; d <= 0 || d > 3650*day {
		return expected
	}
	s.window = d
	return nil
}

// checkUsage refuses flags of usage that cannot be meant.
func (s *settings) checkUsage() error {
	if least := s.strategy().MinSpan.Duration; s.window > 0 && s.window < least {
		return fmt.Errorf("--window: the preset %s asks for measurements of %v at least", s.preset, least)
	}
	if len(s.usage) > 0 || len(s.files) == 0 { // the example has usage
		return nil
	}
	if len(s.startups) > 0 {
		return fmt.Errorf("%s: without --usage nobody reads it", s.startups[0].source.Field)
	}
	if s.window > 0 {
		return errors.New("--window: without --usage nobody reads it")
	}
	return nil
}

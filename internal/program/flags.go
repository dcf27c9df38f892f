// Package program is what the programs of this repository share: flags that mix with files, the files themselves, and reports.
package program

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Flag is one flag of a program whose settings are of type S.
type Flag[S any] struct {
	Long, Short string
	// Value is what its value is called; empty for a switch.
	Value string
	// Optional says that the value may be missing.
	Optional bool
	Set      func(s *S, value string) error
	Help     string
}

// Parser reads arguments into settings.
type Parser[S any] struct {
	Flags []Flag[S]
	// File takes an argument that is no flag.
	File func(s *S, name string)
	// Done says that the rest does not matter.
	Done func(s *S) bool
	// IsValue says whether the argument behind a flag with an optional value is that value; nil means that it never is.
	IsValue func(argument string) (bool, error)
}

// Parse reads the arguments. Flags and files mix in any order; what follows -- is a file. Long flags take one dash or two, short ones their
// value in the same argument or the next.
func (p Parser[S]) Parse(args []string, s *S) error {
	for len(args) > 0 && !p.Done(s) {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			for _, name := range args {
				p.File(s, name)
			}
			return nil
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			p.File(s, arg)
			continue
		}
		f, value, given := p.find(arg)
		if f == nil {
			return fmt.Errorf("unknown flag %s", strconv.Quote(arg))
		}
		if !given && len(args) > 0 && f.Value != "" {
			takes := !f.Optional
			if f.Optional && p.IsValue != nil {
				var err error
				if takes, err = p.IsValue(args[0]); err != nil {
					return fmt.Errorf("--%s %s: %w", f.Long, strconv.Quote(args[0]), err)
				}
			}
			if takes {
				value, args, given = args[0], args[1:], true
			}
		}
		if !given && f.Value != "" && !f.Optional {
			return fmt.Errorf("--%s: expected a value: %s", f.Long, f.Value)
		}
		if err := f.Set(s, value); err != nil {
			return fmt.Errorf("--%s %s: %w", f.Long, strconv.Quote(value), err)
		}
	}
	return nil
}

// find returns the flag that an argument names, with the value that stands in the same argument.
func (p Parser[S]) find(arg string) (f *Flag[S], value string, given bool) {
	body := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	name, value, given := strings.Cut(body, "=")
	for i := range p.Flags {
		if p.Flags[i].Long == name {
			return &p.Flags[i], value, given
		}
	}
	if strings.HasPrefix(arg, "--") {
		return nil, "", false
	}
	for i := range p.Flags {
		f := &p.Flags[i]
		if f.Short == "" || !strings.HasPrefix(body, f.Short) || (f.Value == "" && body != f.Short) {
			continue
		}
		rest := body[len(f.Short):]
		return f, strings.TrimPrefix(rest, "="), rest != ""
	}
	return nil, "", false
}

// Describe explains the flags for --help, in their order.
func Describe[S any](flags []Flag[S]) string {
	var b strings.Builder
	for _, f := range flags {
		b.WriteString("  ")
		if f.Short != "" {
			b.WriteString("-" + f.Short + ", ")
		}
		b.WriteString("--" + f.Long)
		switch {
		case f.Optional:
			b.WriteString("[=" + f.Value + "]")
		case f.Value != "":
			b.WriteString(" " + f.Value)
		}
		b.WriteString("\n        " + f.Help + "\n")
	}
	return b.String()
}

// Switch sets a flag without a value.
func Switch[S any](field func(*S) *bool) func(*S, string) error {
	return func(s *S, value string) error {
		if value == "" {
			value = "true"
		}
		b, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("expected no value, true or false")
		}
		*field(s) = b
		return nil
	}
}

// Format sets the output format: table, json, yaml, or one that the program has beside them.
func Format[S any](field func(*S) *string, more ...string) func(*S, string) error {
	return func(s *S, value string) error {
		known := append([]string{"table", "json", "yaml"}, more...)
		if last := len(known) - 1; !slices.Contains(known, value) {
			return errors.New("expected " + strings.Join(known[:last], ", ") + " or " + known[last])
		}
		*field(s) = value
		return nil
	}
}

// OneStandardInput refuses a list of files that names standard input twice.
func OneStandardInput(names []string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return errors.New("- (standard input) can be read only once")
	}
	return nil
}

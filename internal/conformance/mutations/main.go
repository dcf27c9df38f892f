// Mutations breaks the library on purpose, one line at a time, in a copy, and shows that the comparisons with the real
// code notice every one. It exits with 1 if a mutation survives, or no longer fits the source.
//
//	go run ./mutations [-from N] [-to N]
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	from := flag.Int("from", 1, "the first mutation to run")
	to := flag.Int("to", len(mutations), "the last mutation to run")
	flag.Parse()
	if err := run(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(from, to int) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(root, dir); err != nil {
		return err
	}
	if out, err := vectors(dir); err != nil {
		return fmt.Errorf("the copy fails unbroken: %w\n%s", err, out)
	}
	if out, err := realCode(dir); err != nil {
		return fmt.Errorf("the copy fails unbroken: %w\n%s", err, out)
	}
	survivors := 0
	fmt.Printf("%3s  %-8s %-9s %s\n", "", "vectors", "real code", "mutation")
	for i, m := range mutations {
		if i+1 < from || i+1 > to {
			continue
		}
		restore, err := m.apply(dir)
		if err != nil {
			return fmt.Errorf("mutation %d: %w", i+1, err)
		}
		vectorsOut, byVectors := vectors(dir)
		out, byRealCode := realCode(dir)
		if strings.Contains(out+vectorsOut, "[build failed]") {
			return fmt.Errorf("mutation %d does not build:\n%s%s", i+1, vectorsOut, out)
		}
		if err := restore(); err != nil {
			return err
		}
		if byRealCode == nil {
			survivors++
		}
		fmt.Printf("%3d  %-8s %-9s %s: %s\n", i+1, verdict(byVectors), verdict(byRealCode), m.file, m.why)
	}
	if survivors > 0 {
		return fmt.Errorf("%d mutations survived the comparisons with the real code", survivors)
	}
	return nil
}

func verdict(err error) string {
	if err != nil {
		return "caught"
	}
	return "-"
}

// vectors runs the worked numbers alone.
func vectors(dir string) (string, error) {
	return test(dir, "./replicas", "-run", "Vectors")
}

// realCode runs reduced comparisons with the real code.
func realCode(dir string) (string, error) {
	return test(filepath.Join(dir, "internal", "conformance"), "./replicas", "-run", "TestCalculator|TestTraces|TestDivergences")
}

func test(dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-vet=off"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CONFORMANCE_COMPARISONS=8000", "CONFORMANCE_TRACES=300")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyTree copies what the tests need to build.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.HasPrefix(entry.Name(), ".") && relative != "." {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, relative), text, 0o644)
	})
}

// apply breaks the copy and returns what mends it. The old text must stand there exactly once.
func (m mutation) apply(dir string) (restore func() error, err error) {
	path := filepath.Join(dir, "replicas", m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return nil, fmt.Errorf("%s holds %q %d times", m.file, m.old, n)
	}
	broken := strings.Replace(string(text), m.old, m.new, 1)
	return func() error { return os.WriteFile(path, text, 0o644) }, os.WriteFile(path, []byte(broken), 0o644)
}

// Package manifest reads Kubernetes documents, YAML or JSON and many to a
// file, into typed objects for the programs under examples.
//
// It is strict about everything that would change an answer unnoticed: a
// quantity that is none, a number of the wrong form, an unknown field inside
// resources, metrics, behavior or a policy, a key that is given twice. It is
// lenient about the rest, so that manifests of newer Kubernetes releases load.
// Whatever the input, Read returns; it neither panics nor hangs.
//
// # Numbers and words
//
// A scalar without quotes means what it means to kubectl: 010 is 8, 1e3 is
// 1000, yes and off are booleans. A quantity without quotes is therefore the
// quantity of that number; in quotes it keeps its own notation (1e3 stays
// "1e3"). Whole decimal numbers stay exact at any length, where kubectl goes
// through a float64 beyond 64 bits.
//
// A quantity has at least one digit, no blanks, at most 64 characters and a
// decimal exponent of at most three digits. The API server is more lenient in
// four points, and each would give a wrong number without a word: it reads
// "m", "Mi" and "+" as 0, trims blanks, caps binary notation beyond
// 2^63-1, and spends seconds to forever on 1e-9999999.
//
// # Documents
//
// A line that starts with --- opens a document, and a line of three dots ends
// one. An empty document between two such lines counts in the numbering;
// comments in front of the first one do not. JSON documents may follow each
// other without a separator. Files with a byte order mark are read, UTF-16
// (what PowerShell writes) included.
//
// # Limits
//
// 16 MiB to a file (MaxSize, before and after conversion to UTF-8), 100 000
// documents to a file, two million lines, commas and opening brackets to a
// document, nesting 1 000 deep, 4 MiB of text and values that aliases (*name)
// may add to a file. What is beyond is refused with a problem. Of the problems
// of one file the first 1 000 are listed, and then how many more there are.
package manifest

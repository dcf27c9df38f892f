// Package skipreason is the closed vocabulary of a coordinated rightsizing: why a change was skipped, why it was blocked, and which risks
// it carries.
//
// Skip reasons are the hub's: whoever computes the change says with them why requests and target stay as they are. Block reasons are the
// agent's: whoever may write to the cluster says with them why it did not. Risk flags stop nothing by themselves; they travel with every
// outcome.
//
// Each word has an [Entry] in the [Catalogue]: a sentence for a person, the exact rule with its threshold, and what the caller does next.
// The words are the stable interface; the sentences may be reworded.
//
// The package imports nothing, so that a dashboard, a policy engine or a test can use the words without the rest.
package skipreason

// UnknownError says that a text is not a word of the vocabulary.
type UnknownError struct {
	// Kind is the list that was consulted: "skip reason", "block reason", "block cause" or "risk flag".
	Kind string
	// Text is what was found.
	Text string
}

// Error names the list and the text.
func (e *UnknownError) Error() string { return "unknown " + e.Kind + " \"" + e.Text + "\"" }

// word is what the four lists share: a text that is valid when it stands in its list.
func known[W ~string](w W, list []W) bool {
	for _, k := range list {
		if w == k {
			return true
		}
	}
	return false
}

// decode turns text into a word of the list. The empty text is accepted as the zero value, "none", only where none is true.
func decode[W ~string](text []byte, list []W, kind string, none bool) (W, error) {
	w := W(text)
	if known(w, list) || (none && w == "") {
		return w, nil
	}
	return "", &UnknownError{Kind: kind, Text: string(text)}
}

// encode is the opposite of decode and refuses the same texts, so that nothing is written that could not be read again.
func encode[W ~string](w W, list []W, kind string, none bool) ([]byte, error) {
	if known(w, list) || (none && w == "") {
		return []byte(w), nil
	}
	return nil, &UnknownError{Kind: kind, Text: string(w)}
}

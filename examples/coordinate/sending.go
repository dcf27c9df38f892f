package main

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/internal/program"
)

const howToSend = `# Each body is to be sent to the API server as a PATCH of the path above it, with that content type, in this order. Stop at the first that
# fails; send what is remembered all the same, if the first was answered, then read the objects again and run this again. With &dryRun=All each
# can be tried before the first is sent. Through kubectl proxy, with the body in the file body.json:
#   curl -X PATCH -H 'Content-Type: application/apply-patch+yaml' --data-binary @body.json 'http://127.0.0.1:8001/apis/...'
`

// writesText is the report as requests to the API server: lines of comments, and lines that are bodies, each JSON.
func writesText(r report) []byte {
	var p page
	p.WriteString(howToSend)
	for k := range r.Items {
		p.sends(&r.Items[k], r.manager)
	}
	p.line("")
	for _, n := range r.Notes {
		p.line("# Note: " + program.Plain(n))
	}
	var last page
	last.summary(r)
	p.line("# " + string(bytes.TrimSpace(last.Bytes())))
	return p.Bytes()
}

func (p *page) sends(i *item, manager string) {
	p.line("")
	verdict := "allowed"
	if !i.Admission.Allowed {
		verdict = "blocked (" + string(i.Admission.Cause) + "), so nothing is written"
	}
	p.line("# " + program.Plain(i.Workload.String()) + ": " + string(i.Action) + ", " + string(i.Outcome) + ", " + verdict)
	for _, n := range i.Notes {
		p.line("# Note: " + program.Plain(n))
	}
	if len(i.Writes)+len(i.Ledger) == 0 && i.Admission.Allowed {
		p.line("# Nothing is to be written.")
	}
	if i.Order != nil && !i.Order.Safe {
		p.line(fmt.Sprintf("# Between the two writes replicas may be taken away: the scale-down window is %d seconds, and scaling down is not disabled.", i.Order.Window))
	}
	p.requests(i.Writes)
	if len(i.Ledger) > 0 {
		p.line("# Last, and also where one of the others failed, what is remembered (" + ledger.Annotation + "). Keep this text until it is answered: what " + program.Plain(manager) + " has taken cannot be read from the objects any more.")
		p.requests(i.Ledger)
	}
	if i.Again {
		p.line("# More is to be written: send this, read the objects again, and run this again.")
	}
}

func (p *page) requests(writes []hpacouple.Write) {
	for _, w := range writes {
		query := "fieldManager=" + url.QueryEscape(w.FieldManager)
		if w.PatchType == hpacouple.ApplyPatch {
			query += "&force=" + strconv.FormatBool(w.Force)
		}
		p.line("# PATCH " + (&url.URL{Path: requestPath(w.Object)}).EscapedPath() + "?" + query + " Content-Type: " + string(w.PatchType))
		p.line(ascii(w.Body))
	}
}

// ascii is the same JSON in one line of printable ASCII: names come from documents.
func ascii(body []byte) string {
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		r, n := utf8.DecodeRune(body)
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			out = append(out, ' ')
		case r >= ' ' && r <= '~':
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		body = body[n:]
	}
	return string(out)
}

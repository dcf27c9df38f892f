package manifest

import "strings"

// root reads a document: one object, or a list of them.
func (r *reader) root(n *node, at Origin) {
	d := decoder{r, at}
	if n.form == null {
		return
	}
	if n.form != object {
		d.mismatch(n, nil, "expected a Kubernetes object")
		return
	}
	kind, items := n.field("kind").string(), n.field("items")
	if !isPolicy(n) && (kind == "List" || strings.HasSuffix(kind, "List") && items != nil && items.form == list) {
		r.list(n, at, strings.TrimSuffix(kind, "List"))
		return
	}
	r.object(n, at, n.field("apiVersion").string(), kind)
}

// list reads the items of a List. Those of a typed list (DeploymentList) need
// not name their kind.
func (r *reader) list(n *node, at Origin, itemKind string) {
	d := decoder{r, at}
	for _, f := range r.nodeFaults[n] {
		d.problem(&node{line: f.line}, nil, f.message)
	}
	items := n.field("items")
	if items == nil || items.form == null {
		return
	}
	if items.form != list {
		d.mismatch(items, (*path)(nil).down("items"), "expected a list")
		return
	}
	for i, item := range items.items {
		at.Item, at.Line = i+1, item.line
		if item.form != object {
			decoder{r, at}.mismatch(item, nil, "expected a Kubernetes object")
			continue
		}
		apiVersion, kind := item.field("apiVersion").string(), item.field("kind").string()
		if itemKind != "" && kind == "" {
			kind = itemKind
			if apiVersion == "" {
				apiVersion = n.field("apiVersion").string()
			}
		}
		if strings.HasSuffix(kind, "List") && item.field("items") != nil {
			decoder{r, at}.problem(item, nil, "found a "+clip(kind)+" inside a list, expected an object")
			continue
		}
		r.object(item, at, apiVersion, kind)
	}
}

// object reads one object, or notes that its kind is not read.
func (r *reader) object(n *node, at Origin, apiVersion, kindName string) {
	metadata := n.field("metadata")
	id := Identity{
		APIVersion: apiVersion,
		Kind:       kindName,
		Namespace:  metadata.field("namespace").string(),
		Name:       metadata.field("name").string(),
	}
	if id.Namespace == "" {
		id.Namespace = defaultNamespace
	}
	d := decoder{r, at}
	if isPolicy(n) {
		policyKind.load(r, n, at, id)
		return
	}
	if kindName == "" {
		field := n.field("kind")
		if field == nil {
			field = &node{line: n.line}
		}
		d.mismatch(field, (*path)(nil).down("kind"), "expected the kind of a Kubernetes object")
		return
	}
	k, expected := find(apiVersion, kindName)
	switch {
	case k != nil:
		k.load(r, n, at, id)
	case expected != "":
		version := n.field("apiVersion")
		if version == nil {
			version = &node{line: n.line}
		}
		d.mismatch(version, (*path)(nil).down("apiVersion"), "expected "+expected+" for a "+kindName)
		r.objects.Refused = append(r.objects.Refused, Refused{Origin: at, Identity: id})
	default:
		// A key given twice at the top may be what makes it another kind.
		for _, f := range r.nodeFaults[n] {
			d.problem(&node{line: f.line}, nil, f.message)
		}
		r.objects.Skipped = append(r.objects.Skipped, Skipped{at, id})
	}
}

// isPolicy tells a policy by its content.
func isPolicy(n *node) bool {
	hpa := n.field("spec").field("hpa")
	return hpa.field("coordinate") != nil || hpa.field("targetBounds") != nil
}

package change

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// write is one recorded request.
type write struct {
	Object, Verb, APIVersion, Subresource, ContentType, FieldManager, DryRun string
	Force                                                                    *bool
	Body                                                                     json.RawMessage
}

// The recording is true: each of its requests, sent again to the recorded object, has the recorded status, values and owners. With TestStories of
// package hpacouple, which builds these requests, this is the library on a real API server.
func TestRecording(t *testing.T) {
	if apiServer == nil {
		t.Skip("needs a real API server")
	}
	r, sent := record(t), 0
	for _, st := range r.Stories {
		t.Run(st.Name, func(t *testing.T) {
			now := map[string]string{}
			for object, n := range st.Before {
				now[object] = n
			}
			h, d := decode(t, r, now)
			var objects []runtime.Object
			if h != nil {
				objects = append(objects, h)
			}
			if d != nil {
				objects = append(objects, d)
			}
			c := newCluster(t, objects...)
			for i, step := range st.Steps {
				sent++
				status := c.replay(t, step.Write, r.Objects[now[step.Write.Object]])
				require.Equal(t, step.Status, status, "step %d", i)
				for object, n := range step.After {
					now[object] = n
				}
				h, d := decode(t, r, now)
				if h != nil {
					require.Equal(t, h.Spec, c.hpa().Spec, "step %d", i)
					require.Equal(t, owners(h.ManagedFields), owners(c.hpa().ManagedFields), "step %d", i)
				}
				if d != nil {
					require.Equal(t, asText(t, d.Spec), asText(t, c.deployment().Spec), "step %d", i)
					require.Equal(t, owners(d.ManagedFields), owners(c.deployment().ManagedFields), "step %d", i)
				}
			}
		})
	}
	t.Logf("%d requests", sent)
	require.Equal(t, 396, sent)
}

func asText(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

const entryHead = "/metadata/managedFields/"

var entryPath = regexp.MustCompile(entryHead + "[0-9]+")

// replay sends a recorded request and returns its status. The recording's uid and resourceVersion (1000, and 999 for one that is stale) become the
// live object's, and so do the places in managedFields, which are sorted by time.
func (c *cluster) replay(t *testing.T, w write, recorded json.RawMessage) int {
	var was, is struct{ Metadata metav1.ObjectMeta }
	path := fmt.Sprintf("/apis/%s/namespaces/%s/deployments/%s", w.APIVersion, namespace, name)
	if w.Object == "hpa" {
		path = fmt.Sprintf("/apis/%s/namespaces/%s/horizontalpodautoscalers/%s", w.APIVersion, namespace, name)
	}
	client := c.set.(*kubernetes.Clientset).RESTClient()
	body := string(w.Body)
	if recorded != nil {
		live, err := client.Get().AbsPath(path).DoRaw(context.Background())
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(recorded, &was))
		require.NoError(t, json.Unmarshal(live, &is))
		body = strings.NewReplacer(string(was.Metadata.UID), string(is.Metadata.UID), `"1000"`, `"`+is.Metadata.ResourceVersion+`"`).Replace(body)
		body = entryPath.ReplaceAllStringFunc(body, func(path string) string {
			n, err := strconv.Atoi(path[len(entryHead):])
			require.NoError(t, err)
			e := was.Metadata.ManagedFields[n]
			return entryHead + strconv.Itoa(slices.IndexFunc(is.Metadata.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
				return f.Manager == e.Manager && f.Operation == e.Operation && f.APIVersion == e.APIVersion && f.Subresource == e.Subresource
			}))
		})
	}
	if w.Subresource != "" {
		path += "/" + w.Subresource
	}
	request := client.Verb(w.Verb).AbsPath(path).SetHeader("Content-Type", w.ContentType).Body([]byte(body))
	if w.FieldManager != "" {
		request.Param("fieldManager", w.FieldManager)
	} else {
		request.SetHeader("User-Agent", "kubectl/v1.37.2") // the field manager is the head of it
	}
	if w.Force != nil {
		request.Param("force", fmt.Sprint(*w.Force))
	}
	if w.DryRun != "" {
		request.Param("dryRun", w.DryRun)
	}
	var status int
	_ = request.Do(context.Background()).StatusCode(&status)
	return status
}

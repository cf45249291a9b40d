package conformance

import (
	"net/http"
	"os"
	"slices"
	"testing"
)

// python is the interpreter that the packages of Debian belong to.
const python = "/usr/bin/python3"

// pythonClients are libraries of Python, as the machine has them.
func pythonClients() []client {
	// What urllib3 sends again without any status on its list: a failed connection, and an answer with Retry-After.
	hinted := answer{err: reset().err, header: http.Header{"Retry-After": {"1"}}}
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	// Whole seconds and dates alone are read there; for what else is said the operation fails.
	overlong := "Retry-After: 999999999999"
	debian := "fails where no timer is that long"
	garbled := "raises InvalidHeader"
	service := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}
	return []client{
		{preset: "botocore-adaptive", module: "botocore", methods: service},
		{preset: "botocore-legacy", module: "botocore", methods: service},
		{preset: "botocore-standard", module: "botocore", methods: service},
		{preset: "requests", module: "requests", methods: methods},
		{preset: "requests-max-retries", module: "requests", methods: methods, fail: hinted, named: map[string]string{overlong: debian}},
		{preset: "tenacity", module: "tenacity"},
		{preset: "tenacity-exp-jitter", module: "tenacity"},
		{preset: "tenacity-random-exp", module: "tenacity"},
		{preset: "urllib3", module: "urllib3", methods: methods, fail: hinted, named: map[string]string{overlong: debian}},
		{
			preset: "urllib3-typical", module: "urllib3", methods: methods, hint: http.StatusServiceUnavailable,
			named: map[string]string{
				overlong: debian, "Retry-After: 1.5": garbled, "Retry-After: -5": garbled, "Retry-After: empty": garbled, "Retry-After: soon": garbled,
			},
		},
	}
}

func checkPython(t *testing.T, tb *table) {
	if _, err := os.Stat(python); err != nil {
		t.Skipf("no Python of the machine's own: %v", err)
	}
	d := drive(t, python, "-B", "python/clients.py")
	list := pythonClients()
	for i := range list {
		c := &list[i]
		t.Run(c.preset, func(t *testing.T) {
			if !slices.Contains(d.Clients, c.preset) {
				t.Skipf("%s has no %s", python, c.module)
			}
			c.send, c.found = d.send(c.preset), d.Versions[c.module]
			check(t, tb, c)
		})
	}
}

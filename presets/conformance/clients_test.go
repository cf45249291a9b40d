package conformance

import (
	"net/http"
	"slices"
)

// anyMethod are the methods of a client that sends whatever it is told.
func anyMethod() []string {
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
}

// clients are all of the table, in the order of their presets.
func clients() []client {
	return slices.Concat(functionClients(), httpClients(), sdkClients(), stdClients(), grpcClients(), temporalClients())
}

package lab

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
)

// inspect checks that a success which says that it is JSON decodes. A body that is longer than what is read of it cannot
// be checked, and an answer to HEAD has none.
func inspect(resp *http.Response, body []byte) error {
	if resp.StatusCode/100 != 2 || !saysJSON(resp.Header.Get("Content-Type")) || !hasBody(resp) || len(body) >= BodyLimit {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var v json.RawMessage
	if err := dec.Decode(&v); err != nil {
		return &JSONError{Offset: dec.InputOffset(), Bytes: len(body)}
	}
	if rest := bytes.TrimLeft(body[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return &JSONError{Offset: dec.InputOffset(), Bytes: len(body)}
	}
	return nil
}

func saysJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func hasBody(resp *http.Response) bool {
	return resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusResetContent &&
		(resp.Request == nil || resp.Request.Method != http.MethodHead)
}

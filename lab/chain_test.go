package lab

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSameSite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"http://h/", "https://h/", true},
		{"http://h:80/", "https://h:443/", true},
		{"http://h:8080/", "https://h/", false},
		{"http://h/", "https://h:8443/", false},
		{"https://h/", "http://h/", false},
		{"https://h/", "https://h:443/x", true},
		{"https://h:8443/", "https://h/", false},
		{"https://[::1]/", "https://[::1]:443/", true},
	} {
		from, err1 := url.Parse(tt.from)
		to, err2 := url.Parse(tt.to)
		if err1 != nil || err2 != nil || sameSite(from, to) != tt.want {
			t.Errorf("%s to %s: want %v (%v, %v)", tt.from, tt.to, tt.want, err1, err2)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "abc", "abcde", "abcdef", "éééé", "ééééé", "éééééé", strings.Repeat("x", 100), "ab\xff\xfe\xfdcd"} {
		got := clip(s, 5)
		if n := utf8.RuneCountInString(s); n <= 5 && got != s || n > 5 && (utf8.RuneCountInString(got) != 5 || !strings.HasSuffix(got, "…")) {
			t.Errorf("%q: %q", s, got)
		}
	}
}

package trace_test

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/trace"
)

func TestRedactURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"http://h/", "http://h/"},
		{"https://h:8080/a/b?x=1&y=two#", "https://h:8080/a/b?x=1&y=two#"},
		{"http://user:s3cret@127.0.0.1:1/", "http://user:•••@127.0.0.1:1/"},
		{"http://a:b@evil@127.0.0.1/", "http://a:•••@127.0.0.1/"},
		{"https://ghp_token@github.com/x", "https://•••@github.com/x"},
		{"https://ghp_0123456789abcdefghij0123:x@github.com/", "https://•••:•••@github.com/"},
		{"https://user:@h/", "https://user:•••@h/"},
		{"http://h/?token=abc&page=2", "http://h/?token=•••&page=2"},
		{"http://h/?Access_Token=abc;API-KEY=x", "http://h/?Access_Token=•••;API-KEY=•••"},
		{"http://h/?apiKey=abc&clientSecret=d&user.password=e", "http://h/?apiKey=•••&clientSecret=•••&user.password=•••"},
		{"http://h/?X-Amz-Signature=abc&X-Amz-Date=2026", "http://h/?X-Amz-Signature=•••&X-Amz-Date=2026"},
		{"http://h/?sig=a&code=b&auth=c&session=d&key=e&sid=f", "http://h/?sig=•••&code=•••&auth=•••&session=•••&key=•••&sid=•••"},
		{"http://h/?%74oken=abc", "http://h/?%74oken=•••"},
		{"http://h/?author=me&keyboard=de&design=x&status=open", "http://h/?author=me&keyboard=de&design=x&status=open"},
		{"http://h/?x=4f6a1b2c3d4e5f60718293a4b5c6d7e8", "http://h/?x=•••"},
		{"http://h/?q=a+rather+long+question+about+nothing", "http://h/?q=a+rather+long+question+about+nothing"},
		{"http://h/?4f6a1b2c3d4e5f60718293a4b5c6d7e8", "http://h/?•••"},
		{"http://h/#access_token=abc&x=1", "http://h/#•••"},
		{"http://h/?tok=a&pw=b&state=c&se=d&csrf=e&nonce=f&pwd=g&pass=h&sas=i&jwt=j&bearer=k&otp=l&pin=m", "http://h/?tok=•••&pw=•••&state=•••&se=•••&csrf=•••&nonce=•••&pwd=•••&pass=•••&sas=•••&jwt=•••&bearer=•••&otp=•••&pin=•••"},
		{"http://h/reset-token/abc123/next", "http://h/reset-token/•••/next"},
		{"http://h/keys/list", "http://h/keys/list"},
		{"http://h/a;jsessionid=x1;v=2/b", "http://h/a;jsessionid=•••;v=2/b"},
		{"http://h/?next=https%3A%2F%2Fg%2F%3Ftoken%3Dabc&x=1", "http://h/?next=•••&x=1"},
		{"http://h/?next=https%253A%252F%252Fg%252F%253Ftoken%253Dabc", "http://h/?next=•••"},
		{"http://h/?next=https%3A%2F%2Fme:pw@g%2F", "http://h/?next=•••"},
		{"http://h/?next=https%3A%2F%2Fg%2F%3Fpage%3D2&q=a%3Db", "http://h/?next=https%3A%2F%2Fg%2F%3Fpage%3D2&q=a%3Db"},
		{"http:/user:PW@h/", "http:/•••@h/"},
		{"http:///user:PW@h/", "http://•••@h/"},
		{"http:user:PW@h/", "•••@h/"},
		{"https//user:PW@h/", "https//user:•••@h/"},
		{"https://hooks.example/services/T0001/4f6a1b2c3d4e5f60718293a4", "https://hooks.example/services/T0001/•••"},
		{"https://h/orders/550e8400-e29b-41d4-a716-446655440000/x", "https://h/orders/550e8400-e29b-41d4-a716-446655440000/x"},
		{"http://user:pa/ss@host/", "http://•••@host/"},
		{"http://user:p?a#ss@h:x/", "http://•••@h:x/"},
		{"http://h/@user", "http://h/@user"},
		{"http://h/\x1b[31m\u202e", "http://h/^[\uFFFD"},
		{"http://h/?token=", "http://h/?token="},
		{"http://h/?SAMLResponse=PHNhbWw&RelayState=x&SAMLRequest=y&SAMLart=z&page=1", "http://h/?SAMLResponse=•••&RelayState=•••&SAMLRequest=•••&SAMLart=•••&page=1"},
		{"http://h/?refresh=a&cvv=1&cvc2=2&ssn=3&mfa=4&passcode=5&wresult=6&cardNumber=7", "http://h/?refresh=•••&cvv=•••&cvc2=•••&ssn=•••&mfa=•••&passcode=•••&wresult=•••&cardNumber=•••"},
		{"http://h/?secretkey=a&authcode=b&privkey=c&db_connection_string=d&passkey=e&salt=f&sso=g", "http://h/?secretkey=•••&authcode=•••&privkey=•••&db_connection_string=•••&passkey=•••&salt=•••&sso=•••"},
		{"http://h/a.mp4?Policy=eyJT&Signature=a~b&Key-Pair-Id=K2", "http://h/a.mp4?Policy=•••&Signature=•••&Key-Pair-Id=•••"},
		{"http://h/?X-Goog-Signature=a&policy=b", "http://h/?X-Goog-Signature=•••&policy=•••"},
		{"http://h/?policy=default&page=2", "http://h/?policy=default&page=2"},
		{"http://h/?refreshed=1&sample=2&assalt=3&discard=4&misspelt=5&processor=6", "http://h/?refreshed=1&sample=2&assalt=3&discard=4&misspelt=5&processor=6"},
		{"http://例え.jp/", "http://xn--r8jz45g.jp/"},
		{"HTTPS://me:pw@Bücher.example:8443/ü?q=ü", "HTTPS://me:•••@xn--bcher-kva.example:8443/ü?q=ü"},
		{"http://ｅｘａｍｐｌｅ。com/", "http://example.com/"},
		{"http://%E4%BE%8B%E3%81%88.jp:80/%E4", "http://xn--r8jz45g.jp:80/%E4"},
		{"http://xn--r8jz45g.jp/", "http://xn--r8jz45g.jp/"},
		{"http://Example.com/", "http://Example.com/"},
		{"http://[::1%25eth0]:1/", "http://[::1%25eth0]:1/"},
		{"http://a\u202eb/", "http://a\uFFFDb/"},
		{"例え.jp/x", "例え.jp/x"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := trace.RedactURL(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// An error of net/http holds the URL, and masks no more than the password in it.
func TestRedactText(t *testing.T) {
	t.Parallel()
	raw := "http://user:hunter2!@h/p?token=to/ken1&api_key=k%20ey1"
	header := map[string][]string{
		"Authorization": {"Bearer bearer-token"}, "Cookie": {"a=cookie1; b=2"}, "X-Api-Key": {"header-key"}, "Accept": {"text/plain"},
		"Proxy-Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("me:proxypass"))}, "Idempotency-Key": {"idem-1"},
	}
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	secrets := trace.Secrets(raw, header)
	text := (&url.Error{Op: "Get", URL: u.String(), Err: errors.New(
		"server said: hunter2! and to/ken1, to%2Fken1, k ey1, bearer-token, a=cookie1; b=2, header-key, proxypass; text/plain idem-1; see /login?code=abc and https://x:pw99@y/")}).Error()
	got := trace.RedactText(text, secrets...)
	for _, secret := range []string{"hunter2", "to/ken1", "to%2Fken1", "k ey1", "k%20ey1", "bearer-token", "cookie1", "header-key", "proxypass", "code=abc", "pw99"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is left in %q", secret, got)
		}
	}
	for _, kept := range []string{"Get ", "http://user:", "@h/p?", "server said", "text/plain", "idem-1", "/login?code="} {
		if !strings.Contains(got, kept) {
			t.Errorf("%q is gone from %q", kept, got)
		}
	}
}

func TestRedactTextLeavesPlainWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"503 Service Unavailable (attempts-exhausted after 4 attempts)", "why? nobody knows", "a // b", "write to me@h.test", "dial tcp [::1]:80: connect: connection refused", ""} {
		if got := trace.RedactText(text, "", "x", "no"); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestAllowedHeader(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Retry-After", "date", "X-Request-Id", "X-Amzn-RequestId", "X-Amz-Request-Id", "CF-Ray", "Cf-Ray", "X-GitHub-Request-Id", "X-Ms-Request-Id", "Request-Id", "X-Correlation-Id", "Traceparent"} {
		if !trace.AllowedHeader(name) {
			t.Errorf("%s is not allowed", name)
		}
	}
	for _, name := range []string{"Set-Cookie", "Authorization", "Location", "X-Api-Key", "Www-Authenticate", ""} {
		if trace.AllowedHeader(name) {
			t.Errorf("%s is allowed", name)
		}
	}
}

func TestSecretHeader(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Goog-Api-Key", "Private-Token", "X-Vault-Token", "PRIVATE-KEY", "X-Session-Id"} {
		if !trace.SecretHeader(name) {
			t.Errorf("%s is none", name)
		}
	}
	for _, name := range []string{"Accept", "User-Agent", "Idempotency-Key", "Content-Type", "X-Request-Id", "If-Match", "Referer"} {
		if trace.SecretHeader(name) {
			t.Errorf("%s is one", name)
		}
	}
}

func FuzzRedactURL(f *testing.F) {
	for _, s := range []string{"http://user:s3cretpass@h/?token=s3cretpass", "//:s3cretpass@", "?key=s3cretpass", "http://h/#token=s3cretpass", "http:/u:s3cretpass@h", "?x=?x=?x=%253Ftoken%253Ds3cretpass"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := trace.RedactURL(in)
		if again := trace.Clean(out); again != out {
			t.Fatalf("%q is not clean", out)
		}
		u, err := url.Parse(in)
		if err != nil || u.Opaque != "" || u.Host == "" {
			return
		}
		password, ok := u.User.Password()
		if ok && len(password) > 12 && !strings.Contains(strings.Replace(in, password, "", 1), password[:12]) && strings.Contains(out, password) {
			t.Fatalf("%q shows the password of %q", out, in)
		}
	})
}

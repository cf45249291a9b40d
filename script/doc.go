// Package script is a scripted server: a short text says what each request is
// answered with, and the same text is played as an [http.RoundTripper] on a
// clock (virtual or real) or as an [http.Handler] for any client.
//
// # The text
//
// Steps are separated by commas or new lines; # where a word may begin starts
// a comment that runs to the end of the line. A comma at the end of a line and
// blank lines mean nothing; nothing between two commas is an error.
//
//	503 x2, 429 after=2 latency=80ms, reset, 200
//
// A step is an outcome and its options. Outcomes are a status (200–599) or
//
//	refused  no connection               reset    the connection is reset
//	dns      no such host                eof      closed before any answer
//	tls      certificate not verified    cut      a 200 whose body ends early
//	garbage  an answer that is no HTTP   badjson  a 200 that says JSON and is not
//	hang     never answers
//
// Options:
//
//	latency=D   time before the answer, a Go duration (hang takes none)
//	xN          the step answers N requests, 1 to [MaxCount] (by count only)
//
// and, where there is an answer to carry them (a status, cut, badjson):
//
//	after=V     the Retry-After header, raw; empty is a blank header
//	date=V      the Date header, raw
//	reason=V    the reason phrase
//	header=V    a "Name: value" line; the one option that may be repeated
//	body=V      the body: empty if absent, text/plain; of cut the part that comes
//
// A value may hold any characters. It needs quotes only for blanks and commas,
// or when it begins with a quote. Inside quotes a backslash escapes as in a Go
// string: \" \\ \n \r \t \xHH \uHHHH; a new line is written \n. Outside them a
// quote, a backslash and # are plain characters.
//
// # Which step answers
//
// By count, as above: the last step repeats for ever. By time, counted from
// the start of the run to when the request arrives; the first step is at 0 and
// the times rise:
//
//	@0s 503, @3s 200
//
// By chance; the shares make 100 and have at most six decimals:
//
//	70% 200, 20% 503, 10% hang
//
// The three do not mix.
package script

// Package engine decides whether to try again and when, and does it.
//
// A Policy is data. Policy.Next is the one pure step: it turns the outcome of an attempt into a Decision, with the
// reason and every gate that was asked. Do is the one loop: it runs an operation under a Retrier, on the real clock or
// on a virtual one. The same two serve a program, an HTTP transport, a simulator and a picture.
//
// # A plain error is sent once
//
// The engine retries what may heal, and it cannot know that of an error it has never seen. Under the default policy an
// operation that returns a plain error is called ONCE. Say more with Transient, Permanent or RetryAfter, return a
// StatusError, give the Retrier a predicate with WithWhen, or name "unknown" in the policy's retry-on.
package engine

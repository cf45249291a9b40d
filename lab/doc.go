// Package lab runs one operation under a policy and records it: against a script on the virtual clock, against the same
// script in real time, or against a live server. It is always the engine's own loop and httpretry's own transport.
package lab

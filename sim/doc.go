// Package sim runs many operations in virtual time. Every decision and every wait is engine.Policy.Next's: there is no
// second loop of rules here, only other ways to ask it.
//
// A distribution ([Dist], [NewDist]) takes one policy through many independent operations: how long it waits, how often it
// sends, how often it succeeds. Where there is a closed form the figures are exact, else they are sampled, and each says
// which. A fleet ([Config]) lets many clients meet at one server.
//
// Chance is counter-based: each draw belongs to a seed, a purpose, an operation and a number, so that results depend neither
// on the number of processors nor on how often somebody looks, and turning one knob shifts no other draw.
package sim

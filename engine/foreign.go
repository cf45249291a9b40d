package engine

import "strings"

// foreign are names other clients give a knob, in lower case without - and _, and ours.
var foreign = map[string]string{
	"maxretries": "attempts, which counts the first send too", "retrymax": "attempts, which counts the first send too",
	"maxattempts": "attempts", "maxtries": "attempts", "tries": "attempts", "attempt": "attempts", "retry": "attempts, or retries for those after the first",
	"limit": "attempts, which counts the first send too", "retrycount": "attempts, which counts the first send too",
	"maxbackoff": "cap", "maxdelay": "cap", "maxinterval": "cap", "max": "cap", "maxwait": "cap", "retrywaitmax": "cap", "maxtimeout": "cap",
	"initialbackoff": "base", "initialinterval": "base", "mindelay": "base", "basedelay": "base", "delay": "base", "wait": "base",
	"retrywaitmin": "base", "mintimeout": "base", "backofffactor": "base and factor", "initialdelay": "base", "interval": "base", "min": "base or least",
	"multiplier": "factor", "backoffmultiplier": "factor", "exponent": "factor", "backoffrate": "factor",
	"randomizationfactor": "jitter, as scale:LOW..HIGH", "jitterfactor": "jitter, as scale:LOW..HIGH", "randomize": "jitter",
	"maxelapsedtime": "timeout", "totaltimeout": "timeout", "deadline": "timeout", "overalltimeout": "timeout", "maxtime": "timeout", "retrymaxtime": "timeout",
	"pertrytimeout": "attempt-timeout", "attempttimeouts": "attempt-timeout", "requesttimeout": "attempt-timeout", "trytimeout": "attempt-timeout", "attempttimeout": "attempt-timeout",
	"statuscodes": "retry-on", "statusforcelist": "retry-on", "retryableerrors": "retry-on", "retryablestatuscodes": "retry-on", "retryon": "retry-on",
	"throttlebasedelay": "throttle-base", "throttledelay": "throttle-base", "throttlingbase": "throttle-base", "throttlingretrydelaybase": "throttle-base",
	"usejitter": "jitter", "retryafterheaders": "hints", "ratelimitheaders": "hints", "ratelimitreset": "hints", "retryafterms": "hints",
	"afterstatuscodes": "retry-after-on", "retryafterstatuscodes": "retry-after-on", "retryaftermax": "ceiling, with over-ceiling=cut",
	"retrycost": "budget", "retrytimeoutcost": "timeout-cost", "timeoutretrycost": "timeout-cost", "throttlingretrycost": "throttle-cost", "throttleretrycost": "throttle-cost",
	"allowedmethods": "methods", "methodwhitelist": "methods",
	"respectretryafterheader": "retry-after", "respectretryafter": "retry-after", "retryafter": "retry-after", "maxretryafter": "ceiling",
	"backoff": "curve, base, factor and cap", "strategy": "curve",
}

// unknownField answers a name that is no knob: with ours where it is a well-known foreign one.
func unknownField(name string) string {
	key := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	if ours, ok := foreign[key]; ok {
		return "here " + ours
	}
	return "no such knob; there are " + strings.Join(Fields(), ", ") + " and retries"
}

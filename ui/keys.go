package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// command is one thing a key does, everywhere on the screen the same. The table of commands drives the keys, the hints
// at the foot of the screen and the list of everything.
type command struct {
	id    string
	keys  []string
	title string // what it is called in the list
	about string // a sentence
	do    func(*Model) tea.Cmd
	// can says why it is of no use now; nil where it always is.
	can func(*Model) string
}

// commandTable is in the order of the list: what one does first, and how one gets about last.
var commandTable = [...]command{
	{id: "send", keys: []string{"S"}, title: "send", about: "Sends the request for real. Nothing else ever does.", do: (*Model).send, can: liveOnly},
	{id: "presets", keys: []string{"p"}, title: "presets", about: "The policies of known clients, shown on the timeline while you move.", do: (*Model).pickPreset},
	{id: "script", keys: []string{"e"}, title: "edit the script", about: "Edits what the scripted server answers; from a live URL it goes to the script.", do: (*Model).editScript, can: atRest},
	{id: "request", keys: []string{"i"}, title: "request", about: "Method, URL, idempotency key and body: whether it may be tried again. A URL makes the source a live one.", do: (*Model).editRequest},
	{id: "live", title: "live source", about: "Goes from the script to the request's URL. Nothing is sent before S.", do: (*Model).goLive, can: canGoLive},
	{id: "classifier", keys: []string{"c"}, title: "what is retried", about: "Kinds, causes, statuses and methods that may be tried again.", do: (*Model).editClassifier},
	{id: "replay", keys: []string{"f"}, title: "recorded answers as a script", about: "Makes a script of what the live server answered, to try other policies on it.", do: (*Model).replay, can: (*Model).canReplay},
	{id: "play", keys: []string{"space"}, title: "play, pause", about: "Plays the run, from the start where the cursor is at the end.", do: (*Model).togglePlay, can: canPlay},
	{id: "again", keys: []string{"r"}, title: "run again", about: "Plays the same run from the start.", do: (*Model).again, can: canPlay},
	{id: "seed", keys: []string{"n"}, title: "new seed", about: "Draws all chance of the run anew.", do: (*Model).newSeed, can: scriptedOnly},
	{id: "findings", keys: []string{"!"}, title: "findings", about: "What is wrong with the policy, the gravest first; enter changes what mends it.", do: (*Model).showFindings},
	{id: "cancel", keys: []string{"x"}, title: "cancel", about: "Cancels at the cursor, as a caller would; stops a live run at once.", do: (*Model).cancel},
	{id: "sign-out", title: "sign out", about: "Signs the session out at the cursor (live: now): its operations may not go on, nor hand over a success.", do: (*Model).signOut},
	{id: "put-back", title: "neither cancel nor sign out", about: "Takes a cancel and a sign-out off the run again.", do: (*Model).putBack, can: scriptedOnly},

	{id: "undo", keys: []string{"u"}, title: "undo", about: "Takes back the latest change of policy, request, script, seed or cancel.", do: (*Model).undo},
	{id: "redo", keys: []string{"ctrl+r"}, title: "redo", about: "Does again what was taken back.", do: (*Model).redo},
	{id: "copy", keys: []string{"y"}, title: "copy the policy", about: "Copies the policy, quoted for a shell, to the clipboard and to a file.", do: (*Model).copyPolicy},
	{id: "save", keys: []string{"w"}, title: "save", about: "Saves the policy under a name, or writes the run to a file.", do: (*Model).save},
	{id: "open", keys: []string{"o"}, title: "open a policy", about: "Opens a saved policy.", do: (*Model).open},
	{id: "export", keys: []string{"E"}, title: "export", about: "The policy as code or configuration of another client: look at it, copy it (y), save it (w).", do: (*Model).openExport},
	{id: "page", keys: []string{"P"}, title: "page for a review", about: "The policy explained on a page of Markdown, what was changed included: look at it, copy it (y), save it (w).", do: (*Model).openPage},
	{id: "import", keys: []string{"I"}, title: "import", about: "Reads a policy from a text or a file of another client: curl, gRPC, Envoy, Istio, Resilience4j, TOML, one line.", do: (*Model).openImport},

	{id: "scenario", keys: []string{"s"}, title: "scenario", about: "Takes one of six fleets, from a herd to nested layers, with the policies worth comparing in it.", do: (*Model).pickScenario},
	{id: "add-lane", keys: []string{"a"}, title: "add a policy", about: "Adds a copy of the chosen policy to the fleet or the distribution, to be tuned beside it.", do: (*Model).addLane, can: inFleetOnly},
	{id: "drop-lane", keys: []string{"d"}, title: "drop a policy", about: "Takes the chosen policy out of the fleet or the distribution.", do: (*Model).dropLane, can: inFleetOnly},

	{id: "next-event", keys: []string{"."}, title: "next event", about: "Moves the cursor to the next event.", do: func(m *Model) tea.Cmd { return m.stepEvent(1) }, can: canPlay},
	{id: "prev-event", keys: []string{","}, title: "previous event", about: "Moves the cursor to the event before.", do: func(m *Model) tea.Cmd { return m.stepEvent(-1) }, can: canPlay},
	{id: "slower", keys: []string{"<"}, title: "slower", about: "Plays more slowly, down to a hundredth of real time.", do: func(m *Model) tea.Cmd { return m.changeSpeed(-1) }},
	{id: "faster", keys: []string{">"}, title: "faster", about: "Plays faster, up to a thousand times real time.", do: func(m *Model) tea.Cmd { return m.changeSpeed(1) }},

	{id: "axis", keys: []string{"A"}, title: "axis", about: "Linear, logarithmic, or with long waits broken.", do: (*Model).nextAxis},
	{id: "zoom-in", keys: []string{"+"}, title: "zoom in", about: "Shows less of the time, around the cursor.", do: func(m *Model) tea.Cmd { return m.zoomBy(1) }},
	{id: "zoom-out", keys: []string{"-"}, title: "zoom out", about: "Shows more of the time.", do: func(m *Model) tea.Cmd { return m.zoomBy(-1) }},
	{id: "fit", keys: []string{"0"}, title: "fit", about: "Shows the whole run again.", do: (*Model).fit},
	{id: "full", keys: []string{"z"}, title: "full screen", about: "Fills the screen with the pane in focus, and back.", do: (*Model).toggleFull},
	{id: "theme", title: "theme", about: "Steps through the themes: auto, dark, light, and mono without any color.", do: (*Model).nextTheme},
	{id: "ascii", title: "ASCII", about: "Draws with ASCII alone, and back.", do: (*Model).toggleASCII},
	{id: "mouse", title: "mouse", about: "Lets a click choose a pane, an attempt or a moment; the terminal's own selection is off meanwhile.", do: (*Model).toggleMouse},
	{id: "list", keys: []string{"?", ":", "/"}, title: "list of everything", about: "This list: type to search, enter runs.", do: (*Model).openList},
	{id: "stop", keys: []string{"ctrl+c"}, title: "stop, else quit", about: "Stops a send that is under way; quits where there is none.", do: (*Model).stop},
	{id: "suspend", keys: []string{"ctrl+z"}, title: "suspend", about: "Back to the shell for a while; fg returns.", do: (*Model).suspend},
	{id: "quit", keys: []string{"q"}, title: "quit", about: "Leaves the program; a send under way is stopped.", do: (*Model).quit},

	{id: "up", keys: []string{"up", "k"}, title: "up", about: "The knob or the attempt above.", do: moving(moveUp)},
	{id: "down", keys: []string{"down", "j"}, title: "down", about: "The knob or the attempt below.", do: moving(moveDown)},
	{id: "left", keys: []string{"left", "h"}, title: "less, back", about: "Turns the knob down; in the timeline moves the cursor back.", do: moving(moveLeft)},
	{id: "right", keys: []string{"right", "l"}, title: "more, on", about: "Turns the knob up; in the timeline moves the cursor on.", do: moving(moveRight)},
	{id: "far-left", keys: []string{"H", "shift+left"}, title: "much less", about: "A coarse step: a tenth of a duration, ten attempts, a whole factor.", do: moving(moveFarLeft)},
	{id: "far-right", keys: []string{"L", "shift+right"}, title: "much more", about: "A coarse step: ten times a duration, ten attempts, a whole factor.", do: moving(moveFarRight)},
	{id: "page-up", keys: []string{"pgup"}, title: "page up", about: "A page up in the pane in focus.", do: moving(movePageUp)},
	{id: "page-down", keys: []string{"pgdown"}, title: "page down", about: "A page down in the pane in focus.", do: moving(movePageDown)},
	{id: "first", keys: []string{"g", "home"}, title: "first", about: "The first knob; in the timeline the start of the run.", do: moving(moveFirst)},
	{id: "last", keys: []string{"G", "end"}, title: "last", about: "The last knob; in the timeline the end of the run.", do: moving(moveLast)},
	{id: "enter", keys: []string{"enter"}, title: "set the knob", about: "Types an exact value, or opens what the knob is set with.", do: (*Model).enter},
	{id: "type", keys: []string{"="}, title: "type an exact value", about: "Types the exact value of the knob in focus; a wrong one says why and keeps the old.", do: (*Model).typeValue},
	{id: "esc", keys: []string{"esc"}, title: "leave", about: "Leaves the full screen, the chosen attempt, a message.", do: (*Model).escape},
	{id: "next-pane", keys: []string{"tab"}, title: "next pane", about: "The pane after the one in focus.", do: func(m *Model) tea.Cmd { return m.cyclePane(1) }},
	{id: "prev-pane", keys: []string{"shift+tab"}, title: "previous pane", about: "The pane before the one in focus.", do: func(m *Model) tea.Cmd { return m.cyclePane(-1) }},
	{id: "view-timeline", keys: []string{"1"}, title: "timeline", about: "Goes to the timeline.", do: viewing(paneTimeline)},
	{id: "view-policy", keys: []string{"2"}, title: "policy", about: "Goes to the knobs of the policy and the lines of the request.", do: viewing(panePolicy)},
	{id: "view-why", keys: []string{"3"}, title: "why", about: "Goes to the ten gates of the chosen attempt.", do: viewing(paneWhy)},
	{id: "view-answer", keys: []string{"4"}, title: "answer", about: "Goes to what came back for the chosen attempt.", do: viewing(paneAnswer)},
	{id: "view-events", keys: []string{"5"}, title: "events", about: "Goes to the list of events.", do: viewing(paneEvents)},
	{id: "view-dist", keys: []string{"6"}, title: "distribution", about: "What the policy comes to over many calls: success, when each retry is sent, the waits; against a second policy (a).", do: showing(stageDist)},
	{id: "view-fleet", keys: []string{"7"}, title: "fleet", about: "What the policy, and others beside it, do to a server: many clients, one outage.", do: showing(stageFleet)},
	{id: "view-heat", keys: []string{"8"}, title: "heat map", about: "When the calls of a fleet succeed and how long that takes them, with the work for nobody.", do: showing(stageHeat)},
}

func moving(m motion) func(*Model) tea.Cmd { return func(r *Model) tea.Cmd { return r.move(m) } }

func viewing(p pane) func(*Model) tea.Cmd { return func(m *Model) tea.Cmd { return m.view(p) } }

// scriptedOnly and liveOnly say why a command is of no use with the other source.
func scriptedOnly(m *Model) string {
	if m.doc.live {
		return "a live server answers itself: f makes a script of that"
	}
	return ""
}

// canPlay says why there is nothing to play.
func canPlay(m *Model) string {
	switch {
	case !m.doc.live:
		return ""
	case m.live.running:
		return "a live run goes on by itself: x stops it"
	case m.live.trace == nil:
		return "nothing was sent yet: S sends"
	}
	return ""
}

// atRest says why nothing may be put in the place of a live source.
func atRest(m *Model) string {
	if m.live.running {
		return "a live run is under way: x stops it"
	}
	return ""
}

func canGoLive(m *Model) string {
	switch {
	case m.opts.Live == nil:
		return errNotHere.Error()
	case m.doc.live:
		return "the source is live already"
	case m.doc.request.URL == "":
		return "there is no URL: i gives the request one"
	}
	return ""
}

func liveOnly(m *Model) string {
	switch {
	case m.opts.Live == nil:
		return errNotHere.Error()
	case !m.doc.live && m.doc.request.URL == "":
		return "there is no URL to send to: i gives the request one"
	case !m.doc.live:
		return "the answers come from a script: 'live source' in ? goes to the URL"
	}
	return ""
}

// keyMap finds the command of a key.
func keyMap(table []command) map[string]int {
	out := map[string]int{}
	for i := range table {
		for _, k := range table[i].keys {
			out[k] = i
		}
	}
	return out
}

// hint is one piece of the foot line: some commands and a word for them.
type hint struct {
	ids  string // between blanks
	word string
}

// hints are what the foot line offers in a pane, the most important first; the list and quit stand at its end.
func hints(p pane, k *footKey) []hint {
	var out []hint
	switch p {
	case paneTimeline:
		out = []hint{{"up down", "attempt"}, {"left right", "scrub"}, {"prev-event next-event", "event"}, {"axis", "axis"}, {"zoom-in zoom-out", "zoom"}}
	case panePolicy:
		out = []hint{{"up down", "knob"}, {"left right", "change"}, {"enter", "type"}}
	case paneWhy, paneAnswer:
		out = []hint{{"up down", "scroll"}, {"left right", "attempt"}}
	case paneEvents:
		out = []hint{{"up down", "scroll"}}
	case numPanes:
	}
	out = append(out, hint{"next-pane", "pane"})
	switch {
	case k.running:
		return append(out, hint{"cancel", "stop"}, hint{"presets", "presets"}, hint{"undo", "undo"})
	case k.live && k.sent:
		return append(out, hint{"send", "send"}, hint{"replay", "replay as script"}, hint{"save", "write run"}, hint{"request", "request"}, hint{"script", "script"})
	case k.live:
		return append(out, hint{"send", "send"}, hint{"request", "request"}, hint{"presets", "presets"}, hint{"script", "script"}, hint{"copy", "copy"}, hint{"save", "save"})
	}
	return append(out, hint{"play", "play"}, hint{"cancel", "cancel"}, hint{"script", "script"}, hint{"request", "request"}, hint{"presets", "presets"}, hint{"undo", "undo"},
		hint{"export", "export"}, hint{"seed", "new seed"}, hint{"copy", "copy"}, hint{"save", "save"}, hint{"classifier", "what is retried"}, hint{"full", "full screen"})
}

// keyName is a key as the foot line and the list show it.
func keyName(key string, g *Glyphs) string {
	if !g.ASCII {
		switch key {
		case "up":
			return "↑"
		case "down":
			return "↓"
		case "left":
			return "←"
		case "right":
			return "→"
		}
	}
	return key
}

// hintKeys joins the first keys of the commands of a hint: "↑↓", "←→", ", .".
func (m *Model) hintKeys(h hint, g *Glyphs) string {
	var names []string
	for id := range strings.FieldsSeq(h.ids) {
		if i, ok := m.byID[id]; ok && len(m.cmds[i].keys) > 0 {
			names = append(names, keyName(m.cmds[i].keys[0], g))
		}
	}
	sep := ""
	for _, n := range names {
		if len([]rune(n)) > 1 {
			sep = "/"
		}
	}
	return strings.Join(names, sep)
}

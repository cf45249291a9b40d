package importer

import (
	"errors"
	"strings"
)

// shellWord is a word of a command, its quotes taken away.
type shellWord struct {
	text string
	// quoted tells whether a part of it was quoted: no keyword of the shell is.
	quoted bool
	// spread tells whether the shell may make several words of it: it has a variable or a command's output in it, not quoted.
	spread bool
}

// shellCommand is a simple command as it is written.
type shellCommand struct {
	words []shellWord
	// cut tells whether an unquoted & ended it in the middle of a text without blanks, as the & of a URL does.
	cut bool
	// stdin is the here-document that it reads.
	stdin string
}

// shell splits a text into commands and words as a shell does, as far as one needs it: quotes, backslashes, lines that go
// on, comments, here-documents, what is piped or redirected, and the commands whose output is put into others.
type shell struct {
	text  string
	i     int
	depth int
	until byte // ends the text: ) of a $(, 0 for none
	out   *[]*shellCommand

	at   *shellCommand // the command that is being read
	word strings.Builder
	now  shellWord // of the word that is being read, but for its text
	in   bool      // a word has begun
	// within tells that double quotes stand around a $, in which a single one is a character.
	within bool
	// target tells that the next word is a file's name behind < or >, and doc that it ends a here-document.
	target, doc, tabs bool
	docs              []hereDocument
}

// hereDocument is one whose lines are still to come.
type hereDocument struct {
	end  string
	tabs bool // before its end as well
	of   *shellCommand
}

// mostNested is how deep commands stand in others before it is no script any more.
const mostNested = 15

var (
	errOpenQuote  = errors.New("a quote is not closed")
	errOpenOutput = errors.New("a $( or a backquote is not closed")
	errNested     = errors.New("commands stand too deep in others")
)

// shellCommands are the commands of a text in the order in which they begin.
func shellCommands(text string, depth int) ([]*shellCommand, error) {
	var all []*shellCommand
	s := &shell{text: text, depth: depth, out: &all}
	if err := s.run(); err != nil {
		return nil, err
	}
	return all, nil
}

// run reads to the end, which for a command in another is its closing bracket.
func (s *shell) run() error {
	if s.depth > mostNested {
		return errNested
	}
	for ; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		if c == s.until && s.until != 0 {
			s.endCommand()
			return nil
		}
		if err := s.step(c); err != nil {
			return err
		}
	}
	s.endCommand()
	if s.until != 0 {
		return errOpenOutput
	}
	return nil
}

func (s *shell) step(c byte) error {
	switch c {
	case '\\':
		s.escaped()
	case '\'', '"':
		return s.quote(c)
	case '$', '`':
		s.now.spread = true
		return s.dollar()
	case '#':
		if s.in {
			s.put(c)
			return nil
		}
		for s.i+1 < len(s.text) && s.text[s.i+1] != '\n' {
			s.i++
		}
	case ' ', '\t', '\r':
		s.endWord()
	case '\n':
		s.endCommand()
		s.hereDocuments()
	case ';', '|', '(', ')':
		s.endCommand()
	case '&':
		s.ampersand()
	case '<', '>':
		return s.redirect(c)
	default:
		s.put(c)
	}
	return nil
}

// escaped is a character behind a backslash; a newline there goes on with the line.
func (s *shell) escaped() {
	if s.i++; strings.HasPrefix(s.text[min(s.i, len(s.text)):], "\r\n") {
		s.i++
	}
	if s.i < len(s.text) && s.text[s.i] != '\n' {
		s.now.quoted = true
		s.put(s.text[s.i])
	}
}

// ampersand ends a command, unless it belongs to < or >.
func (s *shell) ampersand() {
	next := byte('\n')
	if s.i+1 < len(s.text) {
		next = s.text[s.i+1]
	}
	switch {
	case s.i > 0 && (s.text[s.i-1] == '>' || s.text[s.i-1] == '<'), next == '>': // 2>&1, &>
		return
	case next == '&':
		s.i++
	case s.in && !strings.ContainsRune(" \t\r\n;|)", rune(next)):
		s.at.cut = true
	}
	s.endCommand()
}

// redirect is < or >, the number of what is redirected before it.
func (s *shell) redirect(c byte) error {
	if w := s.word.String(); strings.Trim(w, "0123456789") == "" {
		s.in = false
		s.word.Reset()
	}
	s.endWord()
	rest := s.text[s.i+1:]
	switch {
	case strings.HasPrefix(rest, "("): // a command that stands for a file
		s.i++
		s.now.spread = true
		return s.output("", 1)
	case c == '<' && strings.HasPrefix(rest, "<<"):
		s.i += 2
	case strings.HasPrefix(rest, "|"):
		s.i++
	case c == '<' && strings.HasPrefix(rest, "<"):
		s.i++
		s.doc = true
		if s.tabs = strings.HasPrefix(s.text[s.i+1:], "-"); s.tabs {
			s.i++
		}
	}
	s.target = true
	return nil
}

// hereDocuments passes over those that begin behind a line.
func (s *shell) hereDocuments() {
	for _, d := range s.docs {
		var body strings.Builder
		for s.i+1 < len(s.text) {
			line, _, _ := strings.Cut(s.text[s.i+1:], "\n")
			s.i = min(s.i+1+len(line), len(s.text)-1)
			line = strings.TrimSuffix(line, "\r")
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == d.end {
				break
			}
			body.WriteString(line + "\n")
		}
		d.of.stdin = body.String()
	}
	s.docs = nil
}

func (s *shell) begin() {
	s.in = true
	if s.at == nil {
		s.at = &shellCommand{}
		*s.out = append(*s.out, s.at)
	}
}

func (s *shell) put(c byte) {
	s.begin()
	s.word.WriteByte(c)
}

func (s *shell) endWord() {
	switch {
	case !s.in:
		return
	case s.doc:
		s.docs = append(s.docs, hereDocument{end: s.word.String(), tabs: s.tabs, of: s.at})
	case !s.target:
		s.now.text = s.word.String()
		s.at.words = append(s.at.words, s.now)
	}
	s.in, s.target, s.doc, s.now = false, false, false, shellWord{}
	s.word.Reset()
}

func (s *shell) endCommand() {
	s.endWord()
	s.target, s.doc, s.now, s.at = false, false, shellWord{}, nil
}

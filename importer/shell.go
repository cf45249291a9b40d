package importer

import (
	"errors"
	"strings"
)

// curlCommand is what stands behind "curl" in the first command of a text that has it, and how many commands there are
// beside. Where none has, the first command is taken for its arguments alone.
func curlCommand(text string) (args []string, more int, err error) {
	commands, err := shellCommands(text)
	if err != nil || len(commands) == 0 {
		return nil, 0, err
	}
	for _, words := range commands {
		for i, w := range words {
			name := w[strings.LastIndexAny(w, `/\`)+1:]
			if name == "curl" || name == "curl.exe" {
				return words[i+1:], len(commands) - 1, nil
			}
		}
	}
	if !strings.HasPrefix(commands[0][0], "-") {
		return nil, 0, errNoCurl
	}
	return commands[0], len(commands) - 1, nil
}

// shell splits a text into commands and words as a shell does, as far as one needs it: quotes, backslashes, lines that go
// on, comments, what is piped or redirected.
type shell struct {
	text     string
	i        int
	commands [][]string
	words    []string
	word     strings.Builder
	in       bool // a word has begun
	target   bool // the next word is a file's name behind < or >
}

var (
	errOpenQuote = errors.New("a quote is not closed")
	errNoCurl    = errors.New("no curl command stands there")
)

func shellCommands(text string) ([][]string, error) {
	s := &shell{text: text}
	for ; s.i < len(text); s.i++ {
		if err := s.step(text[s.i]); err != nil {
			return nil, err
		}
	}
	s.endCommand()
	return s.commands, nil
}

func (s *shell) step(c byte) error {
	switch c {
	case '\\':
		if s.i++; s.i < len(s.text) && s.text[s.i] == '\r' && strings.HasPrefix(s.text[s.i:], "\r\n") {
			s.i++
		}
		if s.i < len(s.text) && s.text[s.i] != '\n' {
			s.put(s.text[s.i])
		}
	case '\'', '"':
		return s.quoted(c, c == '"')
	case '$':
		if s.i+1 < len(s.text) && s.text[s.i+1] == '\'' { // as browsers write a command
			s.i++
			return s.quoted('\'', true)
		}
		s.put(c)
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
	case '\n', ';', '|':
		s.endCommand()
	case '&':
		if s.i > 0 && s.text[s.i-1] == '>' { // 2>&1
			return nil
		}
		s.endCommand()
	case '<', '>':
		if w := s.word.String(); strings.Trim(w, "0123456789") == "" { // the number of what is redirected
			s.in = false
			s.word.Reset()
		}
		s.endWord()
		s.target = true
	default:
		s.put(c)
	}
	return nil
}

// quoted reads to the closing quote; escapes tells whether a backslash can stand before it.
func (s *shell) quoted(quote byte, escapes bool) error {
	s.in = true
	for s.i++; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		if c == quote {
			return nil
		}
		if c == '\\' && escapes && s.i+1 < len(s.text) {
			if s.i++; s.text[s.i] == '\n' {
				continue
			}
			c = s.text[s.i]
		}
		s.word.WriteByte(c)
	}
	return errOpenQuote
}

func (s *shell) put(c byte) {
	s.word.WriteByte(c)
	s.in = true
}

func (s *shell) endWord() {
	if s.in && !s.target {
		s.words = append(s.words, s.word.String())
	}
	if s.in {
		s.target = false
	}
	s.in = false
	s.word.Reset()
}

func (s *shell) endCommand() {
	s.endWord()
	s.target = false
	if len(s.words) > 0 {
		s.commands = append(s.commands, s.words)
	}
	s.words = nil
}

package importer

import "strings"

// quote reads a part in quotes to where they close.
func (s *shell) quote(c byte) error {
	s.begin()
	s.now.quoted = true
	if c == '"' {
		return s.double()
	}
	end := strings.IndexByte(s.text[s.i+1:], c)
	if end < 0 {
		return errOpenQuote
	}
	s.word.WriteString(s.text[s.i+1 : s.i+1+end])
	s.i += end + 1
	return nil
}

// double reads to a closing double quote. A backslash is one of the text, but before what it can keep from being read.
func (s *shell) double() error {
	for s.i++; s.i < len(s.text); s.i++ {
		switch c := s.text[s.i]; {
		case c == '"':
			return nil
		case c == '\\' && s.i+1 < len(s.text) && strings.IndexByte("$`\"\\\n", s.text[s.i+1]) >= 0:
			if s.i++; s.text[s.i] != '\n' {
				s.word.WriteByte(s.text[s.i])
			}
		case c == '`', c == '$' && s.i+1 < len(s.text) && s.text[s.i+1] != '\'' && s.text[s.i+1] != '"':
			s.within = true
			err := s.dollar()
			s.within = false
			if err != nil {
				return err
			}
		default:
			s.word.WriteByte(c)
		}
	}
	return errOpenQuote
}

// ansi reads to the closing quote of a $', as browsers write a command: a backslash can stand before the quote.
func (s *shell) ansi() error {
	s.begin()
	s.now.quoted = true
	for s.i += 2; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		if c == '\'' {
			return nil
		}
		if c == '\\' && s.i+1 < len(s.text) {
			s.i++
			c = s.text[s.i]
		}
		s.word.WriteByte(c)
	}
	return errOpenQuote
}

// dollar reads what begins with a $ or a backquote: a variable, or the output of a command.
func (s *shell) dollar() error {
	rest := s.text[s.i:]
	switch {
	case rest[0] == '`':
		return s.backquoted()
	case strings.HasPrefix(rest, "$'"):
		s.now.spread = false
		return s.ansi()
	case strings.HasPrefix(rest, `$"`): // as without the $
		s.now.spread = false
		return nil
	case strings.HasPrefix(rest, "$(("):
		return s.bracketed("((", "))")
	case strings.HasPrefix(rest, "$("):
		return s.output("$", 2)
	case strings.HasPrefix(rest, "${"):
		return s.bracketed("{", "}")
	case strings.HasPrefix(rest, "$@"):
		s.now.spread = true // in quotes too
	}
	s.put('$')
	return nil
}

// output reads a command in brackets; before is what stands before them, skip where the command begins.
func (s *shell) output(before string, skip int) error {
	s.begin()
	in := &shell{text: s.text, i: s.i + skip, depth: s.depth + 1, until: ')', out: s.out}
	err := in.run()
	s.i = in.i
	s.word.WriteString(before + "(…)")
	return err
}

// bracketed takes in a variable or a sum as it is written.
func (s *shell) bracketed(open, end string) error {
	s.begin()
	depth := 0
	for at := s.i + 1; at < len(s.text); at++ {
		switch rest := s.text[at:]; {
		case strings.HasPrefix(rest, end) && depth == 1:
			raw := s.text[s.i : at+len(end)]
			s.word.WriteString(raw)
			s.now.spread = s.now.spread || strings.Contains(raw, "[@]") // in quotes too
			s.i += len(raw) - 1
			return nil
		case depth == 0:
			depth, at = 1, at+len(open)-1
		case rest[0] == open[0]:
			depth++
		case rest[0] == end[0]:
			depth--
		case rest[0] == '\\':
			at++
		case open == "{" && (rest[0] == '"' || rest[0] == '\'' && !s.within):
			at += max(strings.IndexByte(rest[1:], rest[0]), -1) + 1
		}
	}
	return errOpenOutput
}

// backquoted reads a command in backquotes, in which a backslash stands before what belongs to it alone.
func (s *shell) backquoted() error {
	s.begin()
	var inside strings.Builder
	for at := s.i + 1; at < len(s.text); at++ {
		c := s.text[at]
		if c == '`' {
			s.i = at
			s.word.WriteString("$(…)")
			in := &shell{text: inside.String(), depth: s.depth + 1, out: s.out}
			return in.run()
		}
		if c == '\\' && at+1 < len(s.text) && strings.IndexByte("`$\\", s.text[at+1]) >= 0 {
			at++
			c = s.text[at]
		}
		inside.WriteByte(c)
	}
	return errOpenOutput
}

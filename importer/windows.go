package importer

import "strings"

// windowsLines tells whether a text is written for cmd, whose lines go on behind a ^ and which browsers quote with it.
func windowsLines(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasSuffix(line, " ^") || strings.HasPrefix(strings.TrimSpace(line), `curl ^"`) || strings.HasPrefix(strings.TrimSpace(line), `curl.exe ^"`) {
			return true
		}
	}
	return false
}

// commandLines are the programs of a text as cmd, and then each program itself, take it apart.
func commandLines(text string) []program {
	var all []program
	end := func(line string) {
		if name, args := started(windowsWords(line)); name != "" {
			all = append(all, program{name: name, args: args})
		}
	}
	var line strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '^' && !quoted && i+1 < len(text):
			if i++; text[i] == '\r' && strings.HasPrefix(text[i:], "\r\n") {
				i++
			}
			if text[i] != '\n' {
				line.WriteByte(text[i])
			}
		case c == '\n' || !quoted && (c == '&' || c == '|'):
			end(line.String())
			line.Reset()
			quoted = false
		default:
			quoted = quoted != (c == '"')
			line.WriteByte(c)
		}
	}
	end(line.String())
	return all
}

// windowsWords are those of a command line as C programs on Windows split it.
func windowsWords(line string) []shellWord {
	var out []shellWord
	var word strings.Builder
	in, quoted := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line) && line[i+1] == '"':
			i++
			word.WriteByte('"')
			in = true
		case c == '"':
			quoted, in = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if in {
				out = append(out, shellWord{text: word.String()})
			}
			in = false
			word.Reset()
		default:
			in = true
			word.WriteByte(c)
		}
	}
	if in {
		out = append(out, shellWord{text: word.String()})
	}
	return out
}

// powerShellLines are those of a text whose lines go on behind a backquote, as PowerShell has them, with a backslash in
// its place; any other text as it is. A shell's backquotes come in pairs.
func powerShellLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		plain := strings.TrimRight(line, "\r\n")
		at := strings.IndexByte(plain, '`')
		if at < 0 {
			out.WriteString(line)
			continue
		}
		if at != len(plain)-1 || at == 0 || plain[at-1] != ' ' {
			return text
		}
		out.WriteString(plain[:at] + "\\\n")
	}
	return out.String()
}

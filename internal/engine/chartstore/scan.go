// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// maxEntry bounds the text of one version of a chart; those with large icons reach 1 MB.
const maxEntry = 8 << 20

// scanIndex reads a repository's index and calls visit with the text of each version of the
// chart, a YAML list, until visit is done. It says whether the chart is in the index. Memory
// is bounded by one version, however large the index: only the chart's own block is looked
// into, by its indentation, which every writer of indexes keeps.
func scanIndex(body io.Reader, name string, visit func(text []byte) (done bool, err error)) (listed bool, err error) {
	reader := bufio.NewReaderSize(body, 64<<10)
	if mark, _ := reader.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = reader.Discard(len(mark)) // a byte order mark, just peeked at
	}
	first, err := firstByte(reader)
	switch {
	case errors.Is(err, io.EOF):
		return false, errNoIndex
	case err != nil:
		return false, err
	case first == '{':
		return scanJSON(reader, name, visit)
	}
	scan := &yamlScan{lines: lines{reader: reader}, name: name, visit: visit}
	return scan.run()
}

var errNoIndex = errors.New("what came is not the index of a chart repository. Check the address: the folder above index.yaml")

// firstByte is the first that is neither space nor line end, left unread. Only a JSON index
// can begin with space: lost indentation would not matter to it.
func firstByte(reader *bufio.Reader) (byte, error) {
	for {
		next, err := reader.ReadByte()
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte("\r\n\t "), rune(next)) {
			return next, reader.UnreadByte()
		}
	}
}

// yamlScan is a scan of an index in YAML's block style.
type yamlScan struct {
	lines lines
	name  string
	visit func([]byte) (bool, error)

	text []byte // of the version being read
	done bool
}

func (s *yamlScan) run() (listed bool, err error) {
	if err := s.toEntries(); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil // an index without entries
		}
		return false, err
	}
	listed, err = s.toChart()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if !listed || err != nil {
		return listed, err
	}
	return true, s.versions()
}

// toEntries goes to the line after the top-level key "entries".
func (s *yamlScan) toEntries() error {
	known := false
	for {
		line, err := s.lines.content()
		if errors.Is(err, io.EOF) && !known {
			return errNoIndex
		}
		if err != nil {
			return err
		}
		if line.indent > 0 {
			continue
		}
		key, rest, ok := splitKey(line.text)
		known = known || (ok && key == "apiVersion")
		if !ok || key != "entries" {
			continue
		}
		switch string(rest) {
		case "":
			return nil
		case "{}", "null", "~":
			return io.EOF
		}
		return errors.New("the repository's index is in YAML's flow style, which no tool writes; write it anew with helm repo index")
	}
}

// toChart goes to the line of the chart's key and keeps what stands on it.
func (s *yamlScan) toChart() (bool, error) {
	depth := -1
	for {
		line, err := s.lines.content()
		if err != nil {
			return false, err
		}
		if depth < 0 {
			depth = line.indent
		}
		if line.indent < depth || depth == 0 {
			return false, nil
		}
		if line.indent > depth || line.item() {
			continue
		}
		if key, rest, ok := splitKey(line.text); ok && key == s.name {
			s.lines.depth = depth
			s.text = append(s.text[:0], rest...)
			if s.lines.more { // an inline list longer than the buffer
				s.text, err = s.lines.rest(s.text)
			}
			s.text = append(s.text, '\n')
			return true, err
		}
	}
}

// versions goes through the chart's list, one item after the other.
func (s *yamlScan) versions() error {
	inline := len(bytes.TrimSpace(s.text)) > 0
	depth := -1
	for {
		line, err := s.lines.next()
		if errors.Is(err, io.EOF) || (err == nil && line.structural() && line.endsBlock(s.lines.depth)) {
			return s.flush()
		}
		if err != nil {
			return err
		}
		if !inline && line.structural() && line.item() && (depth < 0 || line.indent == depth) {
			depth = line.indent
			if err := s.flush(); err != nil || s.done {
				return err
			}
		}
		if s.text, err = s.lines.whole(s.text); err != nil {
			return err
		}
		if len(s.text) > maxEntry {
			return fmt.Errorf("the repository's index has an entry of more than %d MiB for this chart", maxEntry>>20)
		}
	}
}

// flush hands over the version that has been read.
func (s *yamlScan) flush() error {
	text := bytes.TrimSpace(s.text)
	if len(text) == 0 || bytes.Equal(text, []byte("null")) || bytes.Equal(text, []byte("~")) {
		s.text = s.text[:0]
		return nil
	}
	done, err := s.visit(s.text)
	s.done = done
	s.text = s.text[:0]
	return err
}

// splitKey divides a line without indentation into a key and what stands behind it, less a
// comment that stands alone.
func splitKey(text []byte) (key string, rest []byte, ok bool) {
	end := keyEnd(text)
	if end < 0 {
		return "", nil, false
	}
	raw, rest := text[:end], bytes.TrimSpace(text[end+1:])
	if len(rest) > 0 && rest[0] == '#' {
		rest = nil
	}
	if raw[0] != '"' && raw[0] != '\'' {
		return string(bytes.TrimSpace(raw)), rest, true
	}
	if err := yaml.Unmarshal(raw, &key); err != nil {
		return "", nil, false
	}
	return key, rest, true
}

// keyEnd is the index of the colon behind the key, or -1.
func keyEnd(text []byte) int {
	if len(text) == 0 {
		return -1
	}
	quote := byte(0)
	if text[0] == '"' || text[0] == '\'' {
		quote = text[0]
	}
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case quote != 0 && text[i] == quote:
			quote = 0
		case quote == 0 && text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return i
		}
	}
	return -1
}

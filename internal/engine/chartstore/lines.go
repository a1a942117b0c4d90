// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads lines of any length through one buffer. What a line says of the structure is
// at its beginning; the rest of a long one is read only where it is wanted.
type lines struct {
	reader *bufio.Reader
	head   []byte // the beginning of the current line, valid until the next one
	more   bool   // whether the line goes on behind head

	depth int // of the key whose block is being read
}

type line struct {
	indent int
	text   []byte // without indentation and line end
}

// next goes to the next line.
func (l *lines) next() (line, error) {
	for l.more {
		if err := l.read(); err != nil {
			return line{}, err
		}
	}
	if err := l.read(); err != nil {
		return line{}, err
	}
	text := bytes.TrimRight(l.head, "\r\n")
	stripped := bytes.TrimLeft(text, " ")
	return line{indent: len(text) - len(stripped), text: stripped}, nil
}

// content goes to the next line that is neither empty nor a comment.
func (l *lines) content() (line, error) {
	for {
		if next, err := l.next(); err != nil || next.structural() {
			return next, err
		}
	}
}

// whole appends the whole current line.
func (l *lines) whole(to []byte) ([]byte, error) {
	to = append(to, l.head...)
	return l.rest(to)
}

// rest appends what has not been read of the current line.
func (l *lines) rest(to []byte) ([]byte, error) {
	for l.more && len(to) <= maxEntry {
		if err := l.read(); err != nil {
			return to, err
		}
		to = append(to, l.head...)
	}
	return to, nil
}

// read fills head; the last line of all may lack its end.
func (l *lines) read() error {
	head, err := l.reader.ReadSlice('\n')
	l.head, l.more = head, errors.Is(err, bufio.ErrBufferFull)
	if l.more || (errors.Is(err, io.EOF) && len(head) > 0) {
		return nil
	}
	return err
}

// structural says whether the line's indentation means anything.
func (l line) structural() bool {
	text := bytes.TrimSpace(l.text)
	return len(text) > 0 && text[0] != '#'
}

// item says whether the line begins an item of a list.
func (l line) item() bool {
	return bytes.HasPrefix(l.text, []byte("- ")) || bytes.Equal(l.text, []byte("-"))
}

// endsBlock says whether the line is past the block of a key at depth. YAML lets a list
// stand as deep as its key.
func (l line) endsBlock(depth int) bool {
	return l.indent < depth || (l.indent == depth && !l.item())
}

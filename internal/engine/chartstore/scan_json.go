// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// scanJSON is scanIndex for an index in JSON, read token by token.
func scanJSON(reader *bufio.Reader, name string, visit func([]byte) (bool, error)) (listed bool, err error) {
	decoder := json.NewDecoder(reader)
	known := false
	err = eachKey(decoder, func(key string) (bool, error) {
		known = known || key == "apiVersion" || key == "entries"
		if key != "entries" {
			return false, skip(decoder)
		}
		err := eachKey(decoder, func(chart string) (bool, error) {
			if chart != name {
				return false, skip(decoder)
			}
			listed = true
			return true, eachVersion(decoder, visit)
		})
		return true, err
	})
	var malformed *json.SyntaxError
	switch {
	case errors.As(err, &malformed):
		return listed, fmt.Errorf("the repository's index cannot be read: %w", err)
	case err == nil && !known:
		return false, errNoIndex
	}
	return listed, err
}

// eachKey calls visit with every key of the object that comes next, the decoder standing
// before its value, until visit is done; null is an object without keys.
func eachKey(decoder *json.Decoder, visit func(key string) (done bool, err error)) error {
	if empty, err := open(decoder, '{'); empty || err != nil {
		return err
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return eof(err)
		}
		key, _ := token.(string) // the decoder takes nothing else for a key
		if done, err := visit(key); done || err != nil {
			return err
		}
	}
	_, err := decoder.Token() // the end of the object, or of a body that was cut
	return eof(err)
}

func eachVersion(decoder *json.Decoder, visit func([]byte) (bool, error)) error {
	if empty, err := open(decoder, '['); empty || err != nil {
		return err
	}
	for decoder.More() {
		var entry json.RawMessage
		if err := decoder.Decode(&entry); err != nil {
			return eof(err)
		}
		if len(entry) > maxEntry {
			return fmt.Errorf("the repository's index has an entry of more than %d MiB for this chart", maxEntry>>20)
		}
		if done, err := visit(append(append([]byte("["), entry...), ']')); done || err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return eof(err)
}

func open(decoder *json.Decoder, delimiter json.Delim) (empty bool, err error) {
	token, err := decoder.Token()
	if err != nil {
		return false, eof(err)
	}
	if token == nil {
		return true, nil
	}
	if token != delimiter {
		return false, fmt.Errorf("the repository's index has %v where %v is expected", token, delimiter)
	}
	return false, nil
}

// skip passes over one value without keeping it.
func skip(decoder *json.Decoder) error {
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return eof(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// eof: within a value, the end of the body is never the end that was meant.
func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

package external

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Spec says what a program is called in results, and how it is started.
type Spec struct {
	Name string   `toml:"name"`
	Args []string `toml:"command"`

	// Limit is the most timers to take part with, if it says no less itself; 0: any number.
	Limit int `toml:"limit"`
}

// Command is the command line, its parts separated by spaces.
func (s Spec) Command() string { return strings.Join(s.Args, " ") }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// Parse reads the values of a flag: name=command, where spaces divide the command, or the name of
// a TOML file with a list of programs. taken are names that programs must not have.
func Parse(values []string, taken []string) ([]Spec, error) {
	var out []Spec
	seen := make(map[string]bool)
	for _, name := range taken {
		seen[name] = true
	}
	for _, value := range values {
		var list []Spec
		name, command, ok := strings.Cut(value, "=")
		if ok {
			list = []Spec{{Name: name, Args: strings.Fields(command)}}
		} else {
			var err error
			if list, err = read(value); err != nil {
				return nil, err
			}
		}
		for _, s := range list {
			switch {
			case !validName.MatchString(s.Name):
				return nil, fmt.Errorf("%q: want a name of letters, digits and dashes before =, "+
					"such as libuv=./libuv", value)
			case len(s.Args) == 0 || s.Args[0] == "":
				return nil, fmt.Errorf("%q: %s has no command", value, s.Name)
			case seen[s.Name]:
				return nil, fmt.Errorf("%q: the name %s is taken, choose another one", value, s.Name)
			}
			seen[s.Name] = true
			out = append(out, s)
		}
	}
	return out, nil
}

// read reads a TOML file with tables [[external]]. Commands with a slash are relative to its folder.
func read(path string) ([]Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("want name=command or a TOML file with a list of programs: %w", err)
	}
	var file struct {
		External []Spec `toml:"external"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: want tables [[external]] with a name and a command: %w", path, err)
	}
	if len(file.External) == 0 {
		return nil, fmt.Errorf("%s: it lists no program, want tables [[external]]", path)
	}
	for i, s := range file.External {
		if len(s.Args) > 0 && strings.Contains(s.Args[0], "/") && !filepath.IsAbs(s.Args[0]) {
			file.External[i].Args[0] = filepath.Join(filepath.Dir(path), s.Args[0])
			if !filepath.IsAbs(file.External[i].Args[0]) {
				file.External[i].Args[0] = "./" + file.External[i].Args[0]
			}
		}
	}
	return file.External, nil
}

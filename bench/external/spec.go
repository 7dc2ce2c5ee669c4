package external

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/internal/foreign"
)

// Spec is the name of a program in the results and its command line.
type Spec struct {
	Name string   `toml:"name"`
	Args []string `toml:"command"`

	// Limit is the largest cell that the program takes part in, in timers. The program may declare a
	// lower limit itself. 0 means no limit.
	Limit int `toml:"limit"`

	// HelloTime and RequestTime are the time limits of the hello, and of a request in addition to
	// 100 µs for each operation. 0 means 90 and 10 seconds.
	HelloTime   time.Duration `toml:"-"`
	RequestTime time.Duration `toml:"-"`
}

// Command returns the command line with its arguments separated by spaces.
func (s Spec) Command() string { return strings.Join(s.Args, " ") }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// Parse parses the values of --external. A value is name=command, where spaces separate the arguments, or
// the name of a TOML file with a list of programs. It returns an error for a name in taken or a duplicate name.
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

// read reads a TOML file of [[external]] tables. Commands with a slash are relative to its folder.
func read(path string) ([]Spec, error) {
	data, err := foreign.ReadFile(path, foreign.MostTOML)
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

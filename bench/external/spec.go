package external

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/internal/files"
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

// Parse parses the values of --external. A value is name=command, a command whose program is a file, or the name of a
// TOML file with a list of programs. Spaces separate the arguments. Parse returns an error for a name in taken, a duplicate
// name, or a program that does not exist.
func Parse(values []string, taken []string) ([]Spec, error) {
	var out []Spec
	seen := make(map[string]bool)
	for _, name := range taken {
		seen[name] = true
	}
	for _, value := range values {
		list, err := specs(value)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			switch {
			case !validName.MatchString(s.Name):
				return nil, fmt.Errorf("%q: want a name of letters, digits and dashes before =, such as libuv=./libuv", value)
			case len(s.Args) == 0 || s.Args[0] == "":
				return nil, fmt.Errorf("%q: %s has no command", value, s.Name)
			case seen[s.Name]:
				return nil, fmt.Errorf("%q: the name %s is taken: want another one before =, such as my-%[2]s=%s", value, s.Name, s.Command())
			}
			if _, err := exec.LookPath(s.Args[0]); err != nil {
				return nil, fmt.Errorf("%q: %w", value, err)
			}
			seen[s.Name] = true
			out = append(out, s)
		}
	}
	return out, nil
}

func specs(value string) ([]Spec, error) {
	name, command, ok := strings.Cut(value, "=")
	if ok && !strings.ContainsAny(name, " /") {
		return []Spec{{Name: name, Args: strings.Fields(command)}}, nil
	}
	if args := strings.Fields(value); len(args) > 0 && filepath.Ext(args[0]) != ".toml" {
		args[0] = inFolder(".", args[0])
		if _, err := exec.LookPath(args[0]); err == nil {
			return []Spec{{Name: filepath.Base(args[0]), Args: args}}, nil
		}
	}
	return read(value)
}

// inFolder returns the path of a program in a folder, with a slash, without which it would be looked for in PATH.
func inFolder(folder, program string) string {
	if !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	if !filepath.IsAbs(program) {
		program = "./" + program
	}
	return program
}

// read reads a TOML file of [[external]] tables. Commands with a slash are relative to its folder.
func read(path string) ([]Spec, error) {
	data, err := files.ReadFile(path, "a program, name=command or a TOML file with a list of programs", files.MostTOML)
	if err != nil {
		return nil, err
	}
	var file struct {
		External []Spec `toml:"external"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: want a program, or TOML tables [[external]] with a name and a command: %w", path, err)
	}
	if len(file.External) == 0 {
		return nil, fmt.Errorf("%s: it lists no program, want tables [[external]]", path)
	}
	for _, s := range file.External {
		if len(s.Args) > 0 && strings.Contains(s.Args[0], "/") {
			s.Args[0] = inFolder(filepath.Dir(path), s.Args[0])
		}
	}
	return file.External, nil
}

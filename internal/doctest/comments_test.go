package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Comments name packages of this module, or of the standard library, that exist, and the names of doc links are declared there. No
// table in a comment is a list: gofmt makes a list of one whose first line begins with a star, and go doc runs its lines together.
func TestCommentsNameWhatExists(t *testing.T) {
	packages, declared, comments := map[string]bool{"main": true}, map[string]bool{}, map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(tree.Name.Name, "_test")
		packages[name], packages[filepath.Base(filepath.Dir(path))] = true, true
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[name+"."+n.Name.Name] = true
			case *ast.TypeSpec:
				declared[name+"."+n.Name.Name], declared["."+n.Name.Name] = true, true // of a type, links name methods
			case *ast.ValueSpec:
				for _, id := range n.Names {
					declared[name+"."+id.Name] = true
				}
			}
			return true
		})
		for _, c := range tree.Comments {
			comments[path] += c.Text()
		}
		return nil
	})
	if err != nil || len(packages) < 50 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	named, link := regexp.MustCompile(`\b[Pp]ackages? ([a-z][a-z0-9/]+)`), regexp.MustCompile(`\[\*?([a-z]\w*)\.([A-Z]\w*)`)
	table := regexp.MustCompile(`(?m)^ +- .*\S {3,}\S.*`)
	standard := standardPackages(t)
	for path, text := range comments {
		if line := table.FindString(text); line != "" {
			t.Errorf("%s: a table is a list: %s", path, line)
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !packages[filepath.Base(m[1])] && !standard[m[1]] && !prose.MatchString(m[1]) {
				t.Errorf("%s names package %s, which does not exist", path, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, ok := standard[m[1]]; !ok && !declared[m[1]+"."+m[2]] && !declared["."+m[1]] {
				t.Errorf("%s links to %s.%s, which does not exist", path, m[1], m[2])
			}
		}
	}
}

// standardPackages returns the paths of the standard library, which are true, and their last parts, by which code names them.
func standardPackages(t *testing.T) map[string]bool {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	all, src := make(map[string]bool), filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		rel, err := filepath.Rel(src, filepath.Dir(path))
		rel = filepath.ToSlash(rel)
		all[rel] = true
		for _, short, ok := strings.Cut(rel, "/"); ok; _, short, ok = strings.Cut(short, "/") {
			all[short] = all[short] || false
		}
		return err
	})
	if err != nil || !all["math/rand"] {
		t.Fatalf("%d standard packages, %v", len(all), err)
	}
	return all
}

// prose are words that follow "package" in a sentence, and packages of others.
var prose = regexp.MustCompile(`^(of|from|has|does|says|that|need|as|comment|and|writes|explains|below|answers|adds|pkg|declares|is|are|then|after|on|compiled|jetstream|grpc)$`)

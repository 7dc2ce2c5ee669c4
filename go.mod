module github.com/timerbench/timerbench

go 1.26

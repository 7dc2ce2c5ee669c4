// This file is empty. It lets thw.go declare a function without a body.

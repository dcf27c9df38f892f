// Package rightsize is the documentation of the module; it holds no code.
package rightsize

//go:build !windows

package httpretry

import "syscall"

var (
	refusedErrnos     = []syscall.Errno{syscall.ECONNREFUSED}
	unreachableErrnos = []syscall.Errno{syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN}
	resetErrnos       = []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}
)

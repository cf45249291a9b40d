package httpretry

import "syscall"

// The numbers of Winsock that package syscall has no names for; those it has under Unix names are inventions of its own.
const (
	wsaENETDOWN     = syscall.Errno(10050)
	wsaENETUNREACH  = syscall.Errno(10051)
	wsaECONNREFUSED = syscall.Errno(10061)
	wsaEHOSTDOWN    = syscall.Errno(10064)
	wsaEHOSTUNREACH = syscall.Errno(10065)
)

var (
	refusedErrnos     = []syscall.Errno{wsaECONNREFUSED, syscall.ECONNREFUSED}
	unreachableErrnos = []syscall.Errno{wsaEHOSTUNREACH, wsaENETUNREACH, wsaENETDOWN, wsaEHOSTDOWN, syscall.EHOSTUNREACH, syscall.ENETUNREACH}
	resetErrnos       = []syscall.Errno{syscall.WSAECONNRESET, syscall.WSAECONNABORTED, syscall.ERROR_BROKEN_PIPE, syscall.ECONNRESET, syscall.EPIPE}
)

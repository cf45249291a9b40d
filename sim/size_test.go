package sim

import "unsafe"

func sizeOfCall() int { return int(unsafe.Sizeof(call{}) + unsafe.Sizeof(more{})) }

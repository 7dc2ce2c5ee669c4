#include "textflag.h"

// func Stamp() uint64
TEXT ·Stamp(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func Steady() bool
TEXT ·Steady(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $0x80000000, AX // the last leaf of this kind
	CPUID
	CMPL AX, $0x80000007
	JB   done
	MOVL $0x80000007, AX // bit 8 of EDX: the rate of the counter never changes
	CPUID
	SHRL $8, DX
	ANDL $1, DX
	MOVB DX, ret+0(FP)
done:
	RET

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ AX, ret+0(FP)
	RET

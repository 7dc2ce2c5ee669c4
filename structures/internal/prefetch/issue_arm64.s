#include "textflag.h"

// func issue(lines []uintptr)
TEXT ·issue(SB), NOSPLIT, $0-24
	MOVD lines_base+0(FP), R0
	MOVD lines_len+8(FP), R1
	CBZ  R1, done

next:
	MOVD.P 8(R0), R2
	PRFM   (R2), PLDL1KEEP
	SUB    $1, R1
	CBNZ   R1, next

done:
	RET

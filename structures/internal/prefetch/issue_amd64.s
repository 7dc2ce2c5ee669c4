#include "textflag.h"

// func issue(lines []uintptr)
TEXT ·issue(SB), NOSPLIT, $0-24
	MOVQ  lines_base+0(FP), SI
	MOVQ  lines_len+8(FP), CX
	TESTQ CX, CX
	JZ    done

next:
	MOVQ       (SI), AX
	PREFETCHT0 (AX)
	ADDQ       $8, SI
	DECQ       CX
	JNZ        next

done:
	RET

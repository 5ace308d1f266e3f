package program

// An Ins is one instruction: an operation with up to two operands.
type Ins struct {
	Op   Op
	A, B int32
}

// Op is an operation of the machine.
type Op uint8

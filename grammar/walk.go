package grammar

// Walk calls visit for the node and for every node below it, parents first and
// in file order. It leaves out what is below a node for which visit returns
// false. A nil node is no node.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	Children(n, func(child Node) { Walk(child, visit) })
}

// Inspect walks all declarations of a file.
func (f *File) Inspect(visit func(Node) bool) {
	for _, d := range f.Decls {
		Walk(d, visit)
	}
}

// Children calls visit for the nodes directly below a node, in file order.
func Children(n Node, visit func(Node)) {
	switch n := n.(type) {
	case Decl:
		declChildren(n, visit)
	case StateItem:
		itemChildren(n, visit)
	case Expr: // before Stmt: a call and a wait are both
		exprChildren(n, visit)
	case Stmt:
		stmtChildren(n, visit)
	case TestStmt:
		testChildren(n, visit)
	case Expectation:
		expectationChildren(n, visit)
	case TypeExpr:
		typeChildren(n, visit)
	default:
		partChildren(n, visit)
	}
}

// some visits a node unless it is nil.
func some[T any, P interface {
	*T
	Node
}](visit func(Node), n P) {
	if n != nil {
		visit(n)
	}
}

// maybe visits a node of a sum unless it is nil.
func maybe(visit func(Node), n Node) {
	if n != nil {
		visit(n)
	}
}

// all visits the nodes of a list.
func all[T Node](visit func(Node), list []T) {
	for _, n := range list {
		visit(n)
	}
}

func declChildren(n Decl, visit func(Node)) {
	switch n := n.(type) {
	case *ImportDecl:
		some(visit, n.Path)
		some(visit, n.As)
	case *ConstDecl:
		some(visit, n.Name)
		maybe(visit, n.Value)
	case *EnumDecl:
		some(visit, n.Name)
		some(visit, n.Body)
	case *TypeDecl:
		some(visit, n.Name)
		some(visit, n.Body)
	case *EventDecl:
		some(visit, n.Name)
		some(visit, n.Params)
	case *TaskDecl:
		some(visit, n.Name)
		some(visit, n.Params)
		some(visit, n.Results)
		n.Clauses.each(visit)
	case *FnDecl:
		some(visit, n.Name)
		some(visit, n.Params)
		maybe(visit, n.Result)
		maybe(visit, n.Body)
	case *FragmentDecl:
		some(visit, n.Name)
		some(visit, n.Params)
		some(visit, n.Body)
	case *FlowDecl:
		some(visit, n.Name)
		some(visit, n.Params)
		some(visit, n.Results)
		some(visit, n.Body)
	case *TestDecl:
		some(visit, n.Name)
		some(visit, n.Body)
	}
}

func typeChildren(n TypeExpr, visit func(Node)) {
	switch n := n.(type) {
	case *NamedType:
		some(visit, n.Name)
	case *ListType:
		maybe(visit, n.Elem)
	case *MapType:
		maybe(visit, n.Elem)
	case *OptionalType:
		maybe(visit, n.Elem)
	}
}

func exprChildren(n Expr, visit func(Node)) {
	switch n := n.(type) {
	case *NameExpr:
		some(visit, n.Name)
	case *SelectExpr:
		maybe(visit, n.X)
		some(visit, n.Field)
	case *IndexExpr:
		maybe(visit, n.X)
		maybe(visit, n.Index)
	case *CallExpr:
		maybe(visit, n.Fun)
		some(visit, n.Args)
	case *NonNullExpr:
		maybe(visit, n.X)
	case *UnaryExpr:
		maybe(visit, n.X)
	case *BinaryExpr:
		maybe(visit, n.X)
		maybe(visit, n.Y)
	case *CondExpr:
		maybe(visit, n.Cond)
		maybe(visit, n.Then)
		maybe(visit, n.Else)
	case *LambdaExpr:
		some(visit, n.Param)
		maybe(visit, n.Body)
	case *ParenExpr:
		maybe(visit, n.X)
	case *ListLit:
		all(visit, n.Elems)
	case *RecordLit:
		all(visit, n.Members)
	case *StringLit:
		for _, p := range n.Parts {
			maybe(visit, p.Expr)
		}
	case *CallWork:
		some(visit, n.Call)
		n.Clauses.each(visit)
	case *WaitEvent:
		some(visit, n.Event)
		maybe(visit, n.For)
		maybe(visit, n.Until)
	}
}

// each visits the clauses that are there, in the order of the struct.
func (n *Clauses) each(visit func(Node)) {
	some(visit, n.Fails)
	some(visit, n.Within)
	some(visit, n.Retry)
	some(visit, n.Queue)
	some(visit, n.May)
	some(visit, n.Key)
	some(visit, n.Each)
	some(visit, n.Concurrency)
	some(visit, n.Join)
}

// partChildren is for what belongs to no sum.
func partChildren(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *Path:
		all(visit, n.Parts)
	case *EnumBody:
		all(visit, n.Values)
	case *Field:
		some(visit, n.Name)
		maybe(visit, n.Type)
		maybe(visit, n.Default)
	case *Params:
		all(visit, n.Fields)
	case *FieldBlock:
		all(visit, n.Fields)
	case *StateBody:
		all(visit, n.Items)
	case *Block:
		all(visit, n.Stmts)
	case *WaitBody:
		all(visit, n.Arms)
	case *TestBody:
		all(visit, n.Lines)
	case *Member:
		some(visit, n.Name)
		some(visit, n.Key)
		maybe(visit, n.Value)
	case *Call:
		some(visit, n.Name)
		some(visit, n.Args)
	case *Args:
		all(visit, n.Items)
	case *Arg:
		some(visit, n.Name)
		maybe(visit, n.Value)
	default:
		clauseChildren(n, visit)
	}
}

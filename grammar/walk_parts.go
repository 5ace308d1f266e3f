package grammar

func itemChildren(n StateItem, visit func(Node)) {
	switch n := n.(type) {
	case *Data:
		some(visit, n.Body)
	case *Initial:
		some(visit, n.Target)
	case *State:
		some(visit, n.Name)
		some(visit, n.Body)
	case *Parallel:
		some(visit, n.Name)
		some(visit, n.Join)
		some(visit, n.Body)
	case *Region:
		some(visit, n.Name)
		some(visit, n.Body)
	case *Final:
		some(visit, n.Name)
		some(visit, n.As)
		some(visit, n.Body)
	case *Use:
		some(visit, n.Call)
		some(visit, n.As)
	case *Entry:
		some(visit, n.Block)
	case *Exit:
		some(visit, n.Block)
	case *Do:
		some(visit, n.Call)
		n.Clauses.each(visit)
	case *Run:
		some(visit, n.Block)
	case *Invoke:
		some(visit, n.Call)
		n.Clauses.each(visit)
	case *Defer:
		all(visit, n.Events)
	default:
		timerChildren(n, visit)
	}
}

func timerChildren(n StateItem, visit func(Node)) {
	switch n := n.(type) {
	case *Timeout:
		maybe(visit, n.At)
		maybe(visit, n.Dur)
		some(visit, n.From)
	case *After:
		maybe(visit, n.Dur)
		some(visit, n.From)
		some(visit, n.As)
		some(visit, n.When)
		some(visit, n.Target)
		some(visit, n.Block)
	case *At:
		maybe(visit, n.Time)
		some(visit, n.As)
		some(visit, n.When)
		some(visit, n.Target)
		some(visit, n.Block)
	case *Every:
		some(visit, n.Calendar)
		maybe(visit, n.Period)
		maybe(visit, n.For)
		maybe(visit, n.Times)
		some(visit, n.As)
		some(visit, n.When)
		some(visit, n.Target)
		some(visit, n.Block)
	case *Idle:
		maybe(visit, n.Dur)
	case *On:
		all(visit, n.Events)
		some(visit, n.When)
		some(visit, n.Target)
		some(visit, n.Block)
	case *Always:
		some(visit, n.When)
		some(visit, n.Target)
		some(visit, n.Block)
	}
}

// clauseChildren is for the parts of items and calls.
func clauseChildren(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *Target:
		some(visit, n.Path)
	case *When:
		maybe(visit, n.Cond)
	case *From:
		maybe(visit, n.Time)
	case *Calendar:
		all(visit, n.Days)
		some(visit, n.Time)
		maybe(visit, n.Zone)
	case *Days:
		some(visit, n.First)
		some(visit, n.Last)
	case *Fails:
		all(visit, n.Codes)
	case *Within:
		maybe(visit, n.Dur)
	case *Retry:
		maybe(visit, n.Count)
		maybe(visit, n.Min)
		maybe(visit, n.Max)
	case *Queue:
		some(visit, n.Name)
	case *May:
		all(visit, n.Events)
	case *Key:
		maybe(visit, n.Value)
	case *Each:
		some(visit, n.Var)
		maybe(visit, n.List)
	case *Concurrency:
		maybe(visit, n.N)
	case *Join:
		maybe(visit, n.N)
	case *Else:
		maybe(visit, n.Cond)
		some(visit, n.Body)
	case *Catch:
		all(visit, n.Codes)
		some(visit, n.As)
		some(visit, n.Body)
	case *WaitArm:
		all(visit, n.Events)
		maybe(visit, n.After)
		some(visit, n.When)
		some(visit, n.Body)
	case *TestLine:
		some(visit, n.Label)
		some(visit, n.Child)
		maybe(visit, n.Stmt)
	case *ChildRef:
		some(visit, n.Flow)
		some(visit, n.N)
	case *Count:
		some(visit, n.N)
	}
}

func stmtChildren(n Stmt, visit func(Node)) {
	switch n := n.(type) {
	case *AssignStmt:
		maybe(visit, n.Target)
		maybe(visit, n.Value)
	case *UnsetStmt:
		maybe(visit, n.Target)
	case *LetStmt:
		some(visit, n.Name)
		maybe(visit, n.Type)
		maybe(visit, n.Value)
	case *IfStmt:
		maybe(visit, n.Cond)
		some(visit, n.Then)
		all(visit, n.Else)
	case *ForStmt:
		some(visit, n.Var)
		maybe(visit, n.List)
		some(visit, n.Body)
	case *WhileStmt:
		maybe(visit, n.Cond)
		some(visit, n.Body)
	case *WaitBlock:
		some(visit, n.Body)
	case *SleepStmt:
		maybe(visit, n.Until)
		maybe(visit, n.Dur)
	case *TryStmt:
		some(visit, n.Body)
		all(visit, n.Catches)
	case *GoStmt:
		some(visit, n.Target)
	default:
		actionChildren(n, visit)
	}
}

func actionChildren(n Stmt, visit func(Node)) {
	switch n := n.(type) {
	case *RaiseStmt:
		some(visit, n.Event)
	case *ScheduleStmt:
		some(visit, n.Event)
		maybe(visit, n.After)
		maybe(visit, n.At)
	case *UnscheduleStmt:
		some(visit, n.Event)
	case *RearmStmt:
		some(visit, n.Timer)
	case *DispatchStmt:
		some(visit, n.Call)
		n.Clauses.each(visit)
	case *StartStmt:
		some(visit, n.Flow)
		maybe(visit, n.Key)
		maybe(visit, n.After)
		maybe(visit, n.At)
	case *SendStmt:
		some(visit, n.Event)
		some(visit, n.Flow)
		maybe(visit, n.Key)
	case *NoteStmt:
		maybe(visit, n.Text)
	case *RefuseStmt:
		maybe(visit, n.Text)
	case *FailStmt:
		maybe(visit, n.Text)
	}
}

func testChildren(n TestStmt, visit func(Node)) {
	switch n := n.(type) {
	case *TestAt:
		maybe(visit, n.Time)
	case *TestMock:
		some(visit, n.Name)
		some(visit, n.Fails)
		some(visit, n.Final)
		some(visit, n.Results)
		some(visit, n.Times)
	case *TestStart:
		some(visit, n.Flow)
		maybe(visit, n.Key)
		some(visit, n.As)
		maybe(visit, n.After)
	case *TestSend:
		some(visit, n.Event)
		some(visit, n.As)
	case *TestAdvance:
		maybe(visit, n.To)
		maybe(visit, n.Dur)
	case *TestClaim:
		some(visit, n.Task)
	case *TestComplete:
		some(visit, n.Task)
		some(visit, n.Results)
		some(visit, n.Event)
	case *TestFail:
		some(visit, n.Task)
		some(visit, n.Code)
	case *TestCancel:
		some(visit, n.Reason)
	case *TestRetry:
		some(visit, n.State)
	case *TestExpect:
		maybe(visit, n.What)
	}
}

func expectationChildren(n Expectation, visit func(Node)) {
	switch n := n.(type) {
	case *ExpectState:
		all(visit, n.States)
	case *ExpectStatus:
		some(visit, n.Status)
	case *ExpectFinal:
		some(visit, n.Name)
	case *ExpectOutcome:
		some(visit, n.Outcome)
	case *ExpectError:
		some(visit, n.Code)
	case *ExpectValue:
		maybe(visit, n.X)
	case *ExpectTimer:
		some(visit, n.Timer)
		maybe(visit, n.In)
		maybe(visit, n.At)
	case *ExpectRefused:
		some(visit, n.Event)
		some(visit, n.Text)
	case *ExpectOffered:
		some(visit, n.Task)
		some(visit, n.Times)
	case *ExpectDispatched:
		some(visit, n.Task)
		some(visit, n.Times)
	case *ExpectChild:
		some(visit, n.Flow)
		some(visit, n.State)
		some(visit, n.Times)
	case *ExpectNote:
		some(visit, n.Text)
	case *ExpectAccepts:
		all(visit, n.Events)
	}
}

package validate

func (c *checker) checkGraph(fl *flow)   {}
func (c *checker) checkUnused()          {}
func (c *checker) checkShadows(s *state) {}

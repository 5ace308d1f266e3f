package builtin

import "flowc/validate/value"

func tokenFuncs() []*Func {
	return []*Func{
		bare("token.id", "The token's id.", sString, func(env Env) value.Value { return value.OfString(env.TokenID()) }),
		bare("token.key", "The key that the token was started with, null without one.", value.Opt(sString), func(env Env) value.Value {
			if key, ok := env.TokenKey(); ok {
				return value.OfString(key)
			}
			return value.OfNull()
		}),
		bare("token.started_at", "The instant at which the token was started.", sTime, func(env Env) value.Value {
			return value.OfTime(env.StartedAt())
		}),
		bare("entered_at", "The instant at which the present visit of the state began that this stands in; in a block of the flow itself, the start.", sTime, func(env Env) value.Value {
			return value.OfTime(env.EnteredAt())
		}),
		{
			Name: "active", Signature: "active(STATE)", State: true, min: 1, max: 1, cost: nothing,
			Doc:   "Whether the state, or one inside it, is active. The name is looked up from the place where it stands outwards.",
			check: func(*call) *value.Type { return sBool },
		},
	}
}

func bare(name, doc string, result *value.Type, get func(Env) value.Value) *Func {
	return &Func{
		Name: name, Signature: name, Doc: doc, Bare: true, cost: nothing,
		check: func(*call) *value.Type { return result },
		call:  func(env Env, _ []value.Value, _ Lambda) (value.Value, error) { return get(env), nil },
	}
}

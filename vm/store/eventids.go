package store

import "context"

// An EventID is the row of an event that a token has taken (R55).
type EventID struct {
	Token   string `db:"token"`
	ID      string `db:"id"`      // a hash of the event's own (vm.SeenKey)
	Outcome string `db:"outcome"` // how it came out
}

// EventIDs loads the rows of these ids of tokens that the transaction holds; one that was never taken has none.
func (t *Tx) EventIDs(want []EventID) ([]EventID, error) {
	if len(want) == 0 {
		return nil, nil
	}
	var rows []EventID
	err := t.query(&rows, "event_ids", set{
		column(want, func(e *EventID) string { return e.Token }), column(want, func(e *EventID) string { return e.ID })})
	return rows, err
}

func (t *Tx) insertEventIDs(w *Writes) error {
	r := w.EventIDs
	return t.execEach("insert_event_ids", set{
		column(r, func(e *EventID) string { return e.Token }), column(r, func(e *EventID) string { return e.ID }),
		column(r, func(e *EventID) string { return e.Outcome })})
}

// EventIDs is described at Store.
func (d *db) EventIDs(ctx context.Context, token string) ([]EventID, error) {
	var rows []EventID
	err := d.selectRows(ctx, &rows, d.sql["event_ids_of"], token)
	return rows, err
}

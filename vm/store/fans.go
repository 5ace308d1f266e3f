package store

import "context"

// A FanItem is one row of a fan-out (R57): an item that is not started yet, or how one ended.
type FanItem struct {
	Token string `db:"token"`
	Visit int64  `db:"visit"` // with Begun, which of the token's fan-outs
	Begun int64  `db:"begun"`
	Index int64  `db:"idx"`
	Ended bool   `db:"ended"`
	Body  string `db:"body"` // the engine's, JSON
}

// A FanWant asks for rows of one fan-out: those not started with an index from Since on and below Until, and with Results all that
// ended.
type FanWant struct {
	Token   string
	Visit   int64
	Begun   int64
	Since   int64
	Until   int64
	Results bool
}

// A FanClose names a fan-out whose rows go.
type FanClose struct {
	Token string
	Visit int64
	Begun int64
}

// FanItems loads rows of fan-outs whose tokens the transaction holds, those of one fan-out in the order of their indexes.
func (t *Tx) FanItems(want []FanWant) ([]FanItem, error) {
	if len(want) == 0 {
		return nil, nil
	}
	var rows []FanItem
	err := t.query(&rows, "fan_items", set{
		column(want, func(w *FanWant) string { return w.Token }), column(want, func(w *FanWant) int64 { return w.Visit }),
		column(want, func(w *FanWant) int64 { return w.Begun }), column(want, func(w *FanWant) int64 { return w.Since }),
		column(want, func(w *FanWant) int64 { return w.Until }), column(want, func(w *FanWant) bool { return w.Results })})
	return rows, err
}

func (t *Tx) writeFans(w *Writes) error {
	c, r := w.CloseFans, w.FanItems
	err := t.execAny("close_fans", set{
		column(c, func(f *FanClose) string { return f.Token }), column(c, func(f *FanClose) int64 { return f.Visit }),
		column(c, func(f *FanClose) int64 { return f.Begun })})
	if err != nil {
		return err
	}
	return t.execEach("save_fan_items", set{
		column(r, func(i *FanItem) string { return i.Token }), column(r, func(i *FanItem) int64 { return i.Visit }),
		column(r, func(i *FanItem) int64 { return i.Begun }), column(r, func(i *FanItem) int64 { return i.Index }),
		column(r, func(i *FanItem) bool { return i.Ended }), column(r, func(i *FanItem) string { return i.Body })})
}

// FanItems is described at Store.
func (d *db) FanItems(ctx context.Context, token string) ([]FanItem, int64, error) {
	var rows []struct {
		FanItem
		Version int64 `db:"version"`
	}
	if err := d.selectRows(ctx, &rows, d.sql["fan_items_of"], token); err != nil {
		return nil, 0, err
	}
	if len(rows) == 0 {
		return nil, 0, ErrNotFound
	}
	items := make([]FanItem, 0, len(rows))
	for i := range rows {
		if rows[i].Body != "" {
			items = append(items, rows[i].FanItem)
		}
	}
	return items, rows[0].Version, nil
}

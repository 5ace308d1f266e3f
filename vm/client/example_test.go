package client_test

import (
	"context"
	"errors"
	"fmt"

	"flowc/vm/client"
)

const orderFlow = `
event pay(reference: string)
task charge(amount: decimal, reference: string) -> (receipt: string)
  fails "declined" within 30s retry 2 backoff 1s

flow order(amount: decimal) -> (receipt: string?) {
  data {
    receipt: string?
  }
  initial waiting
  state waiting {
    timeout 1d
    on pay -> charging
    on timeout -> cancelled
  }
  state charging {
    timeout 1h
    do charge(amount: amount, reference: "card-1")
    on completed -> done {
      receipt = event.receipt
    }
    on error -> cancelled
    on timeout -> cancelled
  }
  final done
  final cancelled as cancelled
}
`

// A program that starts an order, does its work, and waits for its end.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	url, stop, err := listen(ctx, orderFlow) // in earnest: flowc run order.flow
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()

	c, err := client.New(client.Options{Server: url})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		err := c.Work(ctx, client.WorkerOptions{Tasks: []string{"charge"}}, charge)
		if err != nil {
			fmt.Println(err)
		}
	}()

	order, err := c.Start(ctx, "order", client.Start{Key: "A1", Input: map[string]any{"amount": 19.90}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.States)
	_, err = c.Send(ctx, "order:A1", client.Event{Name: "pay", Payload: map[string]any{"reference": "card-1"}})
	if errors.Is(err, client.EventRefused) {
		fmt.Println("too late:", err)
		return
	}
	end, err := c.Wait(ctx, order.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(end.Final, string(end.Result))
	// Output:
	// [waiting]
	// done {"receipt":"r-19.9"}
}

// charge books a payment. It may be called more than once for the same work, so the booking is named by the idempotency key.
func charge(_ context.Context, task client.Task) (client.Outcome, error) {
	var in struct{ Amount float64 }
	if err := task.Decode(&in); err != nil {
		return client.Outcome{}, err
	}
	if in.Amount > 1000 {
		return client.Outcome{}, client.Fail("declined", "%v is too much", in.Amount)
	}
	receipt := fmt.Sprintf("r-%v", in.Amount) // in earnest: bookOnce(task.IdempotencyKey, in.Amount)
	return client.Done(map[string]any{"receipt": receipt}), nil
}

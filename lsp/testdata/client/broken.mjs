// Texts as they are while somebody types: an example with one change, what has been typed so far, and the place of the cursor.

// The first text that is found is what the author has replaced by the second; | is the cursor.
const typed = {
  "quickstart.flow": [
    ["-> paid {", "-> pai|"],
    ["-> paid {", "-> |{"],
    ["-> paid {", "->|"],
    ["on cancel_order -> cancelled", "on | -> cancelled"],
    ["on cancel_order -> cancelled", "on cancel_ordr| -> cancelled"],
    ["on pay when event.reference", "on pay when event.|"],
    ["on pay when event.reference", "on pay when evnt|.reference"],
    ["timeout payment_window", "timeout |"],
    ["timeout payment_window", "timeout 20 s|"],
    ["timeout payment_window", "timeout 20|"],
    ["timeout payment_window", "timeout payment_windo|"],
    ["every 5s times 3 as reminder", "every 5s times | as reminder"],
    ["reminders = reminders + 1", "reminders = reminders +|"],
    ["reminders = reminders + 1", 'reminders = "|'],
    ["reminders = reminders + 1", "reminder|"],
    ["do charge(order_id: order_id,", "do charg|(order_id: order_id,"],
    ["do charge(order_id: order_id,", "do charge(|"],
    ["do charge(order_id: order_id, amount: amount,", "do charge(order_id: order_id, am|"],
    ['refuse "the payment of {order_id} is being booked"', 'refuse "the payment of {order_i|} is being booked"'],
    ['refuse "the payment of {order_id} is being booked"', 'refuse "the payment of {|'],
    ["  initial awaiting_payment", "  initial |"],
    ["  initial awaiting_payment", "  initial awaiting|"],
    ["state manual_review {", "state | {"],
    ["state manual_review {", "state manual_review |"],
    ["final cancelled as cancelled", "final cancelled as |"],
    ["final cancelled as cancelled", "final |"],
    ["reference: string = \"\"", "reference: strin| = \"\""],
    ["receipt: string?\n", "receipt: |\n"],
    ["event cancel_order(reason: string)", "event cancel_order(reason: |)"],
    ["event pay(reference: string)", "evnt| pay(reference: string)"],
    ["const payment_window = 20s", "const payment_window = |"],
    ["within 2m retry 2 backoff 1s", "within 2m retry 2 backof|"],
    ["flow quickstart(", "flow |("],
    ['test "paid and shipped" {', 'test "paid and shipped|'],
    ["expect reminders == 1", "expect reminder| == 1"],
    ["expect refused pay(", "expect refusd| pay("],
    ["advance 6s", "advance |"],
    ["send pay(", "send pa|("],
  ],
  "fulfilment.flow": [
    ['import "lib/goods.flow" as goods', 'import "lib/good|.flow" as goods'],
    ['import "lib/goods.flow" as goods', 'import "|'],
    ["on goods.collected", "on goods.|"],
    ["on goods.damaged", "on good|.damaged"],
    ["list<goods.item>", "list<|>"],
  ],
};

/** States gives every half-typed text, with its example, the whole text, and the cursor's place in lines that end with \n. */
export function* states(names, textOf) {
  for (const [name, changes] of Object.entries(typed)) {
    if (!names.includes(name)) throw new Error(`there is no ${name}`);
    const good = textOf(name);
    for (const [from, to] of changes) {
      const start = good.indexOf(from);
      if (start < 0) throw new Error(`${name} has no ${from}`);
      const broken = good.slice(0, start) + to.replace("|", "") + good.slice(start + from.length);
      const before = broken.slice(0, start + to.indexOf("|")).split("\n");
      yield { name, good, broken, position: { line: before.length - 1, character: before.at(-1).length } };
    }
  }
}

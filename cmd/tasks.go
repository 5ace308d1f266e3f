package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/engine"
)

func tasksCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "tasks",
		Category:  clients,
		Usage:     "list work, or complete, fail or retry it by hand",
		ArgsUsage: "[complete ID | fail ID | retry ID]",
		Description: `Without a verb it lists the work that is not over. With one it does what no worker did: complete with a --result, fail with
a --code, or retry, which offers the work again at once.

Example:
   flowc tasks --task charge
   flowc tasks complete 0198f… --result '{"receipt": "r-1"}'`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "task", Usage: "only work of this task"},
			&cli.StringFlag{Name: "status", Usage: "only offered, claimed, backoff, done, failed or withdrawn work; without it what is not over", Action: isOneOf("status", taskStatuses...)},
			&cli.StringFlag{Name: "token", Usage: "only work of this token, by its id"},
			&cli.StringFlag{Name: "result", Usage: "of complete: the task's results as `JSON`"},
			&cli.StringFlag{Name: "code", Usage: "of fail: the error's code"},
			&cli.StringFlag{Name: "message", Usage: "of fail: what happened"},
			limitFlag("at most `N` of the list"),
			&cli.StringFlag{Name: "cursor", Usage: "go on after a page"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, 2)
			if err != nil {
				return err
			}
			return runTasks(env, c, args)
		},
	}
}

func runTasks(env Env, c *cli.Context, args []string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return k.listTasks()
	}
	action := engine.TaskAction(args[0])
	if len(args) != 2 || action != engine.CompleteTask && action != engine.FailTask && action != engine.RetryTask {
		return usageError("write `tasks`, `tasks complete ID`, `tasks fail ID` or `tasks retry ID`")
	}
	body := map[string]any{"action": action}
	result, err := jsonFlag(env, c, "result")
	if err != nil {
		return err
	}
	if result != nil {
		body["result"] = json.RawMessage(result)
	}
	for _, flag := range []string{"code", "message"} {
		if c.IsSet(flag) {
			body[flag] = c.String(flag)
		}
	}
	if action == engine.FailTask && !c.IsSet("code") {
		return usageError("say with --code what the error is; the flow can catch it by that")
	}
	var answer engine.TaskAnswer
	printed, err := k.post("/v1/tasks/"+url.PathEscape(args[1])+"/operate", body, &answer)
	if err != nil || printed {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s  %s  %s\n", answer.Task, answer.Status, answer.Outcome)
	return err
}

// taskStatus shows that work cannot be claimed, and why.
func taskStatus(t engine.TaskView) string {
	switch {
	case t.TaskHeld:
		return t.Status + " (task held)"
	case t.Held:
		return t.Status + " (token paused)"
	}
	return t.Status
}

func (k *caller) listTasks() error {
	query := url.Values{}
	for _, flag := range []string{"task", "status", "token"} {
		if k.c.IsSet(flag) {
			query.Set(flag, k.c.String(flag))
		}
	}
	pageQuery(k.c, query)
	var list api.Page[engine.TaskView]
	printed, err := k.get("/v1/tasks", query, &list)
	if err != nil || printed {
		return err
	}
	err = k.table(func(w io.Writer) {
		fmt.Fprintln(w, "ID\tTASK\tSTATUS\tATTEMPT\tFLOW\tTOKEN\tWORKER\tOFFERED")
		for _, t := range list.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\n", t.ID, t.Task, taskStatus(t), t.Attempt, t.MaxAttempts, t.Flow, t.Token, text(t.Worker), stamp(&t.OfferedAt))
		}
	})
	k.more(list.Next)
	return err
}

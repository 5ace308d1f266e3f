//go:build unix

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"
)

// findBinaries returns the directory that holds initdb and postgres: that of
// the path, or the newest of those where Debian installs them.
func findBinaries() (string, error) {
	var places []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(initdb); err == nil {
			places = append(places, filepath.Dir(real))
		}
		places = append(places, filepath.Dir(initdb))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"} {
		// The pattern is a constant and well formed.
		found, _ := filepath.Glob(pattern)
		sort.Sort(sort.Reverse(sort.StringSlice(found)))
		places = append(places, found...)
	}
	for _, dir := range places {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errors.New("no Postgres is installed: no initdb and postgres on the path or in /usr/lib/postgresql/*/bin; " +
		"install it (Debian: apt-get install postgresql), or name a server in " + EnvURL)
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// account is the user that Postgres runs as. It refuses to run as root.
type account struct {
	uid, gid int
	change   bool // another user than that of the test
}

func chooseAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.Atoi(u.Uid)
		gid, errGID := strconv.Atoi(u.Gid)
		if err := errors.Join(errUID, errGID); err != nil {
			return account{}, fmt.Errorf("read the ids of user %s: %w", name, err)
		}
		return account{uid: uid, gid: gid, change: true}, nil
	}
	return account{}, errors.New("postgres does not run as root, and there is neither a user postgres nor nobody")
}

func (a account) own(path string) error {
	if !a.change {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give the cluster to user %d: %w", a.uid, err)
	}
	return nil
}

// attributes put a process into a group of its own, so that an interrupt from
// the keyboard reaches the tests and not the server that they still need.
func (a account) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if a.change {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attributes
}

// watcher waits for the end of its input, then stops the server that runs in
// the directory, and no other, and removes the directory. A number in a pid
// file may belong to another process by now; the working directory tells.
const watcher = `trap '' INT TERM HUP
cat >/dev/null
data="$1/data"
pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) || pid=
if [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd" 2>/dev/null || echo "$data")" = "$data" ]; then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ "$n" -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	kill -KILL "$pid" 2>/dev/null
fi
rm -rf "$1"
`

// startWatcher returns what keeps the watcher waiting. The system closes it
// when the process ends, in whatever way.
func startWatcher(dir string) (io.Closer, error) {
	cmd := exec.Command("/bin/sh", "-c", watcher, "sh", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the cluster's watcher: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the cluster's watcher: %w", err)
	}
	go func() { _ = cmd.Wait() }() // so that it does not stay as a zombie
	return input, nil
}

// killTree kills a postmaster and its children. The postmaster is halted first,
// so that it starts no child meanwhile.
func killTree(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	children := childrenOf(pid)
	err := syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range children {
		// One that has ended meanwhile is as good as killed.
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	return err
}

// childrenOf lists the children of a process where /proc tells them. Elsewhere
// they end by themselves soon after their parent.
func childrenOf(pid int) []int {
	// The pattern is a constant and well formed.
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var children []int
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // ended meanwhile
		}
		// pid (name) state ppid …, and the name may hold anything
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != strconv.Itoa(pid) {
			continue
		}
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			children = append(children, child)
		}
	}
	return children
}

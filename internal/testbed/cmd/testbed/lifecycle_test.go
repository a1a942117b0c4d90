// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/cluster"
)

// patience bounds each wait in this test; it is no figure of merit.
const patience = 2 * time.Minute

// bed runs the real command on a state folder of its own.
type bed struct {
	t        *testing.T
	program  string
	stateDir string
}

func (b bed) run(arguments ...string) (stdout string, err error) {
	b.t.Helper()
	command := exec.Command(b.program, append(arguments, "--state-dir", b.stateDir)...)
	command.Env = append(os.Environ(), "VOLCANO_BIN=")
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		return out.String(), errors.New(problems.String())
	}
	return out.String(), nil
}

func (b bed) status(arguments ...string) cluster.Status {
	b.t.Helper()
	out, err := b.run(append(arguments, "-o", "json")...)
	if err != nil {
		b.t.Fatalf("testbed %v: %v", arguments, err)
	}
	var status cluster.Status
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		b.t.Fatalf("testbed %v printed no JSON: %v\n%s", arguments, err, out)
	}
	return status
}

func pids(status cluster.Status) map[string]int {
	byName := map[string]int{}
	for _, process := range status.Processes {
		byName[process.Name] = process.PID
	}
	return byName
}

// TestLifecycle walks one testbed through its life. It builds what the cache of
// programs lacks; run testbed build first where the cache is empty.
func TestLifecycle(t *testing.T) {
	dir := t.TempDir()
	b := bed{t: t, program: filepath.Join(dir, "testbed"), stateDir: filepath.Join(dir, "state")}
	build := exec.Command("go", "build", "-trimpath", "-o", b.program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build testbed: %v\n%s", err, out)
	}
	t.Cleanup(func() { _, _ = b.run("down") })

	if _, err := b.run("status"); err == nil || !strings.Contains(err.Error(), "no testbed") {
		t.Errorf("status of nothing gives %v", err)
	}
	first := b.status("up", "--pool", "h100=2", "--pool", "cpu=1")
	if !first.Ready || len(first.Dead()) > 0 {
		t.Fatalf("the testbed is not whole: %+v", first)
	}

	second := b.status("up")
	for name, pid := range pids(first) {
		if pids(second)[name] != pid {
			t.Errorf("a second up restarted %s", name)
		}
	}

	t.Run("queues close and open", func(t *testing.T) { queuesCloseAndOpen(t, first.Kubeconfig) })

	victim := pids(first)["kube-scheduler"]
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "status to report the dead scheduler", func() bool {
		_, err := b.run("status")
		return err != nil && strings.Contains(err.Error(), "died: kube-scheduler") &&
			strings.Contains(err.Error(), filepath.Join("logs", "kube-scheduler.log"))
	})
	repaired := b.status("up")
	if pids(repaired)["kube-scheduler"] == victim || len(repaired.Dead()) > 0 {
		t.Errorf("up did not repair: %+v", repaired.Processes)
	}
	if pids(repaired)["kube-apiserver"] != pids(first)["kube-apiserver"] {
		t.Error("the repair restarted the API server")
	}

	if _, err := b.run("down"); err != nil {
		t.Fatal(err)
	}
	for name, pid := range pids(repaired) {
		if exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe"); err == nil {
			t.Errorf("%s still runs as process %d (%s)", name, pid, exe)
		}
	}
	if _, err := os.Stat(b.stateDir); !os.IsNotExist(err) {
		t.Errorf("the state folder is still there: %v", err)
	}
	if _, err := b.run("down"); err != nil {
		t.Errorf("a second down failed: %v", err)
	}
}

// queuesCloseAndOpen shows that the stand-in obeys commands as Volcano does.
func queuesCloseAndOpen(t *testing.T, kubeconfig string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	queues, groups := client.SchedulingV1beta1().Queues(), client.SchedulingV1beta1().PodGroups("default")
	for name, parent := range map[string]string{"research": "", "llm": "research"} {
		queue := &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1beta1.QueueSpec{Parent: parent}}
		if _, err := queues.Create(ctx, queue, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: "job"}, Spec: schedulingv1beta1.PodGroupSpec{Queue: "research"}}
	if _, err := groups.Create(ctx, group, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	is := func(name string, state schedulingv1beta1.QueueState) {
		t.Helper()
		waitUntil(t, name+" to be "+string(state), func() bool {
			queue, err := queues.Get(ctx, name, metav1.GetOptions{})
			return err == nil && queue.Status.State == state
		})
	}
	command := func(action busv1alpha1.Action) {
		t.Helper()
		target := metav1.OwnerReference{APIVersion: schedulingv1beta1.SchemeGroupVersion.String(), Kind: "Queue", Name: "research"}
		_, err := client.BusV1alpha1().Commands("default").Create(ctx, &busv1alpha1.Command{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "research-"}, Action: string(action), TargetObject: &target,
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}

	is("research", schedulingv1beta1.QueueStateOpen)
	is("llm", schedulingv1beta1.QueueStateOpen)
	command(busv1alpha1.CloseQueueAction)
	is("research", schedulingv1beta1.QueueStateClosing)
	is("llm", schedulingv1beta1.QueueStateClosed)
	if err := groups.Delete(ctx, "job", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	is("research", schedulingv1beta1.QueueStateClosed)
	command(busv1alpha1.OpenQueueAction)
	is("research", schedulingv1beta1.QueueStateOpen)
	is("llm", schedulingv1beta1.QueueStateOpen)
	left, err := client.BusV1alpha1().Commands("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(left.Items) > 0 {
		t.Errorf("%d commands were obeyed but not deleted", len(left.Items))
	}
}

func waitUntil(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		<-time.After(100 * time.Millisecond)
	}
}

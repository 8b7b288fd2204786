// Command control-plane is one binary with every part of a Kubernetes control plane, and kubectl; the first argument picks
// the part.
// `pki DIR` writes the keys and certificates that the others are started with.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // version metric
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: control-plane pki|etcd|kube-apiserver|kube-scheduler|kube-controller-manager|kubectl [flags]")
		os.Exit(2)
	}
	exitWithParent()
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)
	var command *cobra.Command
	switch name {
	case "pki":
		os.Exit(runPki())
	case "etcd":
		os.Exit(runEtcd())
	case "kubectl":
		runKubectl()
		return
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-scheduler":
		command = scheduler.NewSchedulerCommand()
	case "kube-controller-manager":
		command = kcm.NewControllerManagerCommand()
	default:
		fmt.Fprintf(os.Stderr, "unknown component %q\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}

// runKubectl is kubectl without its plug-ins: what users type is what the tests read with.
func runKubectl() {
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	flags := genericclioptions.NewConfigFlags(true)
	kubectl := cmd.NewKubectlCommand(cmd.KubectlOptions{Arguments: os.Args, ConfigFlags: flags, IOStreams: streams})
	if err := cli.RunNoErrOutput(kubectl); err != nil {
		util.CheckErr(err)
	}
}

// exitWithParent ends this process when the one that started it is gone: a test run that was killed leaves nothing behind.
func exitWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(1)
	}()
}

// runEtcd serves one etcd member from the config file named by its only argument.
func runEtcd() int {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: control-plane etcd CONFIG.yaml")
		return 2
	}
	cfg, err := embed.ConfigFromFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd config:", err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd start:", err)
		return 1
	}
	defer e.Close()
	select {
	case <-e.Server.ReadyNotify():
		fmt.Println("etcd ready")
	case <-time.After(60 * time.Second):
		fmt.Fprintln(os.Stderr, "etcd not ready after 60s")
		return 1
	case <-ctx.Done():
		return 0
	}
	select {
	case <-ctx.Done():
	case err := <-e.Err():
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

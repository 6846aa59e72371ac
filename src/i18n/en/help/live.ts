/** The pages of the commands that work with a running cluster: `status`, `csr`, `moves`. */
export const liveHelp = {
  status: {
    intro:
      '"upi-wizard status" shows how the cluster is: API, version, operators and what they wait for, the nodes against the design, and the certificate requests.',
    watch:
      '"--watch" repeats it until q or Ctrl-C: in place on a terminal, elsewhere as a new block (with "--json" a new line) when something changed.',
    clusterTitle: 'Which cluster',
    cluster:
      'status, csr and infra work with the install directory used last, with "--dir D", or with any cluster by "--design FILE --kubeconfig K"; infra needs no design. The moves of the load balancer need the install directory.',
    kubeconfigTitle: 'Kubeconfig',
    kubeconfig:
      'A kubeconfig is used as it is. A proxy-url in it (http, https or socks5) works. A kubeconfig that runs programs to log in (exec, auth-provider) or turns verification off is refused; there is no option that allows it.',
    jsonTitle: 'JSON',
    json: '"--json" prints one document. A value that is null is not available, because the API is down or does not have it yet. "stage" is the step that the installation is at:',
  },
  csr: {
    intro:
      'Each node asks for two certificates: one to join, and one to serve once it has joined. upi-wizard treats the network as hostile: it approves a request only when everything in it fits the design.',
    verdictsTitle: 'Verdicts',
    verdicts: {
      expected: 'The request fits the design. "csr approve --expected" approves it.',
      refused: 'The request does not fit the design, or the design cannot decide. The reason codes say why.',
      'not-ours': 'The request is not one of a node. upi-wizard leaves it alone.',
      decided: 'The request is approved or denied already, or it failed.',
      superseded: 'The same node sent a newer request.',
    },
    reasonsTitle: 'Reason codes of refused requests',
    manual: (codes: string) =>
      `You may approve a request whose only reasons are among ${codes}: name it in "csr approve NAME". A terminal then asks for the name of the node; without one, give "--yes NODE".`,
    followTitle: 'Following',
    follow:
      '"csr approve --follow" approves what is expected until every node has joined. "--background" does the same without end, as a job that outlives the terminal: for sites whose nodes come and go. The saved design is the list of nodes that may join; a log says what was approved and refused. "--stop" ends the job; "--forever" is the same in the foreground.',
  },
  moves: {
    intro:
      '"upi-wizard infra plan" shows what each move would change, "apply" makes the moves in this order, "verify" asks the cluster whether they are done ("--stable 5": and stay so for five minutes, with all operators healthy), and "undo" takes them back in reverse order. "--only A,B" names the moves that you mean. "apply" and "undo" ask first, or take "--yes". Nothing is written that was not shown: where a change has become another one since, "apply" shows it and asks again; with "--yes" it stops there. The plan says what restarts, what it costs in outage, what is known only later, what was looked at before each move (its operator, updates under way, pools, room on the infra nodes, storage class, disruption budgets), and who manages the fields that change. What GitOps (Argo CD, Flux, Red Hat ACM …) manages is asked about apart; "--yes" needs "--override-gitops" for it. "plan --out FILE" saves the plan, and "apply FILE" makes it, once: while the design and all that it changes are as they were; else it says what moved and who did it.',
    order:
      'The order avoids an outage: what runs on infra nodes tolerates the taint before it comes, and the load balancer has the infra nodes before the routers move.',
    cloudTitle: 'Clouds, and clusters without a design',
    cloud: [
      'With "--kubeconfig K" alone, infra proposes a design from the nodes that it finds: infra nodes are those with the label node-role.kubernetes.io/infra, or those that you name ("--infra-nodes A,B"); on a terminal it asks. The storage of the registry and the load balancer stay as they are. The record for undo lies beside the kubeconfig.',
      'Where a cloud makes the machines, "--infra-machines N" (infra.machineSets in a design) begins with the move machine-sets: an infra MachineSet in each zone, cloned from the worker set there, with the label and the taint of infra nodes, and with another size where "--machine-size" names one (m6i.2xlarge; on vSphere and Nutanix 8x32, CPUs x GiB). Sets for Windows, edge zones, graphics processors and spot machines are no example; ControlPlaneMachineSets are left alone; where the Cluster API is the authority, the move is blocked. The plan and the screens show a new set as what differs from the worker set of its zone; "upi-wizard rehearse --cloud aws" plays all of it on a simulated cloud.',
      'A set is made without machines, then scaled, and followed until its nodes are Ready; a machine that the cloud cannot make is shown with what the cloud says. With "--health-check", a MachineHealthCheck replaces infra machines that are not Ready for five minutes. Undo scales to 0, waits until the machines are gone, and deletes the set, once no pod on them needs infra nodes. It removes only sets that its record says were made here: without the record nobody knows that, so undo removes no MachineSet, autoscaler or health check, not even with "--to-defaults" (oc scale and oc delete do).',
    ],
    elasticTitle: 'Workers that come and go',
    elastic:
      'On a cloud the machine API makes workers, its approver (cluster-machine-approver) admits those that it made, and a ClusterAutoscaler with MachineAutoscalers sets how many there are: "--worker-machines 3-12" (infra.autoscaler in a design) makes them, within these limits for all zones together. On platform None no machine API knows who may join: there the design is that list, and "csr approve --background" admits who is on it and nobody else. OpenShift 3.11 had an approver in the cluster for that (openshift_master_bootstrap_auto_approve), which approved every request; ours compares each one with the design.',
    undoTitle: 'Undo',
    undo: [
      'Before a move writes to an object, it writes down what the object has in every field that it changes. "infra undo" gives exactly that back, in reverse order, from any machine that has the install directory. Without one, the file lies beside the design (site.yaml: site.infra-before.ndjson), or where "--journal FILE" says.',
      'What somebody else changed since is shown and stays, and the command answers no (exit 4): "--overwrite MOVE,MOVE" gives back what was there before all the same. Where nothing was written down, undo can only set the operators’ defaults, and does so with "--to-defaults", or when you say yes to it on a terminal.',
      'What stays: the volume claim of the registry and the images in it. If the registry was off before, it is off again, and its images are served again after the next "infra apply".',
    ],
    where: { cluster: 'Changes objects of the cluster.', files: 'Changes the files of the load balancers.' },
    needs: (moves: string) => `Comes after: ${moves}.`,
  },
};

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
      'Each node requests two certificates: one to join, and one to serve once it has joined. upi-wizard treats the network as hostile: it approves a request only when everything in it fits the design.',
    verdictsTitle: 'Verdicts',
    verdicts: {
      expected: 'The request fits the design. "csr approve --expected" approves it.',
      refused: 'The request does not fit the design, or the design cannot decide. The reason codes say why.',
      'not-ours': 'The request is not from a node. upi-wizard leaves it alone.',
      decided: 'The request is approved or denied already, or it failed.',
      superseded: 'The same node sent a newer request.',
    },
    reasonsTitle: 'Reason codes of refused requests',
    manual: (codes: string) =>
      `You may approve a request whose only reasons are among ${codes}: specify it in "csr approve NAME". On a terminal, it then asks for the name of the node; without one, use "--yes NODE".`,
    followTitle: 'Following',
    follow:
      '"csr approve --follow" approves what is expected until every node has joined. "--background" does the same without end, as a job that outlives the terminal: for sites with changing nodes. The saved design is the list of nodes that may join; a log says what was approved and refused. "--stop" ends the job; "--forever" is the same in the foreground.',
  },
  moves: {
    intro:
      '"upi-wizard infra plan" shows what each move would change, "apply" applies the moves in this order, "verify" checks whether they are done ("--stable 5": and stay so for five minutes, with all operators healthy), and "undo" reverts them in reverse order. "--only A,B" selects moves. "apply" and "undo" ask first, unless you use "--yes". Only changes that were shown are written: if a change differs by then, "apply" shows it and asks again; with "--yes" it stops there. The plan says what restarts, the outage, what is known only later, what was checked before each move (its operator, updates in progress, pools, capacity of the infra nodes, storage class, disruption budgets), and who manages the fields that change. Objects that GitOps (Argo CD, Flux, Red Hat ACM …) manages need a separate confirmation; "--yes" needs "--override-gitops" for them. "plan --out FILE" saves the plan, and "apply FILE" applies it, once, while the design and the objects are unchanged; else it reports what changed and who changed it.',
    order:
      'The order avoids an outage: pods on infra nodes tolerate the taint before it is set, and the load balancer has the infra nodes before the routers move.',
    cloudTitle: 'Clouds, and clusters without a design',
    cloud: [
      'With "--kubeconfig K" alone, infra proposes a design from the nodes that it finds: infra nodes are those with the label node-role.kubernetes.io/infra, or those that you specify ("--infra-nodes A,B"); on a terminal it asks. The storage of the registry and the load balancer stay as they are. The record for undo is beside the kubeconfig.',
      'If a cloud provides the machines, "--infra-machines N" (infra.machineSets in a design) begins with the move machine-sets: an infra MachineSet in each zone, cloned from the worker set there, with the label and the taint of infra nodes, and with another size if "--machine-size" sets one (m6i.2xlarge; on vSphere and Nutanix 8x32, CPUs x GiB). Sets for Windows, edge zones, GPUs and spot machines are not cloned; ControlPlaneMachineSets are left alone; if the Cluster API is the authority, the move is blocked. The plan and the screens show a new set by its differences from the worker set of its zone; "upi-wizard rehearse --cloud aws" plays all of it on a simulated cloud.',
      'A set is created without machines, then scaled, and followed until its nodes are Ready; a machine that the cloud cannot create is shown with the cloud’s message. With "--health-check", a MachineHealthCheck replaces infra machines that are not Ready for five minutes. Undo scales to 0, waits until the machines are gone, and deletes the set, once no pod on them needs infra nodes. It removes only sets that were created here according to its record: without the record, undo removes no MachineSet, autoscaler or health check, not even with "--to-defaults" (oc scale and oc delete do).',
    ],
    elasticTitle: 'Autoscaling of workers',
    elastic:
      'On a cloud the Machine API creates workers, its approver (cluster-machine-approver) admits them, and a ClusterAutoscaler with MachineAutoscalers sets their number: "--worker-machines 3-12" (infra.autoscaler in a design) creates these, with the limits for all zones together. On platform None, no Machine API decides which nodes may join: there the design is the list of nodes, and "csr approve --background" admits only the nodes on it. OpenShift 3.11 had an approver in the cluster for that (openshift_master_bootstrap_auto_approve), which approved every request; ours compares each one with the design.',
    undoTitle: 'Undo',
    undo: [
      'Before a move writes to an object, it records the value of every field that it changes. "infra undo" restores exactly these values, in reverse order, from any machine that has the install directory. Without one, the file is beside the design (site.yaml: site.infra-before.ndjson), or at the path given with "--journal FILE".',
      'Fields that others changed since then are shown and stay, and the exit code is 4: "--overwrite MOVE,MOVE" restores them all the same. If nothing was recorded, undo can only set the operators’ defaults, with "--to-defaults" or after your confirmation on a terminal.',
      'Not removed: the volume claim of the registry and the images in it. If the registry was off before, it is off again, and its images are served again after the next "infra apply".',
    ],
    where: { cluster: 'Changes objects of the cluster.', files: 'Changes the files of the load balancers.' },
    needs: (moves: string) => `Comes after: ${moves}.`,
  },
};

import { SHORTCUTS } from '../../shortcuts.ts';

/** Text of the bootstrap and bootstrap removal steps. */
export const bootstrapWords = {
  bootstrap: {
    needed: 'the wait for the bootstrap has not started',
    /** The machines are on, and the wait has not started. */
    runsUnwatched: 'the bootstrap goes on; openshift-install does not watch it yet',
    start: 'openshift-install wait-for bootstrap-complete',
    startEffect: 'runs in the background until the bootstrap is complete',
    done: 'the control plane runs on its own: remove the bootstrap node',
    doneAndRemoved: 'the control plane runs on its own, and the bootstrap node is out of the load balancer',
    doneAndInPool: (balancers: string) =>
      `the control plane runs on its own, but the bootstrap node is still in the pools of ${balancers}`,
    doneAndUnproven:
      'the control plane runs on its own; Removal checks whether the bootstrap node is out of the load balancer',
    /** `summary`: the sentence about a complete bootstrap; `time`: a time of day. */
    doneLater: (summary: string, time: string) =>
      `openshift-install gave up at ${time}, and the control plane finished later; ${summary}`,
    waiting: (stage: string) => `now: ${stage}`,
    /** `since` is a time of day. */
    stuck: (stage: string, since: string) => `stuck since ${since}: ${stage}`,
    progressing: 'still progressing',
    usually: (minimum: number, maximum: number) =>
      minimum === 0 ? `up to ${maximum} min` : `${minimum}–${maximum} min`,
    stages: {
      'release-image': 'Bootstrap node pulls the release image',
      bootkube: 'bootkube renders files, starts etcd',
      'bootstrap-up': 'Bootstrap node serves the first API',
      api: 'API answers through the load balancer',
      'machine-config': 'Machine Config Server answers',
      joined: 'Control plane nodes join',
      'control-plane': 'Control plane nodes become Ready',
      serving: 'Control plane nodes serve the API',
      complete: 'Bootstrap completes',
      etcd: 'etcd removes the bootstrap member',
    },
    meaning: {
      'release-image':
        'release-image.service pulls the release image, which references all other images of the release, with the pull secret.',
      bootkube:
        'Each operator renders its manifests into files, from which the kubelet starts etcd and the temporary API as static pods.',
      'bootstrap-up':
        'It writes its disk, reboots, pulls the release image, and starts etcd and a temporary API as static pods. Refused connections are normal until then.',
      api: 'The load balancer forwards port 6443 to the bootstrap node. If the node answers and the load balancer does not, the bootstrap node is missing from its pool.',
      'machine-config':
        'Control plane nodes fetch their configuration from api-int port 22623. "EOF" or "refused" on their consoles is normal until it answers here.',
      joined:
        'They fetch their configuration, change to the operating system of the release, and reboot; then their kubelets register with the temporary API.',
      'control-plane':
        'The network operator starts its pods on them; then they are Ready, and etcd grows member by member.',
      serving:
        'Each starts its own etcd member and API server as static pods. "DOWN" in the load balancer is normal until then.',
      complete:
        'The bootstrap applies the manifests of all operators, lets the control plane take over, and writes "complete" into kube-system/bootstrap.',
      etcd: 'The etcd operator removes the bootstrap member. Removing it earlier could cost etcd its quorum.',
    },
    /** In place of the meaning of a stage after its usual time. */
    late: `It takes longer than usual: ${SHORTCUTS.diagnose} looks for the cause.`,
    /** Replacements for a single node that bootstraps itself in place. */
    inPlace: {
      done: 'the node runs the cluster on its own',
      stages: {
        'release-image': 'The node pulls the release image',
        bootkube: 'bootkube renders files, starts etcd',
        'bootstrap-up': 'The node runs its bootstrap',
        api: 'API answers on the node',
        'machine-config': 'Machine configuration on the node',
        joined: 'The node joins',
        'control-plane': 'The node joins and is Ready',
        serving: 'The node serves the API itself',
        complete: 'Bootstrap completes',
        etcd: 'etcd removes the bootstrap member',
      },
      meaning: {
        'release-image':
          'release-image.service pulls the release image, which references all other images of the release.',
        bootkube: 'Each operator renders its manifests; from those the kubelet starts etcd and the API.',
        'bootstrap-up': 'The bootstrap runs in the live system, from memory.',
        api: 'The bootstrap runs in the live system first. Then the node writes its disk and restarts: the API is down for some minutes, once.',
        'machine-config':
          'The node fetches its configuration from the Machine Config Server that runs on the node itself.',
        joined: 'The node has started from its disk.',
        'control-plane': 'The node has started from its disk. A service on the node approves its requests.',
        serving: 'The API server runs as a static pod on the node.',
        complete: 'The operators move from the temporary control plane to the real one.',
        etcd: 'etcd continues with its only member.',
      },
    },
    evidence: {
      states: {
        open: 'open',
        refused: 'refused',
        timeout: 'no answer',
        unreachable: 'unreachable',
        unsent: 'not sent: this machine has no route there',
        'closed-at-once': 'accepts and closes (no member is up)',
      },
      port: (host: string, port: number, state: string) => `${host}:${port} ${state}`,
      readyz: (failing: string) => (failing === '' ? '/readyz ok' : `/readyz not ok: ${failing}`),
      readyzUnknown: '/readyz not checked',
      joined: (joined: number, planned: number, missing: string) =>
        `${joined} of ${planned} joined${missing === '' ? '' : `; not yet: ${missing}`}`,
      ready: (ready: number, planned: number, missing: string) =>
        `${ready} of ${planned} Ready${missing === '' ? '' : `; not yet: ${missing}`}`,
      configMap: (status: string | null) =>
        `kube-system/bootstrap: ${status === null ? 'not readable now' : status === 'absent' ? 'not created yet' : status}`,
      etcd: (isRemoved: boolean | null) =>
        `EtcdBootstrapMemberRemoved: ${isRemoved === null ? 'not reported' : isRemoved ? 'True' : 'False'}`,
    },
    /** State of the services on the bootstrap node, read over SSH. */
    bootstrapNode: {
      notStarted: 'not started yet',
      states: {
        running: (stage: string | null, finished: number) =>
          `${stage === null ? 'running' : `in stage ${stage}`}${finished > 0 ? `, ${finished} done` : ''}`,
        succeeded: () => 'done',
        failed: (stage: string | null) => `failed${stage === null ? '' : ` in stage ${stage}`}`,
      },
      starts: (count: number) => `started ${count} times`,
      error: (text: string) => `last error: ${text}`,
      noMachine: 'the design has no bootstrap node',
      timeout: (seconds: number) => `the login worked, but the node did not answer within ${seconds} s`,
      noKey: (file: string) => `there is no private key beside ${file === '' ? 'the SSH key of the design' : file}`,
      noProgram: 'ssh is not installed here',
      noLogin: (reason: string) =>
        `The stages inside the bootstrap node are not visible; nothing else is affected. SSH as core: ${reason}`,
      hostKeyChanged: (file: string) =>
        `its host key has changed since the last login. If you reinstalled it, delete ${file}; if not, another machine has its address.`,
      loginWorks: 'SSH to the bootstrap node works: its stages are shown.',
    },
  },
  removal: {
    nothing: 'nothing to remove: a single node is its own bootstrap',
    needed: 'the bootstrap node is still in the load balancer',
    checkingBootstrap: 'checking once more that the control plane runs without the bootstrap node',
    balancer: (host: string, position: number, count: number) => `load balancer ${position} of ${count}: ${host}`,
    noUndo:
      'Removal is not undone: the bootstrap node has ended its API, so the load balancer must not send requests there again.',
    done: 'the bootstrap node is out of the load balancer, and the API answers without it',
    powerOff: (name: string) => `you can power off ${name} and reuse it`,
    verifyFailed: 'the load balancer does not answer without the bootstrap node',
    doneNotPoweredOff: (name: string) =>
      `the load balancer confirms that the bootstrap node is removed; you can power off ${name} and reuse it`,
    unconfirmed: (name: string) =>
      `the load balancer does not show its pools: power off ${name}; if the API still answers, the bootstrap node is no longer in the pools`,
    member: (name: string, isIn: boolean | null) =>
      isIn === null
        ? `${name}: does not show its pools`
        : `${name}: ${isIn ? 'the bootstrap node is in its pools' : 'the bootstrap node is in no pool'}`,
    up: (names: string) => `  up: ${names}`,
    down: (names: string) => `  down: ${names}`,
    overSsh: {
      key: 'apply over SSH',
      question: (hosts: string) => `Copy the new files to ${hosts} over SSH and run install.sh there as root?`,
      details: [
        'ssh runs as you, with your keys; if you are not root there, you need sudo without a password.',
        'install.sh checks the new file with haproxy, reloads it without dropping connections, and restores the old file if that fails.',
      ],
      running: (host: string) => `running install.sh on ${host}`,
      failed: (host: string, code: number) => `install.sh failed on ${host} (exit code ${code})`,
      noOutput: 'no output',
      failedFix: (host: string, address: string) =>
        `The previous files are back in place. If sudo requires a password, run install.sh yourself: \`ssh -t ${address} sudo bash upi-wizard/${host}/root/upi-wizard/install.sh\``,
    },
  },
};

import type { Trouble } from '../trouble.ts';

/** Words about the generated files and about writing them. */
export const artifacts = {
  unsafeText: (quoted: string): Trouble => ({
    code: 'unsafe-text',
    title: 'A value of the design cannot be written into a configuration file',
    cause: `${quoted} has characters that mean something else in the files it goes to.`,
    whatToDo: 'Change that value in the design: letters, digits and . : / @ % + = , * ( ) [ ] ~ ? _ - are safe.',
  }),
  credentialMissing: (what: 'pull-secret' | 'ssh-key' | 'trust-bundle', file: string | null): Trouble => ({
    code: 'credential-missing',
    title: `${CREDENTIAL[what].title} is missing`,
    cause: file
      ? `${file} cannot be read, and install-config.yaml cannot be written without it.`
      : `The design names no ${CREDENTIAL[what].key}, and install-config.yaml cannot be written without it.`,
    whatToDo: `${CREDENTIAL[what].remedy} Then ${file ? `put it at ${file}` : `name it in ${CREDENTIAL[what].key}`} and generate again.`,
  }),
  pullSecretWrong: (file: string | null): Trouble => ({
    code: 'credential-wrong',
    title: 'The pull secret is not what it should be',
    cause: `${file ?? 'It'} is not a JSON object with the key "auths".`,
    whatToDo: 'Download it again from console.redhat.com/openshift/install/pull-secret and do not edit it.',
  }),
  sshKeyWrong: (file: string | null): Trouble => ({
    code: 'credential-wrong',
    title: 'The SSH key is not a public key',
    cause: `${file ?? 'It'} is not one line that begins with the type of a public key (ssh-ed25519, ssh-rsa, ecdsa-…).`,
    whatToDo: 'Name the public half of the key: the file that ends in .pub.',
  }),
  imagesUnreadable: (what: string): Trouble => ({
    code: 'images-unreadable',
    title: 'The list of RHCOS images cannot be read',
    cause: what,
    whatToDo: 'Run "openshift-install coreos print-stream-json" by hand and see what it prints.',
  }),
  outsideOutput: (file: string): Trouble => ({
    code: 'output-unsafe',
    title: 'A file would be written outside the output directory',
    cause: `${file} leads through a symbolic link or out of the directory.`,
    whatToDo: 'Remove the link, or choose another output directory.',
  }),
  manifestUnreadable: (file: string): Trouble => ({
    code: 'output-manifest-unreadable',
    title: 'The list of what was generated before cannot be read',
    cause: `${file} is not a files.json of upi-wizard.`,
    whatToDo: 'Restore the file, or generate into an empty directory.',
  }),
  /** Reasons of openings and rows of the port matrix: only what a generated file may hold, see render.ts. */
  openings: {
    everybody: 'everybody',
    nodes: 'every node',
    operators: 'administrators',
    balancers: 'the other load balancers',
    dns: 'DNS, forward and reverse',
    dhcp: 'DHCP, clients have no address yet',
    tftp: 'TFTP, the boot program',
    http: 'HTTP, boot files and ignition (secrets)',
    api: 'Kubernetes API',
    machineConfig: 'machine configurations (secrets)',
    https: 'routes of applications, the console',
    http80: 'routes of applications',
    stats: 'status page of HAProxy',
    vrrp: 'VRRP, which load balancer has the addresses',
    time: 'NTP, the time',
  },
  /** Rows of the port matrix; no bar, which would end a cell. */
  flows: {
    everyNode: 'every node',
    controlPlane: 'control plane',
    bootstrap: 'bootstrap',
    apiNodes: 'control plane, bootstrap',
    bastion: 'bastion',
    api: 'API',
    ingress: 'routes',
    loadBalancer: 'load balancer',
    nameServer: 'name server',
    dhcpServer: 'DHCP server',
    dhcpRelay: (cidr: string) => `DHCP relay of ${cidr}`,
    timeServer: 'time server',
    internet: 'the internet',
    proxy: 'proxy',
    mirror: 'mirror registry',
    why: {
      icmp: 'tests whether nodes reach each other',
      router: 'health and metrics of routers',
      hostServices: 'services of the nodes, metrics',
      kubelet: 'kubelet and other parts of Kubernetes',
      overlay: (type: string) => `network of pods, ${type}`,
      ipsec: 'IPsec, where it is switched on',
      nodePorts: 'node ports',
      etcd: 'etcd',
      balancedApi: 'Kubernetes API, from the load balancer',
      balancedMachineConfig: 'machine configurations, from the load balancer',
      balancedRoutes: 'routes of applications, from the load balancer',
      dhcpAnswer: 'DHCP, answers',
      dhcpRelay: 'DHCP, the server is in another network: the router there has to relay',
      time: 'NTP, certificates need the time',
      administration: 'administration',
      downloads: 'installer, clients and images to boot from',
      ssh: 'administration, logs of a failed installation',
      bootstrapSsh: 'logs of a failed installation, through bootstrap',
      forward: 'names outside the cluster',
      images: 'images of the release (quay.io, registry.redhat.io), telemetry',
      outside: 'what the mirrors do not have, telemetry',
    },
  },
  /** Comments of infra.yaml. */
  infra: {
    head: (file: string) =>
      ` The infra moves of the design in one file, to be reviewed: what the wizard and "upi-wizard infra apply" set, in their order.
 They also wait for each rollout and check where the pods run; this file does not. To apply it by hand:

   1. the files of stage infra-added on the load balancers: infra nodes join ports 80 and 443 before the routers come
   2. oc diff --server-side --force-conflicts -f ${file}
   3. oc apply --server-side --force-conflicts -f ${file}
   4. when all routers run on infra nodes: the files of stage infra-only on the load balancers`,
    label: ' The role. The label worker stays.',
    pool: ' The pool: the configuration of the pool worker, and what is for infra only. No node restarts for it.',
    unlabel: (names: string) =>
      ` Then the role worker goes, which no manifest can say:\n   oc label node ${names} node-role.kubernetes.io/worker-`,
    dns: ' DNS pods stay on the nodes when the taint comes.',
    router: ' The routers: placement and number in one change, for one rollout.',
    claim: ' What the registry stores images in. Without a storageClassName: the default class of the cluster.',
    emptyDir: ' The registry in an emptyDir: its images are lost when the pod moves.',
    registry: ' The registry. Where it has another storage already, that has to be taken out by hand.',
    pruner: ' The job that removes old images.',
    monitoring: (version: string) =>
      ` The components that OpenShift ${version} knows; a key too many makes the operator degraded. A ConfigMap that is there\n already is replaced: merge by hand, or let the wizard do it.`,
    taint: ' Last, when everything above tolerates it. The list replaces other taints of these nodes.',
  },
  selinux: {
    web: 'what nodes fetch over HTTP',
    tftp: 'what nodes fetch over TFTP',
  },
  cli: {
    usage:
      'Usage: upi-wizard generate FILE --out DIR [--stage install|bootstrap-removed|infra-added|infra-only] [--force] [--json]\n',
    wrong: (why: string) => `upi-wizard generate: ${why.replace(/\.?$/, '.')}`,
    noFile: 'name the design FILE',
    oneFile: (other: string) => `one design FILE at a time; "${other}" is one too many`,
    noOut: 'name the directory for the files with --out DIR',
    noStage: (stage: string, known: string) => `there is no stage "${stage}"; there are ${known}`,
    unreadable: (file: string, why: string) => `${file} cannot be read: ${why}\n`,
    trouble: ({ title, cause, whatToDo }: Trouble) => `${title}\n  ${cause}\n  ${whatToDo}\n`,
    designErrors: (count: number) =>
      `The design has ${count} ${count === 1 ? 'error' : 'errors'}; nothing was written.\n`,
    edited: (file: string) => `${file} was changed since it was generated.\n`,
    unwritable: (dir: string, why: string) => `${dir} cannot be written: ${why}\n`,
    saved: (file: string, as: string) => `${file} was changed by hand; that version is now ${as}.\n`,
    stopped: 'Nothing was written. --force overwrites, and keeps what was there as <file>.<n>.orig.\n',
    kept: (file: string) => `${file} no longer belongs to the design, but was changed by hand; it was left in place.\n`,
    summary: (dir: string, stage: string, total: number, written: number, removed: number) =>
      `${dir}: ${total} files for stage ${stage}; ${written} written, ${removed} removed, the rest unchanged.\n`,
    mirrorNames:
      'No openshift-install on PATH tells the image names, so the boot scripts use those of mirror.openshift.com.\n',
  },
};

const CREDENTIAL = {
  'pull-secret': {
    title: 'The pull secret',
    key: 'credentials.pullSecretFile',
    remedy: 'Download it from console.redhat.com/openshift/install/pull-secret.',
  },
  'ssh-key': {
    title: 'The SSH public key',
    key: 'credentials.sshKeyFile',
    remedy: 'Make a pair with "ssh-keygen -t ed25519".',
  },
  'trust-bundle': {
    title: 'The additional trust bundle',
    key: 'additionalTrustBundleFile',
    remedy: 'Get the certificate of the authority as PEM.',
  },
};

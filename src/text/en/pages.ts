/** The words of the design pages: per field its label, the short "Why" beside it and the longer help behind Ctrl-G. */
export interface FieldWords {
  readonly label: string;
  readonly why: string;
  readonly help: string;
}

const field = (label: string, why: string, help = ''): FieldWords => ({ label, why, help });

export const pages = {
  cluster: {
    title: 'Cluster',
    intro: 'What is installed, and what it is called.',
    version: field(
      'OpenShift version',
      'Decides names, kernel arguments and settings of everything generated. Use the version of your openshift-install.',
      'Give the minor version (4.18) or a full one (4.18.11). "openshift-install version" prints the one you downloaded; the two must match, because image names, boot arguments and keys of install-config differ between versions.',
    ),
    architecture: field(
      'Architecture',
      'The processor of the nodes. All nodes of this installation have the same one.',
    ),
    topology: field(
      'Topology',
      'standard: 3 control plane nodes and separate compute nodes. compact: 3 nodes that do both. single-node: one machine.',
      'Standard is what production sites use and what infra nodes need. Compact suits small or edge sites: applications run on the control plane nodes, and routers too, so the load balancer sends web traffic there. Single-node has no bootstrap machine and needs no load balancer.',
    ),
    name: field(
      'Cluster name',
      'Becomes part of every name of the cluster. It cannot be changed after the installation.',
      'Lower-case letters, digits and hyphens. With the base domain it makes the cluster domain: ocp45 and example.localdomain give api.ocp45.example.localdomain, and *.apps.ocp45.example.localdomain for applications.',
    ),
    baseDomain: field(
      'Base domain',
      'The domain that the cluster lives in. The name server made here answers for it.',
      'Use a domain that is yours. The last part must not be a number (the authentication operator would never become available), and .local collides with multicast DNS. The generated name server owns this whole zone.',
    ),
    fips: field(
      'FIPS mode',
      'Only when your organisation demands it. It cannot be changed later, and the installer must run on a FIPS machine.',
    ),
  },
  networks: {
    title: 'Networks',
    intro: 'Three networks that must not overlap each other, nor any network you already use.',
    machine: field(
      'Machine network',
      'The network that the nodes, the bastion and the load balancer are on.',
      'Every node address must be inside it. It exists outside the cluster: routers and firewalls know it. The company side needs a route back to it, or packets get out and the answers never return.',
    ),
    gateway: field('Gateway', 'The router of the machine network. DHCP tells it to the nodes.'),
    cluster: field(
      'Cluster network',
      'Pods get addresses from the cluster network. Nothing outside the cluster routes to it, so keep the default unless it overlaps a network you use.',
    ),
    hostPrefix: field(
      'Host prefix',
      'How much of the cluster network each node gets: 23 gives every node 512 addresses, enough for 500 pods.',
    ),
    service: field(
      'Service network',
      'Services get addresses from it. It exists only inside the cluster: keep the default unless it overlaps.',
    ),
    company: field(
      'Company networks',
      'Networks that you already use, separated by commas. They are only compared: an overlap would make them unreachable from the cluster.',
    ),
    router: field(
      'Company router',
      "The router's address on the company side, for the return route to the machine network. May be left empty.",
    ),
    api: field(
      'API address',
      'Where people and tools reach the Kubernetes API (port 6443). The load balancer listens here.',
      "The name api.<cluster>.<domain> points to this address. It may be the load balancer's own address, or one of its own that keepalived puts there.",
    ),
    apiInt: field(
      'Internal API',
      'Where the nodes reach the API and, on port 22623, their configuration. Keep it off the outside: 22623 hands out secrets.',
    ),
    ingress: field(
      'Ingress address',
      'Where *.apps points: web traffic for the console and applications (ports 80 and 443). May be the API address.',
    ),
  },
  nodes: {
    title: 'Nodes and sizing',
    intro: 'Every machine: its name, address, network card and size.',
    columns: {
      name: 'Name',
      role: 'Role',
      ip: 'Address',
      mac: 'MAC',
      vcpu: 'vCPU',
      memory: 'GiB',
      disk: 'Disk',
      installDisk: 'Install disk',
    },
    pasteHelp:
      'A table can be pasted here, from a spreadsheet or a file: one node a line with name, role, address and MAC, in any order, with tabs, commas or blanks between them. What it would change is shown first. Where the terminal turns a paste into keys, press p before it; i reads a file.',
    moreKeys: 'f fill down   s sort   c duplicate   i import a file   p paste lines',
    infraAdvice: (workers: number, vcpu: number, memory: number) =>
      `With ${workers} worker nodes (infra nodes are workers too) each infra node should have ${vcpu} vCPU and ${memory} GiB at least: router, registry and monitoring run there, and Prometheus grows with the cluster.`,
    why: 'The MAC address ties a machine to its address and role: one wrong digit, and that machine never boots. Names become <name>.<cluster>.<domain>.',
    edit: {
      name: field('Name', 'One short label, not the full name: m1, not m1.ocp45.example.localdomain.'),
      role: field(
        'Role',
        'bootstrap is temporary. infra nodes are compute nodes that only carry the router, registry and monitoring.',
      ),
      ip: field('Address', 'Inside the machine network. For two families, IPv4 and IPv6 separated by a comma.'),
      mac: field('MAC address', 'Of the network card that the machine boots from. The hypervisor or the BMC shows it.'),
      vcpu: field('vCPU', 'Threads that the machine has.'),
      memoryGiB: field(
        'Memory (GiB)',
        'Control plane at least 16, compute at least 8. Below that the installation stalls without saying why.',
      ),
      diskGiB: field('Disk (GiB)', 'At least 100.'),
      installDisk: field(
        'Install disk',
        'The device that is overwritten: /dev/sda, /dev/vda or /dev/nvme0n1. A wrong name leaves the machine in a boot loop.',
      ),
    },
    editing: (name: string) => `Edit ${name}`,
    adding: 'Add a node',
  },
  services: {
    title: 'Services',
    intro: 'What the nodes rely on before there is a cluster.',
    bastionName: field('Bastion name', 'The machine you are on. It serves the boot files, and you run oc from it.'),
    bastionIp: field('Bastion address', 'On the machine network. Boot scripts use this address, never a name.'),
    bastionOs: field('Bastion system', 'Decides package names, paths and the DHCP server (RHEL 10 has only Kea).'),
    dnsKind: field('DNS', 'bind: a name server is set up for you. external: you enter the records in your own.'),
    dnsName: field('Name server', 'Its short name; the full name is <name>.<base domain>.'),
    dnsIp: field('Name server address', 'The nodes ask this server for every name.'),
    forwarders: field(
      'Forwarders',
      'Who is asked for names outside the base domain, such as quay.io. Separated by commas.',
    ),
    dhcpKind: field(
      'DHCP',
      'Gives each node its fixed address and name, and tells it what to boot. none: addresses go into the boot arguments.',
    ),
    dhcpServer: field('DHCP server', 'The name of the service host that runs it.'),
    lbKind: field('Load balancer', 'haproxy: set up for you. external: you configure your own from the notes.'),
    lbName: field('Load balancer name', 'Its short name; the full name is <name>.<base domain>.'),
    lbIp: field(
      'Load balancer address',
      'Its own address. The API and ingress addresses may be this one, or are added to it.',
    ),
    bootKind: field(
      'Boot',
      'ipxe: from the network, nothing to do at the console. iso: you attach a disc image to every machine.',
    ),
    httpPort: field('Boot server port', 'The bastion serves boot files over HTTP on this port.'),
    time: field(
      'Time servers',
      'All machines must agree on the time, or certificates are refused. Separated by commas.',
    ),
    registryStorage: field(
      'Registry storage',
      'pvc: a volume from your storage. emptyDir: lost when the pod moves, for trials only. none: the registry stays off.',
    ),
    storageClass: field('Storage class', "For the registry's volume. Leave empty for the cluster's default."),
  },
  credentials: {
    title: 'Credentials',
    intro: 'Two files. They are read when they are needed; only their paths are saved.',
    pullSecretFile: field(
      'Pull secret file',
      'Lets the nodes download OpenShift. Get it from console.redhat.com/openshift/install/pull-secret.',
      'Log in with your Red Hat account, choose "Download pull secret" and copy the file to this machine. It is a password: keep it readable for you only (chmod 600). It goes into install-config.yaml and nowhere else. A relative path is relative to the install directory.',
    ),
    sshKeyFile: field(
      'SSH public key file',
      'Lets you log in to the nodes as "core" when something goes wrong. The .pub file, never the private one.',
      'No key yet? Run: ssh-keygen -t ed25519 -N "" -f ~/.ssh/id_ed25519 (in FIPS mode: -t ecdsa -b 521), then give ~/.ssh/id_ed25519.pub here.',
    ),
    state: {
      ok: 'read, looks right',
      missing: 'not there yet: needed when files are generated',
      wrong: 'there, but wrong',
    },
  },
  review: { title: 'Review', intro: 'The whole design. What is generated from here on follows from it.' },
  topology: {
    replaced: (topology: string, count: number) =>
      `The nodes, addresses and services are now those of the ${topology} example (${count === 1 ? '1 node' : `${count} nodes`}). What you change in them stays.`,
    kept: (topology: string, count: number) =>
      `Your ${count === 1 ? 'node stays as it is' : `${count} nodes stay as they are`}: make them fit ${topology} on the page Nodes.`,
  },
  isChosen: 'This answer is chosen, not typed: Right and Left change it.',
  missing: 'An answer is missing here.',
  pasteFirstLine: (left: number) =>
    `Only the first line was pasted: there is room for one value. ${left === 1 ? '1 line was' : `${left} lines were`} left out.`,
  pasteTooLong: (limit: number) => `Only the first ${limit} characters were pasted: no answer is longer.`,
  empty: '(empty)',
  pageHasErrors: (count: number) =>
    count === 1 ? 'One answer needs a fix first.' : `${count} answers need a fix first.`,
  designHasErrors: (count: number) =>
    count === 1
      ? 'One problem has to be fixed before files can be generated.'
      : `${count} problems have to be fixed before files can be generated.`,
} as const;

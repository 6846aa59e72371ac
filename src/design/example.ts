import { DEFAULT_NODE_SIZES, TOPOLOGIES, type Topology } from './choices.ts';
import { isOkd } from './versions.ts';

// The names, addresses and MACs are those of the procedure that this wizard automates.
const MAC_PREFIX = '00:50:56:96';
const NODES = [
  ['bs', 'bootstrap', 11, '11:c2'],
  ['m1', 'control-plane', 21, '37:c8'],
  ['m2', 'control-plane', 22, 'ec:a7'],
  ['m3', 'control-plane', 23, 'e5:2f'],
  ['a1', 'arbiter', 24, 'a1:24'],
  ['w1', 'compute', 31, '6b:da'],
  ['w2', 'compute', 32, 'c1:c5'],
  ['w3', 'compute', 33, 'e3:f5'],
  ['i1', 'infra', 41, '4d:01'],
  ['i2', 'infra', 42, '4d:02'],
  ['i3', 'infra', 43, '4d:03'],
] as const;

/**
 * The nodes of each topology, and the size of its control plane nodes: larger where they run more roles; null for the
 * default size.
 */
const TOPOLOGY_NODES: Record<Topology, { namePattern: RegExp; size: { vcpu: number; memoryGiB: number } | null }> = {
  standard: { namePattern: /^(?:bs|[mwi]\d)$/, size: null },
  compact: { namePattern: /^(?:bs|m\d)$/, size: { vcpu: 8, memoryGiB: 32 } },
  arbiter: { namePattern: /^(?:bs|m[12]|a1)$/, size: { vcpu: 8, memoryGiB: 32 } },
  fencing: { namePattern: /^(?:bs|m[12])$/, size: { vcpu: 8, memoryGiB: 32 } },
  'single-node': { namePattern: /^m1$/, size: { vcpu: 8, memoryGiB: 32 } },
  'single-node-bootstrap': { namePattern: /^(?:bs|m1)$/, size: { vcpu: 8, memoryGiB: 32 } },
};

/** The hosts of the services: separate ones, or all on the bastion. */
export const SERVICE_LAYOUTS = ['hosts', 'bastion'] as const;
type ServiceLayout = (typeof SERVICE_LAYOUTS)[number];

/**
 * Renders a valid design with comments, as YAML text: the output of `design example`, and the initial design of the
 * wizard.
 */
export function renderExampleDesign(
  options: { readonly topology?: Topology; readonly version?: string; readonly serviceLayout?: ServiceLayout } = {},
): string {
  const { topology = 'standard', serviceLayout = 'hosts' } = options;
  const isTwoNode = topology === 'arbiter' || topology === 'fencing';
  const { version = isTwoNode ? '4.22' : '4.18' } = options;
  const isSingle = topology === 'single-node';
  const isAllOnBastion = serviceLayout === 'bastion';
  const dnsHost = isAllOnBastion ? BASTION : '{ name: ns1, ip: 172.16.0.102, os: rhel9 }';
  return `# The design of a cluster: what is decided once, and everything else is derived from.
apiVersion: upi-wizard/v1
kind: ClusterDesign
openshift:
  version: "${version}" # in quotes${isOkd(version) ? '' : '; with z ("4.18.11") to be exact'}
  architecture: x86_64
topology: ${topology} # ${TOPOLOGIES.join(' | ')}
cluster:
  name: ocp45 # names become api.ocp45.example.localdomain and so on
  baseDomain: example.localdomain

networks:
  machine: # where the nodes are
    - cidr: 172.16.0.0/24
      gateway: 172.16.0.254
  cluster: # pods; each node gets a network of this prefix length
    - cidr: 10.128.0.0/14
      hostPrefix: 23
  service:
    - 172.30.0.0/16
  company: # networks in use; the three above must not overlap them
    - 192.168.124.0/24
  router: 192.168.124.254 # the company side of the way to the machine network

# Where the cluster is reached. Not a node's address; a load balancer's own, or one that keepalived puts there.
endpoints:
${isSingle ? SINGLE_ENDPOINTS : ENDPOINTS}
nodes:
${renderNodes(topology)}
services:
  bastion: ${BASTION} # rhel8 | rhel9 | rhel10 | debian
  dns:
    kind: bind # bind | external
    servers: # the first is the primary
      - ${dnsHost}
    forwarders: [192.168.124.1]
  dhcp:
    kind: isc-dhcpd # isc-dhcpd | kea | none
    server: ${isAllOnBastion ? 'bastion' : 'ns1'}
${isSingle ? SINGLE_LOAD_BALANCER : renderLoadBalancer(isAllOnBastion)}  boot:
    kind: ipxe # ipxe | iso
    httpPort: 8080
  time:
    servers: [192.168.124.1]

credentials:
  pullSecretFile: ${isOkd(version) ? 'null # OKD needs none' : './pull-secret.txt'}
  sshKeyFile: ~/.ssh/id_ed25519.pub
${topology === 'fencing' ? FENCING_FILE : ''}fips: false
${topology === 'standard' ? INFRA : ''}`;
}

const ENDPOINTS = `  api: 172.16.0.111
  apiInt: 172.16.0.110
  ingress: 172.16.0.111
`;

// A single node is its own API and router, without a load balancer in front.
const SINGLE_ENDPOINTS = `  api: 172.16.0.21
  apiInt: 172.16.0.21
  ingress: 172.16.0.21
`;

const BASTION = '{ name: bastion, ip: 172.16.0.101, os: rhel9 }';

function renderLoadBalancer(isOnBastion: boolean): string {
  return `  loadBalancer:
    kind: haproxy # haproxy | external
    servers:
      - ${isOnBastion ? BASTION : '{ name: lb1, ip: 172.16.0.112, os: rhel9 }'}
`;
}

const FENCING_FILE = `  fencingFile: ./fencing.yaml # address, user and password of the BMC of each node, see "help design"
`;

const SINGLE_LOAD_BALANCER = `  loadBalancer:
    kind: external # none is needed: the names point to the node
`;

const INFRA = `
infra: # what moves to the infra nodes after the installation
  taint: { key: node-role.kubernetes.io/infra, value: reserved, noExecute: false }
  pool: true
  keepWorkerRole: true
  routerReplicas: 3
  registry: { storage: pvc, storageClass: null, accessMode: ReadWriteMany, sizeGiB: 100 } # null: the default class
  monitoring: { storageClass: null, prometheusGiB: 40, alertmanagerGiB: 10 } # null: no volumes
  removeWorkersFromLoadBalancer: true
`;

function renderNodes(topology: Topology): string {
  const { namePattern, size } = TOPOLOGY_NODES[topology];
  return NODES.filter(([name]) => namePattern.test(name))
    .map(([name, role, lastOctet, macSuffix]) => {
      const { vcpu, memoryGiB } = (role === 'control-plane' ? size : null) ?? DEFAULT_NODE_SIZES[role];
      return `  - name: ${name}
    role: ${role}
    ip: 172.16.0.${lastOctet}
    mac: "${MAC_PREFIX}:${macSuffix}"
    vcpu: ${vcpu}
    memoryGiB: ${memoryGiB}
    diskGiB: 120
    installDisk: /dev/sda
`;
    })
    .join('');
}

/** The first three octets of the network of the BMCs, which is a documentation network (RFC 5737). */
const BMC_NETWORK = '192.0.2';

/**
 * Renders an example of the file with the credentials of the BMCs, as YAML text.
 * @param nodeNames the names of the control plane nodes
 */
export function renderExampleFencingFile(nodeNames: readonly string[]): string {
  const entries = nodeNames.map(
    (name, index) => `- hostName: ${name}
  address: redfish+https://${BMC_NETWORK}.${index + 11}/redfish/v1/Systems/1
  username: fencing
  password: "example-${name}"
  certificateVerification: Enabled
`,
  );
  return `# "Disabled" accepts any certificate of the BMC.
credentials:
${entries.join('')}`;
}

// A cluster that the installer created on AWS: three zones, with a control plane node and a worker in each.
const ZONE_OCTETS = [0, 32, 64] as const;
const CLOUD_NODES = [
  ['control-plane', 10, 4, 16],
  ['compute', 20, 4, 16],
] as const;

/** The clouds for which a rehearsal exists. */
export const CLOUDS = ['aws'] as const;
export type CloudName = (typeof CLOUDS)[number];

/** The resolver of the cloud's machines. */
export const CLOUD_RESOLVER_ADDRESS = '10.0.0.2';

/** The name of the cluster's objects in the cloud (status.infrastructureName of its Infrastructure). */
export const CLOUD_INFRASTRUCTURE_NAME = 'shop-x7k2p';

/**
 * Renders the design of a cluster on a cloud, as YAML text: its current nodes, and the decisions for its infra nodes. A
 * rehearsal of infra nodes on a cloud starts from this design. Its load balancers and name servers are the cloud's; its
 * nodes are named after their addresses.
 */
export function renderCloudDesign(): string {
  return `# A cluster that runs on AWS: only its infra nodes are still to be decided.
apiVersion: upi-wizard/v1
kind: ClusterDesign
openshift:
  version: "4.18"
topology: standard
cluster:
  name: shop
  baseDomain: example.com
networks:
  machine:
    - cidr: 10.0.0.0/16
      gateway: 10.0.0.1
  cluster:
    - cidr: 10.128.0.0/14
      hostPrefix: 23
  service:
    - 172.30.0.0/16
endpoints:
  api: 10.0.0.5
  apiInt: 10.0.0.6
  ingress: 10.0.0.7
nodes:
  - { name: bootstrap, role: bootstrap, ip: 10.0.0.11, mac: "02:00:0a:00:00:0b", vcpu: 4, memoryGiB: 16, diskGiB: 120, installDisk: /dev/nvme0n1, interface: ens5 }
${renderCloudNodes()}
services:
  bastion: { name: bastion, ip: 10.0.0.30 }
  dns: { kind: external, servers: [{ name: resolver, ip: ${CLOUD_RESOLVER_ADDRESS} }] }
  dhcp: { kind: none }
  loadBalancer: { kind: external }
  boot: { kind: iso }
  time: { servers: [time.aws.com] }
credentials:
  pullSecretFile: ./pull-secret.txt
  sshKeyFile: ~/.ssh/id_ed25519.pub
infra:
  taint: { key: node-role.kubernetes.io/infra, value: reserved, noExecute: false }
  pool: true
  keepWorkerRole: true
  routerReplicas: 3
  registry: { storage: none } # the cloud's own storage stays
  machineSets: { count: 3, size: m6i.2xlarge } # one machine in each zone
`;
}

function renderCloudNodes(): string {
  const nodes = CLOUD_NODES.flatMap(([role, lastOctet, vcpu, memory]) =>
    ZONE_OCTETS.map((zoneOctet) => ({
      role,
      vcpu,
      memory,
      ip: `10.0.${zoneOctet}.${lastOctet}`,
      mac: `02:00:0a:00:${toHex(zoneOctet)}:${toHex(lastOctet)}`,
    })),
  );
  return nodes
    .map(
      ({ role, vcpu, memory, ip, mac }) =>
        `  - { name: ip-${ip.replaceAll('.', '-')}, role: ${role}, ip: ${ip}, mac: "${mac}", vcpu: ${vcpu}, memoryGiB: ${memory}, diskGiB: 120, installDisk: /dev/nvme0n1, interface: ens5 }`,
    )
    .join('\n');
}

const toHex = (number: number) => number.toString(16).padStart(2, '0');

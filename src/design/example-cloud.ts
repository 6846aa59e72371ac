// A cluster that the installer created on AWS: three zones, with a control plane node and a worker in each.
const ZONES = [0, 32, 64] as const;
const NODES = [
  ['control-plane', 10, 4, 16],
  ['compute', 20, 4, 16],
] as const;

/** The clouds for which a rehearsal exists. */
export const CLOUDS = ['aws'] as const;
export type CloudName = (typeof CLOUDS)[number];

/** The resolver of the cloud's machines. */
export const CLOUD_RESOLVER = '10.0.0.2';

/** The name of the cluster's objects in the cloud (status.infrastructureName of its Infrastructure). */
export const CLOUD_INFRASTRUCTURE = 'shop-x7k2p';

/**
 * The design of a cluster on a cloud, as YAML text: its current nodes, and the decisions for its infra nodes. A
 * rehearsal of infra nodes on a cloud starts from it. Its load balancers and name servers are the cloud's; its nodes
 * are named after their addresses.
 */
export function cloudDesign(): string {
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
${renderNodes()}
services:
  bastion: { name: bastion, ip: 10.0.0.30 }
  dns: { kind: external, servers: [{ name: resolver, ip: ${CLOUD_RESOLVER} }] }
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

function renderNodes(): string {
  const names = NODES.flatMap(([role, host, vcpu, memory]) =>
    ZONES.map((zone) => ({
      role,
      vcpu,
      memory,
      ip: `10.0.${zone}.${host}`,
      mac: `02:00:0a:00:${toHex(zone)}:${toHex(host)}`,
    })),
  );
  return names
    .map(
      ({ role, vcpu, memory, ip, mac }) =>
        `  - { name: ip-${ip.replaceAll('.', '-')}, role: ${role}, ip: ${ip}, mac: "${mac}", vcpu: ${vcpu}, memoryGiB: ${memory}, diskGiB: 120, installDisk: /dev/nvme0n1, interface: ens5 }`,
    )
    .join('\n');
}

const toHex = (number: number) => number.toString(16).padStart(2, '0');

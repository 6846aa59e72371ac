import type { RhcosImages } from '../../src/artifacts/files.ts';
import { generate } from '../../src/artifacts/generate.ts';
import type { Design, DesignNode, NodeRole, Stage } from '../../src/design/model.ts';

function node(name: string, role: NodeRole, last: number, mac: string, memoryGiB: number): DesignNode {
  return {
    name,
    role,
    ip: [`172.16.0.${last}`],
    mac: `00:50:56:96:${mac}`,
    vcpu: role === 'compute' ? 2 : 4,
    memoryGiB,
    diskGiB: 120,
    installDisk: '/dev/sda',
    interface: null,
    bond: null,
    vlan: null,
    firmware: 'uefi',
    secureBoot: false,
    kernelArguments: [],
  };
}

/** The documented site as a literal, for tests that need a design without parsing one. */
export function exampleSite(changes: Partial<Design> = {}): Design {
  return {
    openshift: { version: '4.18', architecture: 'x86_64' },
    topology: 'standard',
    cluster: { name: 'ocp45', baseDomain: 'example.localdomain' },
    networks: {
      machine: [{ cidr: '172.16.0.0/24', gateway: '172.16.0.254' }],
      cluster: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
      service: ['172.30.0.0/16'],
      type: 'OVNKubernetes',
      company: ['192.168.124.0/24'],
      router: '192.168.124.254',
    },
    endpoints: { api: ['172.16.0.111'], apiInt: ['172.16.0.110'], ingress: ['172.16.0.111'] },
    nodes: [
      node('bs', 'bootstrap', 11, '11:c2', 16),
      node('m1', 'control-plane', 21, '37:c8', 16),
      node('m2', 'control-plane', 22, 'ec:a7', 16),
      node('m3', 'control-plane', 23, 'e5:2f', 16),
      node('w1', 'compute', 31, '6b:da', 8),
      node('w2', 'compute', 32, 'c1:c5', 8),
      node('w3', 'compute', 33, 'e3:f5', 8),
      node('i1', 'infra', 41, '4d:01', 32),
      node('i2', 'infra', 42, '4d:02', 32),
      node('i3', 'infra', 43, '4d:03', 32),
    ],
    services: {
      bastion: { name: 'bastion', ip: ['172.16.0.101'], os: 'rhel9' },
      dns: {
        kind: 'bind',
        servers: [{ name: 'ns1', ip: ['172.16.0.102'], os: 'rhel9' }],
        forwarders: ['192.168.124.1'],
      },
      dhcp: { kind: 'isc-dhcpd', server: 'ns1' },
      loadBalancer: { kind: 'haproxy', servers: [{ name: 'lb1', ip: ['172.16.0.112'], os: 'rhel9' }] },
      boot: { kind: 'ipxe', httpPort: 8080 },
      time: { servers: ['192.168.124.1'] },
    },
    credentials: { pullSecretFile: './pull-secret.txt', sshKeyFile: '~/.ssh/id_ed25519.pub' },
    fips: false,
    proxy: null,
    additionalTrustBundleFile: null,
    additionalTrustBundlePolicy: null,
    imageDigestSources: [],
    infra: {
      taint: { key: 'node-role.kubernetes.io/infra', value: 'reserved', noExecute: false },
      pool: true,
      keepWorkerRole: true,
      routerReplicas: 3,
      registry: { storage: 'pvc', storageClass: null, accessMode: 'ReadWriteMany', sizeGiB: 100 },
      monitoring: { storageClass: null, prometheusGiB: 40, alertmanagerGiB: 10 },
      removeWorkersFromLoadBalancer: true,
    },
    ...changes,
  };
}

export const exampleCredentials = {
  pullSecret: '{\n  "auths": { "quay.io": { "auth": "dXNlcjpwYXNz", "email": "a@example.com" } }\n}\n',
  sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZha2VrZXlmYWtla2V5ZmFrZWtleWZha2VrZXlmYWtl core@bastion\n',
  trustBundle: null,
};

export const exampleImages = {
  release: '418.94.202410090804-0',
  kernel: 'rhcos-418.94.202410090804-0-live-kernel-x86_64',
  initramfs: 'rhcos-418.94.202410090804-0-live-initramfs.x86_64.img',
  rootfs: 'rhcos-418.94.202410090804-0-live-rootfs.x86_64.img',
  metal: 'rhcos-418.94.202410090804-0-metal.x86_64.raw.gz',
};

/** The text of one generated file of a design. */
export function generated(
  design: Design,
  file: string,
  stage: Stage = 'install',
  images: RhcosImages = exampleImages,
): string {
  const { files } = generate({ design, stage, credentials: exampleCredentials, images, previous: null });
  const found = files.find((candidate) => candidate.file === file);
  if (!found) throw new Error(`${file} is not among ${files.map((candidate) => candidate.file).join(', ')}`);
  return found.content;
}

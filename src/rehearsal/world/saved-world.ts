import type { DesignNode } from '../../design/model.ts';
import type { Lease } from '../hosts/dhcp.ts';
import type { FileFaultState } from '../hosts/file-faults.ts';
import type { CertificateAuthority, IssuedCertificate } from '../pki.ts';
import type { FaultId } from '../site/faults.ts';

/** Hardware of a simulated machine. */
export interface Hardware {
  readonly name: string;
  /** The actual MAC address, which may differ from that of the design. */
  readonly mac: string;
  readonly firmware: DesignNode['firmware'];
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly isDead: boolean;
  /** Deviation of the hardware clock from the right time, ms. Missing: none. */
  readonly clockError?: number | undefined;
  /** Device of the only disk. Missing: the disk that the design names. */
  readonly disk?: string;
  /** Size of the disk. Missing: as planned, which is enough. */
  readonly diskGiB?: number;
  /** Whether an operating system is already on the disk. Missing: false. */
  readonly hasOldSystem?: boolean;
}

/** Stages of a machine from power-on to node. */
export type MachineStage =
  | 'off'
  | 'dead'
  | 'firmware'
  | 'dhcp'
  | 'ipxe'
  | 'live'
  | 'installing'
  | 'rebooting'
  | 'release-image'
  | 'bootkube'
  | 'serving'
  | 'in-place'
  | 'machine-config'
  | 'pivoting'
  | 'kubelet'
  | 'joined'
  | 'stopped';

/** The MachineConfigPools whose configuration a node fetches from the Machine Config Server. */
export const POOL_NAMES = ['master', 'arbiter', 'worker'] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** Contents of a machine's disk. */
interface Disk {
  /** The text of the ignition file that coreos-installer fetched. */
  readonly ignition: string;
  /** The kernel arguments that the first boot keeps. */
  readonly kernelArguments: readonly string[];
}

/** Saved state of a machine. Times are milliseconds of the site's clock. */
export interface MachineState {
  readonly name: string;
  stage: MachineStage;
  since: number;
  /** The last line on the console. */
  console: string;
  lease: Lease | null;
  kernelArguments: readonly string[];
  disk: Disk | null;
  /** Whether the next boot is from the network, regardless of the disk. Missing: false. */
  startsFromNetwork?: boolean;
  /** Ignition file that the live system runs from memory. Each live boot fetches the file again. */
  live?: string;
  hostname: string | null;
  kind: PoolName | null;
  /** Time at which the machine joined as a node. */
  joinedAt: number | null;
  /** Whether the kubelet has expired certificates, and so requests them as on a new node. Missing: false. */
  isExpired?: boolean;
  /** The pending CSRs of the kubelet, and the issued serving certificate. */
  client: KubeletRequest | null;
  serving: KubeletRequest | null;
  servingCertificate: IssuedCertificate | null;
  requests: number;
}

export interface KubeletRequest {
  readonly name: string;
  readonly at: number;
  readonly keyPem: string;
}

/** A member of etcd, by the node on which it runs. */
export interface EtcdMember {
  /** In hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Time at which the machine joined, ms. A machine that joined again later no longer has the data of the member. */
  readonly joinedAt: number;
}

/** The CAs of a cluster, and the certificates of its servers. */
export interface ClusterCertificates {
  readonly kubeletSigner: CertificateAuthority;
  readonly clientAuthorities: readonly string[];
  /** Trusted CA for port 6443. */
  readonly apiAuthority: string;
  readonly apiServing: IssuedCertificate;
  readonly machineConfigServing: IssuedCertificate;
  readonly ingressAuthority: CertificateAuthority;
  readonly ingressServing: IssuedCertificate;
}

/** State of the cluster since the bootstrap node started it. */
export interface ClusterState extends ClusterCertificates {
  readonly apiSince: number;
  readonly clusterDomain: string;
  readonly version: string;
  readonly mastersSchedulable: boolean;
  readonly controlPlaneReplicas: number;
  /** Missing in worlds of earlier versions: none. */
  readonly arbiterReplicas?: number;
  /** Whether the cluster is a single node that was its own bootstrap. Missing in worlds of earlier versions. */
  readonly isInPlace?: boolean;
  bootstrapCompleteAt: number | null;
  /** The members of etcd. Missing: the operator has not reported them yet. */
  etcdMembers?: readonly EtcdMember[];
  /** Kubeconfig of the administrator, as the installer created it. Missing in worlds of earlier versions. */
  readonly kubeconfig?: string;
}

export interface SavedWorld {
  repaired?: FaultId[];
  readonly format: 1;
  /** The site's time at the last save. The site continues from it. */
  now: number;
  machines: Record<string, MachineState>;
  /** Hardware since the first power-on. A changed design does not change it. */
  rack?: Readonly<Record<string, Hardware>>;
  cluster: ClusterState | null;
  /** Start times (ms) by the name of the timer, and a few counters. */
  timers: Record<string, number>;
  /** The last cluster-monitoring-config that its operator accepted. */
  monitoringConfig: string;
  store: unknown;
  /** Files that were installed with a fault. Missing in worlds of earlier versions. */
  slips?: FileFaultState;
  /** Whether a file of a service has been broken. Missing: false. */
  isFileBroken?: boolean;
}

/** The old system on a disk: a compute node of a cluster that no longer exists. */
const OLD_SYSTEM: Disk = {
  ignition: JSON.stringify({
    ignition: {
      version: '3.2.0',
      config: { merge: [{ source: 'https://api-int.retired.example.internal:22623/config/worker' }] },
    },
  }),
  kernelArguments: [],
};

/**
 * Creates the state of a machine that is powered off.
 * @param now ms of the site's clock
 */
export function createMachineState(
  { name, hasOldSystem }: Pick<Hardware, 'name' | 'hasOldSystem'>,
  now: number,
): MachineState {
  return {
    name,
    stage: 'off',
    since: now,
    console: '',
    lease: null,
    kernelArguments: [],
    disk: hasOldSystem ? OLD_SYSTEM : null,
    hostname: null,
    kind: null,
    joinedAt: null,
    client: null,
    serving: null,
    servingCertificate: null,
    requests: 0,
  };
}

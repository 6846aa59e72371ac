import type { DesignNode } from '../../design/model.ts';
import type { Lease } from '../hosts/dhcp.ts';
import type { SlipNotes } from '../hosts/slips.ts';
import type { CertificateAuthority, IssuedCertificate } from '../pki.ts';
import type { FaultId } from '../site/faults.ts';

/** A machine as it stands in the rack. */
export interface Hardware {
  readonly name: string;
  /** The MAC address it really has. */
  readonly mac: string;
  readonly firmware: DesignNode['firmware'];
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly isDead: boolean;
  /** How far its clock is from the right time, ms; missing: it is right. */
  readonly clockError?: number | undefined;
  /** The only disk that it has; missing: the one that was planned. */
  readonly disk?: string;
  /** The size of that disk; missing: as planned, which is enough. */
  readonly diskGiB?: number;
  /** An operating system is on the disk already. */
  readonly hasOldSystem?: boolean;
}

/** Where a machine is on its way from power-on to node. */
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

export type NodeKind = 'master' | 'worker';

/** What was written to a machine's disk. */
export interface Disk {
  /** The text of the ignition file that coreos-installer fetched. */
  readonly ignition: string;
  /** The kernel arguments that first boot keeps. */
  readonly kernelArguments: readonly string[];
}

/** A machine as it is saved. Times are milliseconds of the site's clock. */
export interface MachineState {
  readonly name: string;
  stage: MachineStage;
  since: number;
  /** The last line of its console. */
  console: string;
  lease: Lease | null;
  kernelArguments: readonly string[];
  disk: Disk | null;
  /** The next start is from the network, whatever is on the disk; missing: it is not. */
  startsFromNetwork?: boolean;
  /** The ignition that a live system runs from memory: gone with the power. */
  live?: string;
  hostname: string | null;
  kind: NodeKind | null;
  /** When it joined as a node. */
  joinedAt: number | null;
  /** Its certificates have run out: it logs in as a new node would. Missing: they have not. */
  isExpired?: boolean;
  /** Certificate requests that it waits for, and what it got. */
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

/** What the bootstrap node brought to life; null before. */
export interface ClusterState {
  readonly apiSince: number;
  readonly clusterDomain: string;
  readonly version: string;
  readonly mastersSchedulable: boolean;
  readonly controlPlaneReplicas: number;
  /** A single node that was its own bootstrap. Missing in worlds that were saved before there were any. */
  readonly isInPlace?: boolean;
  readonly kubeletSigner: CertificateAuthority;
  readonly clientAuthorities: readonly string[];
  /** Whom to believe at port 6443. */
  readonly apiAuthority: string;
  readonly apiServing: IssuedCertificate;
  readonly machineConfigServing: IssuedCertificate;
  readonly ingressAuthority: CertificateAuthority;
  readonly ingressServing: IssuedCertificate;
  bootstrapCompleteAt: number | null;
  /** That of its administrator, as the installer made it. Missing in worlds that were saved before it was kept. */
  readonly kubeconfig?: string;
}

export interface SavedWorld {
  /** Faults that somebody has put right since. */
  repaired?: FaultId[];
  readonly format: 1;
  /** The site's time when it was saved: it goes on from there. */
  now: number;
  machines: Record<string, MachineState>;
  /** The machines in the rack since the first of them was switched on: another design does not change what stands there. */
  rack?: Readonly<Record<string, Hardware>>;
  cluster: ClusterState | null;
  /** When something was first seen, by name. */
  timers: Record<string, number>;
  /** The last cluster-monitoring-config that its operator understood. */
  monitoringConfig: string;
  store: unknown;
  /** What was put in place with a mistake. Missing in worlds that were saved before there were such faults. */
  slips?: SlipNotes;
  /** Somebody has broken a file of a service; missing: nobody has. */
  isFileBroken?: boolean;
}

/** The system that somebody left on a disk: a compute node of a cluster that is gone. */
const OLD_SYSTEM: Disk = {
  ignition: JSON.stringify({
    ignition: {
      version: '3.2.0',
      config: { merge: [{ source: 'https://api-int.retired.example.internal:22623/config/worker' }] },
    },
  }),
  kernelArguments: [],
};

export function newMachine({ name, hasOldSystem }: Pick<Hardware, 'name' | 'hasOldSystem'>, now: number): MachineState {
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

import type { Design } from '../../design/model.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { ServiceEvidence } from '../../installer/bootstrap-services.ts';
import type { LogMark, LogSource } from '../../installer/log.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import type { PortState } from '../../probes/probe-types.ts';
import type { EvidenceLine, ObservedPort } from '../rules/evidence.ts';

/** The stages of a bootstrap, in order; the first two are observable over SSH only. */
export const BOOTSTRAP_STAGES = [
  'release-image',
  'bootkube',
  'bootstrap-up',
  'api',
  'machine-config',
  'joined',
  'control-plane',
  'serving',
  'complete',
  'etcd',
] as const;
export type BootstrapStage = (typeof BOOTSTRAP_STAGES)[number];

/** A port that the bootstrap needs. */
export interface PortEvidence extends ObservedPort {
  readonly kind: Exclude<ObservedPort['kind'], 'compute'>;
  readonly port: Exclude<ObservedPort['port'], 22>;
}

/** A line of the installer's log, or of the journal of the bootstrap node. */
export interface LogEvidence extends Pick<EvidenceLine, 'text' | 'at'> {
  readonly source: LogSource;
  readonly mark: LogMark;
}

/** The result of one probe of the bootstrap. Contains observations only, never what upi-wizard did. */
export interface BootstrapEvidence {
  readonly ports: readonly PortEvidence[];
  /** State of the API; null: no kubeconfig yet. */
  readonly snapshot: {
    readonly api: {
      readonly state: 'up' | 'away';
      readonly gitVersion: string | null;
      /** The problem with the API, in one line. */
      readonly line: string | null;
    };
    readonly bootstrapStatus: ClusterSnapshot['bootstrapStatus'];
    readonly etcdBootstrapMemberRemoved: ClusterSnapshot['etcdBootstrapMemberRemoved'];
    /** Why a part of the snapshot is not available. */
    readonly userErrors: { readonly etcdBootstrapMemberRemoved?: UserError };
  } | null;
  /** The answer of /readyz through the load balancer; null: not available. */
  readonly readyz: { readonly isReady: boolean; readonly failing: string } | null;
  /** The control plane nodes of the design, with their state in the API. */
  readonly members: readonly {
    readonly name: string;
    readonly fqdn: string;
    readonly hasJoined: boolean;
    readonly isReady: boolean;
  }[];
  /** Progress of the services on the bootstrap node, read over SSH; null: no access. */
  readonly nodeServices: {
    readonly releaseImage: ServiceEvidence | null;
    readonly bootkube: ServiceEvidence | null;
  } | null;
}

/** Evidence of a bootstrap without progress for longer than usual. */
export interface StuckEvidence extends BootstrapEvidence {
  readonly topology: Design['topology'];
  /** The stage that does not progress, and its title. */
  readonly stage: BootstrapStage;
  readonly stageTitle: string;
  /** Time without progress, in ms. */
  readonly timeWithoutProgress: number;
  /** The machine that runs the bootstrap. */
  readonly machine: { readonly name: string; readonly address: string };
  /** DNS names that nodes need and that a name server does not answer as designed. */
  readonly wrongNames: readonly { readonly queryText: string; readonly detail: string }[];
}

/** Lists the probed ports of one kind and number. */
export function listPorts(
  { ports }: BootstrapEvidence,
  kind: PortEvidence['kind'],
  port: PortEvidence['port'],
): PortEvidence[] {
  return ports.filter((candidate) => candidate.kind === kind && candidate.port === port);
}

/**
 * Lists the ports in state `unsent` in the groups (one host, one kind) of which no port could be probed.
 * @param getGroup the group of a port
 */
export function listUnroutablePorts<Port extends { readonly state: PortState }>(
  ports: readonly Port[],
  getGroup: (port: Port) => string,
): Port[] {
  const probedGroups = new Set(ports.filter(({ state }) => state !== 'unsent').map(getGroup));
  return ports.filter((port) => port.state === 'unsent' && !probedGroups.has(getGroup(port)));
}

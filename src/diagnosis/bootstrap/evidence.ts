import type { Design } from '../../design/model.ts';
import type { Trouble } from '../../text/trouble.ts';

/** The stages of a bootstrap, in order; the first two are visible over SSH only. */
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

/**
 * State of a host's port, seen from here. `closed-at-once`: accepted and closed, as by a load balancer without a member. `unsent`:
 * nothing left this machine (it has no route there, or its own firewall keeps it in), so nothing is known of the port.
 */
export type PortState = 'open' | 'refused' | 'timeout' | 'unreachable' | 'closed-at-once' | 'unsent';

/** A port that the bootstrap needs, and its state seen from here. */
export interface PortEvidence {
  /** A node's short name, or the endpoint through the load balancer. */
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 6443 | 22623;
  readonly state: PortState;
}

/** Progress of a service of the bootstrap node, by its own record. */
export interface ServiceEvidence {
  /** How often it was started, as far as the record was read. */
  readonly starts: number;
  readonly state: 'running' | 'succeeded' | 'failed';
  /** The stage under way, or the one it failed in; null between stages. */
  readonly stage: string | null;
  /** Stages that ended well, since ever. */
  readonly finished: readonly string[];
  /** The last error of the last failure, one line. */
  readonly lastError: string | null;
}

/** The origin of a line: the installer's log, or a unit's journal on the bootstrap node. */
export type LogSource = 'installer' | 'bootkube' | 'release-image';

/**
 * The weight of a line. `noise`: an alarming text, and normal now. `solved`: a failure, and a later line reports success.
 * `trouble`: it does not go away by itself. Null: a line like others.
 */
export type LogMark = 'noise' | 'solved' | 'trouble' | null;

/** A line of the installer's log, or of the journal of the bootstrap node. */
export interface LogEvidence {
  readonly source: LogSource;
  readonly text: string;
  readonly mark: LogMark;
  /** Ms; null for a line without a time. */
  readonly at: number | null;
}

/** The state of the bootstrap in the API, by the installer's ConfigMap. */
export type BootstrapStatus = 'absent' | 'progress' | 'complete';

/** What one look at the bootstrap found. Nothing in it comes from what we did. */
export interface BootstrapEvidence {
  readonly ports: readonly PortEvidence[];
  /** State of the API; null: no kubeconfig yet. */
  readonly snapshot: {
    readonly api: {
      readonly state: 'up' | 'away';
      readonly gitVersion: string | null;
      /** What is wrong with it, in one line. */
      readonly line: string | null;
    };
    readonly bootstrapStatus: BootstrapStatus | null;
    readonly etcdBootstrapMemberRemoved: boolean | null;
    /** Why a part is not available. */
    readonly troubles: { readonly etcdBootstrapMemberRemoved?: Trouble };
  } | null;
  /** The answer of /readyz through the load balancer; null: not available. */
  readonly readyz: { readonly isReady: boolean; readonly failing: string } | null;
  /** The control plane nodes of the design, as the API has them. */
  readonly members: readonly { readonly name: string; readonly hasJoined: boolean; readonly isReady: boolean }[];
  /** State of the services on the bootstrap node, read over SSH; null: no access. */
  readonly inside: { readonly releaseImage: ServiceEvidence | null; readonly bootkube: ServiceEvidence | null } | null;
}

/** Evidence of a bootstrap that has not changed for longer than usual. */
export interface StuckEvidence extends BootstrapEvidence {
  readonly topology: Design['topology'];
  /** The stage that does not progress, and its title. */
  readonly stage: BootstrapStage;
  readonly stageTitle: string;
  /** For how long, in milliseconds. */
  readonly quietFor: number;
  /** The machine that runs the bootstrap. */
  readonly machine: { readonly name: string; readonly address: string };
  /** Names that nodes need, where a name server does not answer as designed. */
  readonly wrongNames: readonly { readonly what: string; readonly detail: string }[];
}

/** The ports of one kind and number. */
export function portsOf(
  { ports }: BootstrapEvidence,
  kind: PortEvidence['kind'],
  port: PortEvidence['port'],
): PortEvidence[] {
  return ports.filter((each) => each.kind === kind && each.port === port);
}

/** The ports that nothing could be sent to, where none of those that they stand for (of one host, of one kind) could be asked. */
export function withoutWay<Port extends { readonly state: PortState }>(
  ports: readonly Port[],
  standsFor: (port: Port) => string,
): Port[] {
  const asked = new Set(ports.filter(({ state }) => state !== 'unsent').map(standsFor));
  return ports.filter((port) => port.state === 'unsent' && !asked.has(standsFor(port)));
}

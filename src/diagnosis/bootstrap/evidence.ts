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

/** A port that the bootstrap needs, and its state seen from here. */
export interface PortEvidence {
  /** A node's short name, or the endpoint through the load balancer. */
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 6443 | 22623;
  /** `closed-at-once`: accepted and closed, as a balancer without a member does. */
  readonly state: 'open' | 'refused' | 'timeout' | 'unreachable' | 'closed-at-once';
}

/** Progress of a service of the bootstrap node, by its own record. */
export interface ServiceEvidence {
  readonly starts: number;
  readonly state: 'running' | 'succeeded' | 'failed';
  /** The stage under way, or the one it failed in; null between stages. */
  readonly stage: string | null;
  readonly finished: readonly string[];
  readonly lastError: string | null;
}

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
    readonly bootstrapStatus: 'absent' | 'progress' | 'complete' | null;
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

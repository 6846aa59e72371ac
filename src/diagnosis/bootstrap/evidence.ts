import type { Design } from '../../design/model.ts';
import type { Trouble } from '../../text/trouble.ts';

/** What a bootstrap goes through, in order; the first two are only seen over SSH. */
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

/** A port that the bootstrap needs, and how it behaves towards us. */
export interface PortEvidence {
  /** A node's short name, or the endpoint through the load balancer. */
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 6443 | 22623;
  /** `closed-at-once`: accepted and closed, as a balancer without a member does. */
  readonly state: 'open' | 'refused' | 'timeout' | 'unreachable' | 'closed-at-once';
}

/** How far a service of the bootstrap node is, by its own record. */
export interface ServiceEvidence {
  readonly starts: number;
  readonly state: 'running' | 'succeeded' | 'failed';
  /** The stage under way, or the one it failed in; null between stages. */
  readonly stage: string | null;
  readonly finished: readonly string[];
  readonly lastError: string | null;
}

/** What was seen of the bootstrap in one look. Nothing of it is taken from what we did. */
export interface BootstrapEvidence {
  readonly ports: readonly PortEvidence[];
  /** What the API says; null while there is no kubeconfig. */
  readonly snapshot: {
    readonly api: {
      readonly state: 'up' | 'away';
      readonly gitVersion: string | null;
      /** What is wrong with it, in one line. */
      readonly line: string | null;
    };
    readonly bootstrapStatus: 'absent' | 'progress' | 'complete' | null;
    readonly etcdBootstrapMemberRemoved: boolean | null;
    /** What could not be read. */
    readonly troubles: { readonly etcdBootstrapMemberRemoved?: Trouble };
  } | null;
  /** What /readyz says through the load balancer: null while it was not asked or gave no answer. */
  readonly readyz: { readonly isReady: boolean; readonly failing: string } | null;
  /** The control plane nodes of the design, as the API has them. */
  readonly members: readonly { readonly name: string; readonly hasJoined: boolean; readonly isReady: boolean }[];
  /** What the bootstrap node says of itself over SSH; null where it lets nobody in. */
  readonly inside: { readonly releaseImage: ServiceEvidence | null; readonly bootkube: ServiceEvidence | null } | null;
}

/** The same of a bootstrap in which nothing has changed for longer than usual. */
export interface StuckEvidence extends BootstrapEvidence {
  readonly topology: Design['topology'];
  /** The stage in which nothing changes, and what it is called. */
  readonly stage: BootstrapStage;
  readonly stageTitle: string;
  /** For how long, in milliseconds. */
  readonly quietFor: number;
  /** The machine that runs the bootstrap. */
  readonly machine: { readonly name: string; readonly address: string };
  /** Names that nodes need, where a server of ours answers otherwise than designed. */
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

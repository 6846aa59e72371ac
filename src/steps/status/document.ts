import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { isPending, type Judgement } from '../../cluster/csr/judgement.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { ClusterVersionView } from '../../cluster/views/cluster-version.ts';
import type { Design } from '../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../design/names.ts';
import { hasLeftEtcd } from '../../diagnosis/bootstrap/etcd.ts';
import { areTainted } from '../../moves/shared/nodes.ts';
import { OPERATOR_STANDINGS, type OperatorView, standingOf } from '../../objects/operator.ts';
import type { StepId } from '../contract.ts';
import { STEP_IDS } from '../contract.ts';
import { hasReached } from '../shared/hosts/live-stage.ts';
import type { LiveCluster } from '../shared/live-cluster.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';

/** The subject of a status. `screen`: where the session was left; null without one. */
export interface StatusTarget extends LiveCluster {
  readonly screen: string | null;
}

/** The document of `status --json`. Times are RFC 3339; null: not available. */
export interface Status {
  readonly at: string;
  /** The step that the installation is at; null: not known. */
  readonly stage: StepId | null;
  /** `since`: when it went away, as far as somebody watched; null after a single look, which cannot know. */
  readonly api: { readonly state: 'up' | 'away'; readonly since: string | null; readonly detail: string };
  readonly clusterVersion: Omit<ClusterVersionView, 'percent' | 'since'> | null;
  /** What is not fine first. */
  readonly operators:
    | readonly {
        readonly name: string;
        readonly available: boolean;
        readonly progressing: boolean;
        readonly degraded: boolean;
        readonly since: string | null;
        readonly message: string;
      }[]
    | null;
  /** Those of the design, then those in the cluster that are not in the design. */
  readonly nodes: readonly {
    readonly name: string;
    readonly role: string;
    readonly ready: boolean | null;
    readonly expected: boolean;
  }[];
  /** `pending`: all undecided requests of nodes, whatever our verdict. */
  readonly requests: {
    readonly expected: number | null;
    readonly refused: number | null;
    readonly pending: number | null;
  };
}

/** The document of a look, against the design; without a look, what is known without the cluster. */
export function statusOf(live: StatusTarget, snapshot: Snapshot | null): Status {
  const { design, clock } = live;
  const now = snapshot?.at ?? clock.now();
  const requests =
    snapshot?.requests && snapshot.nodes
      ? judgeAll(snapshot.requests, { design, nodes: snapshot.nodes, now, bootedSince: bootedSince(live) })
      : null;
  return {
    at: new Date(now).toISOString(),
    stage: stageOf(live, snapshot),
    api: {
      state: snapshot?.api.state ?? 'away',
      since: sinceOf(snapshot),
      detail: snapshot?.api.trouble?.cause ?? snapshot?.api.gitVersion ?? '',
    },
    clusterVersion: versionOf(snapshot),
    operators: operatorsOf(snapshot),
    nodes: nodesOf(design, snapshot),
    requests: countsOf(requests),
  };
}

function sinceOf(snapshot: Snapshot | null): string | null {
  const { outage } = snapshot?.api.past ?? { outage: null };
  return outage === null || outage.since === snapshot?.at ? null : new Date(outage.since).toISOString();
}

function versionOf(snapshot: Snapshot | null): Status['clusterVersion'] {
  if (!snapshot?.clusterVersion) return null;
  const { percent: _percent, since: _since, ...told } = snapshot.clusterVersion;
  return told;
}

/** An API that does not serve the kind yet has no operators; one that did not answer has an unknown number. */
function operatorsOf(snapshot: Snapshot | null): Status['operators'] {
  if (snapshot === null || snapshot.api.state === 'away' || snapshot.troubles.operators) return null;
  const rank = (operator: OperatorView) => OPERATOR_STANDINGS.indexOf(standingOf(operator));
  return [...(snapshot.operators ?? [])]
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
    .map(({ name, available, progressing, degraded, since, message }) => ({
      name,
      available,
      progressing,
      degraded,
      since: since === null ? null : new Date(since).toISOString(),
      message,
    }));
}

function nodesOf(design: Design, snapshot: Snapshot | null): Status['nodes'] {
  const there = snapshot?.nodes ?? null;
  const planned = design.nodes
    .filter(({ role }) => role !== 'bootstrap')
    .map((node) => {
      const name = nodeFqdn(design, node);
      const found = there?.find((candidate) => candidate.name === name);
      return { name, role: node.role, ready: there === null ? null : (found?.isReady ?? false), expected: true };
    });
  const foreign = (there ?? [])
    .filter(({ name }) => !planned.some((node) => node.name === name))
    .map(({ name, roles, isReady }) => ({ name, role: roles.join(','), ready: isReady, expected: false }));
  return [...planned, ...foreign];
}

function countsOf(requests: readonly Judgement[] | null): Status['requests'] {
  if (requests === null) return { expected: null, refused: null, pending: null };
  const count = (isOne: (judgement: Judgement) => boolean) => requests.filter(isOne).length;
  return {
    expected: count(({ verdict }) => verdict === 'expected'),
    refused: count(({ verdict }) => verdict === 'refused'),
    pending: count(isPending),
  };
}

/**
 * Where the installation is, by what the cluster shows; before there is an API, by where the session was left. The
 * bootstrap must stay until etcd reports that it has removed its member there, whatever else is complete.
 */
function stageOf(live: StatusTarget, snapshot: Snapshot | null): StepId | null {
  const { design, session, screen } = live;
  if (snapshot === null || snapshot.api.state === 'away')
    return STEP_IDS.find((id) => id === screen) ?? (session ? 'generate' : null);
  if (snapshot.bootstrapStatus !== 'complete' && !snapshot.clusterVersion?.available) return 'bootstrap';
  const hasLeft = hasLeftEtcd(design.openshift.version, snapshot.etcdBootstrapMemberRemoved);
  if (snapshot.etcdBootstrapMemberRemoved === false || (!hasLeft && !snapshot.clusterVersion?.available))
    return 'bootstrap';
  // A single node has none to remove.
  const hasBootstrap = nodesWithRole(design, 'bootstrap').length > 0;
  if (session && hasBootstrap && !hasReached(session.context, 'bootstrap-removed')) return 'bootstrap-removal';
  if (nodesOf(design, snapshot).some(({ expected, ready }) => expected && !ready)) return 'certificates';
  const { clusterVersion, operators } = snapshot;
  const isInstalled = clusterVersion?.available && !clusterVersion.failing;
  if (!isInstalled || operators?.some(({ available, degraded }) => !available || degraded)) return 'operators';
  return areTainted(design, snapshot.nodes ?? []) ? 'report' : 'infra';
}

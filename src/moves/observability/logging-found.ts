import { at, type KubeObject, textAt } from '../../objects/object.ts';
import type { OperatorView } from '../../objects/operator.ts';
import type { Workload } from '../carried.ts';
import { isFields } from '../edit.ts';
import { listOrNull, type Sight } from '../sight.ts';

const KINDS = ['ClusterLogging', 'ClusterLogForwarder', 'LokiStack'] as const;
export type LoggingKind = (typeof KINDS)[number];

/** What configures logging, in one of its generations. */
export interface Installed {
  readonly kind: LoggingKind;
  readonly object: KubeObject;
}

/** Logging as it is installed. */
export interface FoundLogging {
  /** What operators act on. */
  readonly used: readonly Installed[];
  /** Left from the generation before: from version 6 on, no operator looks at a ClusterLogging. */
  readonly leftOver: readonly Installed[];
}

/** The pods of what is placed, and their workloads; collectors run on every node. */
const MOVED = {
  'app.kubernetes.io/managed-by': /^lokistack-controller$/,
  component: /^(?:elasticsearch|kibana)$/,
} as const;
/** Where the operators of the log stores are installed (their documentation). */
const STORES = 'openshift-operators-redhat';
/** Always holds a ClusterServiceVersion: that of OLM's own package server. */
const OF_OLM = 'openshift-operator-lifecycle-manager';

/** Logging, whichever generation of it is installed. */
export async function foundLogging(sight: Sight): Promise<FoundLogging> {
  const found = await Promise.all(KINDS.map(async (kind) => ({ kind, objects: await sight.list(kind) })));
  const all = found.flatMap(({ kind, objects }) => objects.map((object): Installed => ({ kind, object })));
  const old = all.filter(({ kind }) => kind === 'ClusterLogging');
  const isNew =
    old.length > 0 && (await versionsIn(sight, all)).some(({ of, major }) => of === COLLECTING && major >= 6);
  return isNew ? { used: all.filter((one) => !old.includes(one)), leftOver: old } : { used: all, leftOver: [] };
}

/** Whether it is a pod, or a workload, that the move places. */
export function isMoved({ metadata }: KubeObject): boolean {
  return Object.entries(MOVED).some(([key, value]) => value.test(metadata.labels?.[key] ?? ''));
}

/** What the move takes to the infra nodes. */
export async function loggingWorkloads(sight: Sight): Promise<readonly Workload[]> {
  const { used } = await foundLogging(sight);
  const found = await Promise.all(
    namespacesOf(used).flatMap((namespace) =>
      (['Deployment', 'StatefulSet'] as const).map(async (kind) =>
        (await sight.list(kind, { namespace }))
          .filter(isMoved)
          .map(({ metadata: { name } }) => ({ kind, namespace, name })),
      ),
    ),
  );
  return found.flat();
}

/** An operator of OperatorHub's, as OLM has it: `cluster-logging.v6.1.0`. */
interface HubOperator {
  readonly name: string;
  readonly of: Package;
  readonly major: number;
  readonly minor: number;
  /** `Succeeded`, `Installing`, `Replacing`, `Failed`, … */
  readonly phase: string;
  readonly message: string;
}

const COLLECTING = 'cluster-logging';
type Package = typeof COLLECTING | 'loki-operator' | 'elasticsearch-operator';
/** `clusterlogging.4.6.0-202104…` of old, `cluster-logging.v5.9.2` since. */
const NAMES: readonly (readonly [Package, RegExp])[] = [
  [COLLECTING, /^cluster-?logging\.v?(\d+)\.(\d+)/],
  ['loki-operator', /^loki-operator\.v?(\d+)\.(\d+)/],
  ['elasticsearch-operator', /^elasticsearch-operator\.v?(\d+)\.(\d+)/],
];

/**
 * The operators that have to work for what is installed, as one: the first that does not, else all of them by their names. Null where
 * there is nothing to move, or no ClusterServiceVersion at all tells of operators.
 */
export async function loggingOperators(sight: Sight): Promise<OperatorView | null> {
  const { used } = await foundLogging(sight);
  const needed = [...new Set(used.flatMap(packagesOf))];
  const found = await versionsIn(sight, used);
  if (needed.length === 0 || (found.length === 0 && (await isBlind(sight)))) return null;
  const views = needed.map((of) =>
    viewOf(
      of,
      found.filter((one) => one.of === of),
    ),
  );
  const unwell = views.find(({ available }) => !available);
  return (
    unwell ??
    viewed(
      views.map(({ name }) => name).join(', '),
      'Succeeded',
      '',
      views.some(({ progressing }) => progressing),
    )
  );
}

/** Without OLM, or with an API that serves nothing of it, nobody tells which operators there are. */
async function isBlind(sight: Sight): Promise<boolean> {
  return (await sight.list('ClusterServiceVersion', { namespace: OF_OLM })).length === 0;
}

function packagesOf({ kind, object }: Installed): readonly Package[] {
  if (kind === 'LokiStack') return ['loki-operator'];
  const store = at(object.spec, 'logStore', 'elasticsearch');
  return kind === 'ClusterLogging' && isFields(store) ? [COLLECTING, 'elasticsearch-operator'] : [COLLECTING];
}

/** While one takes another's place both are there: the newer one counts. */
function viewOf(of: Package, found: readonly HubOperator[]): OperatorView {
  const [newest] = [...found].sort(
    (a, b) =>
      b.major - a.major || b.minor - a.minor || Number(a.phase === 'Replacing') - Number(b.phase === 'Replacing'),
  );
  if (newest === undefined) return viewed(of, 'Missing', '', false);
  return viewed(newest.name, newest.phase, newest.message, newest.phase !== 'Succeeded');
}

function viewed(name: string, phase: string, message: string, progressing: boolean): OperatorView {
  const available = phase !== 'Missing' && phase !== 'Failed';
  const told = { reason: phase, message, since: null, steadySince: null, conditions: [], namespaces: [] };
  return { name, available, progressing, degraded: false, ...told };
}

async function versionsIn(sight: Sight, installed: readonly Installed[]): Promise<readonly HubOperator[]> {
  const namespaces = [...new Set([...namespacesOf(installed), ...(installed.length > 0 ? [STORES] : [])])];
  const found = await Promise.all(
    namespaces.map((namespace) => listOrNull(sight, 'ClusterServiceVersion', { namespace })),
  );
  return found
    .flatMap((list) => list ?? [])
    .flatMap(({ metadata, status }) => {
      for (const [of, pattern] of NAMES) {
        const [whole, major, minor] = pattern.exec(metadata.name) ?? [];
        if (whole === undefined) continue;
        const [phase, message] = [textAt(status, 'phase') ?? '', textAt(status, 'message') ?? ''];
        return [{ name: metadata.name, of, major: Number(major), minor: Number(minor), phase, message }];
      }
      return [];
    });
}

function namespacesOf(installed: readonly Installed[]): string[] {
  return [...new Set(installed.flatMap(({ object }) => object.metadata.namespace ?? []))];
}

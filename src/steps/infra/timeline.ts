import type { MoveName } from '../../moves/table.ts';
import { conditionsOf, isTrue, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import type { MoveSite } from './site.ts';

/** A pod that left a node, or became Ready on one. `at`: ms of the clock. */
export interface PodMoved {
  readonly did: 'left' | 'ready';
  readonly pod: string;
  readonly node: string;
  readonly at: number;
}

/** So many are told of one move; a larger rollout goes on untold. */
const MOST = 100;
/** So many of them are kept for the report, the first ones. */
const MOST_KEPT = 40;

/** The pods that moved while one move is made or taken back. */
export interface Timeline {
  /** The site of the move, to be used for it. */
  readonly site: MoveSite;
  /** Keeps for the report what was told. Making a move anew takes the place of what was told of it before. */
  keep(): void;
}

/** Begins the timeline of a move. @param tell the pods that left or became Ready, in this order */
export function timelineOf(
  site: MoveSite,
  move: MoveName,
  doing: 'apply' | 'undo',
  tell: (moved: PodMoved) => void,
): Timeline {
  const seen: PodMoved[] = [];
  const note = (moved: PodMoved) => {
    seen.push(moved);
    tell(moved);
  };
  return {
    site: watchingPods(site, note),
    keep() {
      if (seen.length === 0 || site.context === null) return;
      const { memory } = site.context;
      const all = memory.get('moved-pods') ?? {};
      const before = doing === 'apply' ? [] : (all[move] ?? []).filter((one) => one.doing === 'apply');
      const now = seen.slice(0, MOST_KEPT).map((one) => ({ doing, ...one }));
      memory.set('moved-pods', { ...all, [move]: [...before, ...now] });
    },
  };
}

interface Place {
  readonly node: string;
  readonly isReady: boolean;
  readonly namespace: string;
}

/**
 * The site, with an eye on the pods that looks at a move list anyway: it makes no request. The first list of a namespace, or of
 * all, is what was there before; pods of DaemonSets, which every node has, are no news.
 * @param tell the pods that left or became Ready since the list before, in this order
 */
function watchingPods(site: MoveSite, tell: (moved: PodMoved) => void): MoveSite {
  const known = new Map<string, Place>();
  const begun = new Set<string>();
  let told = 0;
  const report = (moved: PodMoved) => {
    told += 1;
    if (told <= MOST) tell(moved);
  };
  const see = (scope: string, pods: readonly KubeObject[]) => {
    const at = site.clock.now();
    const found = new Map(pods.flatMap(placeOf));
    const isNews = begun.has(scope) || begun.has('');
    for (const [pod, { node, namespace }] of known) {
      if (found.has(pod) || (scope !== '' && namespace !== scope)) continue;
      known.delete(pod);
      report({ did: 'left', pod, node, at });
    }
    for (const [pod, place] of found) {
      if (isNews && place.isReady && !known.get(pod)?.isReady) report({ did: 'ready', pod, node: place.node, at });
      known.set(pod, place);
    }
    begun.add(scope);
  };
  const connect: MoveSite['connect'] = async () => {
    const cluster = await site.connect();
    return {
      ...cluster,
      async list(kind, options = {}) {
        const found = await cluster.list(kind, options);
        // The list of one node's pods says nothing of the others.
        if (kind === 'Pod' && options.fieldSelector === undefined) see(options.namespace ?? '', found);
        return found;
      },
    };
  };
  return { ...site, connect };
}

/** Where a pod is that is on a node and stays there. */
function placeOf(object: KubeObject): [string, Place][] {
  const { metadata, spec, status } = object;
  const { name, namespace = '', deletionTimestamp } = metadata;
  const node = textAt(spec, 'nodeName');
  const phase = textAt(status, 'phase');
  const isOver = deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded';
  const owners = listAt(metadata, 'ownerReferences').map((owner) => textAt(owner, 'kind'));
  if (node === null || isOver || owners.some((kind) => kind === 'DaemonSet' || kind === 'Job')) return [];
  const isReady = isTrue(conditionsOf(object), 'Ready');
  return [[`${namespace}/${name}`, { node, isReady, namespace }]];
}

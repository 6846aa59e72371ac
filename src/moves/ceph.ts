import { parse, stringify } from 'yaml';
import type { Toleration } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { type JsonObject, listAt } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Edit } from './edit.ts';
import type { ClusterMove, Sight } from './move.ts';
import { isStopped, readyInfraNodes } from './nodes.ts';
import { isDaemonSetRolledOut, templateTolerations } from './rollout.ts';
import { doTolerate, taintsToBe, tolerateOn } from './tolerations.ts';

const words = () => catalogue().moves.each.storage;

const NAMESPACE = 'openshift-storage';
const MAP = { kind: 'ConfigMap', name: 'rook-ceph-operator-config', namespace: NAMESPACE } as const;
/** YAML lists. Each replaces what the operator tolerates by itself, so that has to be in it again. */
const TEXTS = ['CSI_PLUGIN_TOLERATIONS', 'CSI_PROVISIONER_TOLERATIONS'] as const;
const USUAL: Toleration = {
  key: 'node.ocs.openshift.io/storage',
  operator: 'Equal',
  value: 'true',
  effect: 'NoSchedule',
};
/** The DaemonSets that mount Ceph volumes: `csi-rbdplugin`, `openshift-storage.rbd.csi.ceph.com-nodeplugin`. */
const PLUGIN = /^csi-(?:rbd|cephfs|nfs)plugin$|\.csi\.ceph\.com-nodeplugin$/;

/**
 * Lets the node plugins of OpenShift Data Foundation run on the infra nodes, before anything with a Ceph volume moves there: without
 * one, a pod cannot mount its volume. Up to 4.18 by the ConfigMap of Rook, since by Drivers of the CSI operator. We do not install it.
 */
export const storage: ClusterMove<'storage'> = {
  name: 'storage',
  where: 'cluster',
  needs: [],
  taintWaits: true,
  async plan(sight, design) {
    const edits = await pluginEdits(sight, design);
    if (edits.length === 0) return { state: 'absent', why: words().notInstalled };
    const nodes = await readyInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    return { state: 'edits', edits };
  },
  async settled(sight, design) {
    const taints = await taintsToBe(sight, design);
    const sets = (await sight.list('DaemonSet', { namespace: NAMESPACE })).filter((set) =>
      PLUGIN.test(set.metadata.name),
    );
    const behind = sets.filter((set) => !taints.every((taint) => doTolerate(templateTolerations(set), taint)));
    const { rollout } = catalogue().moves.why;
    if (behind.length > 0)
      return { state: 'moving', why: rollout.notTaken(behind.map(({ metadata }) => metadata.name)) };
    const rolling = sets.find((set) => !isDaemonSetRolledOut(set));
    if (rolling) return { state: 'moving', why: rollout.missing(rolling.metadata.name) };
    return { state: 'done', why: words().done };
  },
  undoWaits: null,
  // Its operator's own tolerations are those of before our first; what else was there, nobody wrote down.
  async undoEdits(sight, design) {
    const taints = await taintsToBe(sight, design);
    const isOurs = (entry: Toleration) => taints.some((taint) => doTolerate([entry], taint));
    return await editsOf(sight, (found) => found.filter((entry) => !isOurs(entry)));
  },
  left: null,
  manifest: () => [],
};

async function pluginEdits(sight: Sight, design: Design): Promise<Edit[]> {
  const wanted = (await tolerateOn(sight, design))([]);
  return await editsOf(sight, (found) => [
    ...found,
    ...wanted.filter(({ key = '', value = '', effect = '' }) => !doTolerate(found, { key, value, effect })),
  ]);
}

type Rewrite = (found: readonly Toleration[]) => readonly Toleration[];

async function editsOf(sight: Sight, rewrite: Rewrite): Promise<Edit[]> {
  const drivers = await sight.list('CephDriver', { namespace: NAMESPACE });
  if (drivers.length > 0)
    return drivers.map(({ metadata: { name } }) => ({
      kind: 'CephDriver',
      name,
      namespace: NAMESPACE,
      patch: ({ spec }) => {
        const found = listAt(spec, 'nodePlugin', 'tolerations') as Toleration[];
        return { spec: { nodePlugin: { tolerations: [...rewrite(found)] } } };
      },
    }));
  const map = await sight.get(MAP.kind, MAP.name, MAP.namespace);
  if (map === null) return [];
  return [
    {
      ...MAP,
      patch: ({ data }): JsonObject => ({
        data: Object.fromEntries(TEXTS.map((key) => [key, rewritten(data?.[key], rewrite)])),
      }),
    },
  ];
}

/** The text of a list; what is no list stays. */
function rewritten(text: string | undefined, rewrite: Rewrite): string {
  const found = listIn(text);
  if (found === null) return text ?? '';
  const next = rewrite(found);
  return text !== undefined && JSON.stringify(next) === JSON.stringify(found) ? text : stringify(next);
}

function listIn(text: string | undefined): Toleration[] | null {
  if (text === undefined || text.trim() === '') return [USUAL];
  try {
    const list: unknown = parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

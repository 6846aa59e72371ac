import { INFRA_LABEL, INFRA_SELECTOR, isVersionFrom } from '../../design/infra-placement.ts';
import { at, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Workload } from '../carried.ts';
import { type Edit, exactly, isFields } from '../edit.ts';
import type { ClusterMove, Settled, Sight } from '../move.ts';
import { label } from '../nodes/label.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { isDaemonSetRolledOut, unsettled } from '../shared/rollout.ts';
import { type Tolerate, tolerateOn } from '../shared/tolerations.ts';

const words = () => catalogue().moves.each['network-diagnostics'];

/** What asks. */
export const CHECK_SOURCE: Workload = {
  kind: 'Deployment',
  namespace: 'openshift-network-diagnostics',
  name: 'network-check-source',
};
/** What is asked. */
const CHECK_TARGET = { kind: 'DaemonSet', namespace: CHECK_SOURCE.namespace, name: 'network-check-target' } as const;
const NETWORK = { kind: 'NetworkConfig', name: 'cluster', namespace: null } as const;
const PARTS = ['sourcePlacement', 'targetPlacement'] as const;
/** The minor version that has the setting (openshift/api, config/v1/types_network.go). */
const SINCE = 16;

const placementEdit = (tolerate: Tolerate): Edit => ({
  ...NETWORK,
  patch: (current) => ({
    spec: { networkDiagnostics: Object.fromEntries(PARTS.map((part) => [part, placed(current, part, tolerate)])) },
  }),
});

function placed({ spec }: KubeObject, part: string, tolerate: Tolerate) {
  const here = at(spec, 'networkDiagnostics', part);
  return {
    nodeSelector: exactly(at(here, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: tolerate(listAt(here, 'tolerations')),
  };
}

/** The checks between nodes, where the design chooses them: who asks and who is asked. */
export const networkDiagnostics: ClusterMove<'network-diagnostics'> = {
  name: 'network-diagnostics',
  where: 'cluster',
  carried: { operator: 'network', workloads: async () => [CHECK_SOURCE] },
  needs: [label],
  taintWaits: true,
  async plan(sight, design) {
    if (!design.infra.also.includes('network-diagnostics')) return { state: 'absent', why: words().unwanted };
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const version = textAt((await sight.get('ClusterVersion', 'version'))?.status, 'desired', 'version') ?? '';
    if (!isVersionFrom(version, SINCE)) return { state: 'absent', why: words().tooOld(version) };
    const network = await sight.get(NETWORK.kind, NETWORK.name);
    if (network === null)
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing('Network cluster (config.openshift.io)') };
    if (await areOff(sight, network)) return { state: 'absent', why: words().off };
    return { state: 'edits', edits: [placementEdit(await tolerateOn(sight, design))] };
  },
  async settled(sight, design) {
    const open = await unsettled(sight, [CHECK_SOURCE], design, 'network');
    return open ?? (await whyNotAsked(sight)) ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  undoEdits: async () => [
    {
      ...NETWORK,
      patch: () => ({ spec: { networkDiagnostics: Object.fromEntries(PARTS.map((part) => [part, null])) } }),
    },
  ],
  left: null,
  manifest: () => [],
};

/**
 * Whether nothing checks the network: by its own setting or, while that says nothing at all, by the one of the operator. What we
 * would write there turned the checks on again (openshift/api, config/v1/types_network.go, networkDiagnostics).
 */
async function areOff(sight: Sight, { spec }: KubeObject): Promise<boolean> {
  const own = at(spec, 'networkDiagnostics');
  if (at(own, 'mode') === 'Disabled') return true;
  if (isFields(own) && (own.mode ?? '') !== '') return false;
  const isSet = PARTS.some((part) => isFields(at(own, part)));
  if (isSet) return false;
  return at((await sight.get('NetworkOperator', 'cluster'))?.spec, 'disableNetworkDiagnostics') === true;
}

/** Why not all that is asked runs on the infra nodes yet; null: it does. */
async function whyNotAsked(sight: Sight): Promise<Settled | null> {
  const set = await sight.get(CHECK_TARGET.kind, CHECK_TARGET.name, CHECK_TARGET.namespace);
  if (set === null) return null;
  const { rollout } = catalogue().moves.why;
  const isTaken = at(set.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === '';
  if (!isTaken) return { state: 'moving', why: rollout.notTaken([CHECK_TARGET.name]) };
  return isDaemonSetRolledOut(set) ? null : { state: 'moving', why: rollout.missing(CHECK_TARGET.name) };
}

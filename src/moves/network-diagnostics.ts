import { INFRA_SELECTOR, infraNames, isVersionFrom } from '../design/infra-placement.ts';
import { at, type KubeObject, listAt, textAt } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Edit, exactly } from './edit.ts';
import { label } from './label.ts';
import type { ClusterMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled, type Workload } from './rollout.ts';
import { type Tolerate, tolerateOn } from './tolerations.ts';

const words = () => catalogue().moves.each['network-diagnostics'];

/** What asks; what is asked (network-check-target) is a DaemonSet. */
export const CHECK_SOURCE: Workload = {
  kind: 'Deployment',
  namespace: 'openshift-network-diagnostics',
  name: 'network-check-source',
};
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
    if (at(network.spec, 'networkDiagnostics', 'mode') === 'Disabled') return { state: 'absent', why: words().off };
    return { state: 'edits', edits: [placementEdit(await tolerateOn(sight, design))] };
  },
  async settled(sight, design) {
    const open = await unsettled(sight, [CHECK_SOURCE], infraNames(design), 'network');
    return open ?? { state: 'done', why: words().done };
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

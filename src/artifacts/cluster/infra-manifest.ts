import { Document } from 'yaml';
import {
  CONTROL_PLANE_TOLERATION,
  INFRA_POOL_SPEC,
  INFRA_SELECTOR,
  infraNames,
  infraTaints,
  infraTolerations,
  monitoringVolumes,
  placementKeys,
  REGISTRY_CLAIM,
  registryShape,
  routerReplicas,
} from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { fileWords } from '../file-words.ts';
import type { Draft, GenerateInput } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';

const words = () => fileWords.infra;
const PATH = `${WORK_DIR}/infra.yaml`;

/** One object of the file, with what it is for where that is not said above it. */
interface Part {
  readonly why: string;
  readonly object: object;
}

/** `infra.yaml`: the infra moves as one file to review and apply; none where the design has no infra nodes. */
export function infraFiles({ design }: GenerateInput): Draft[] {
  if (infraNames(design).length === 0) return [];
  const { pool, keepWorkerRole } = design.infra;
  const parts = [
    ...nodes(design, words().label, {}),
    ...(pool ? [poolOf(design, keepWorkerRole)] : []),
    dns(design),
    router(design),
    ...registry(design),
    monitoring(design),
    ...nodes(design, words().taint, { spec: { taints: infraTaints(design) } }),
  ];
  const head = words().head(PATH).replaceAll(/^/gm, '#');
  const content = `${head}\n\n${parts.map(text).join('---\n')}`;
  return [{ host: design.services.bastion, path: PATH, kind: 'infra-manifest', content }];
}

function text({ why, object }: Part): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  if (document.contents && why !== '') document.contents.commentBefore = why;
  return document.toString({ lineWidth: 0 });
}

/** Both times with the label: what a manager leaves out of its second manifest is taken away again. */
function nodes(design: Design, why: string, more: object): Part[] {
  return infraNames(design).map((name, index) => ({
    why: index === 0 ? why : '',
    object: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: INFRA_SELECTOR }, ...more },
  }));
}

function poolOf(design: Design, keepWorkerRole: boolean): Part {
  const unlabel = keepWorkerRole ? '' : `\n${words().unlabel(infraNames(design).join(' '))}`;
  const object = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name: 'infra' },
    spec: INFRA_POOL_SPEC,
  };
  return { why: `${words().pool}${unlabel}`, object };
}

function dns(design: Design): Part {
  const own = { key: design.infra.taint.key, operator: 'Exists' };
  const object = {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'DNS',
    metadata: { name: 'default' },
    spec: { nodePlacement: { tolerations: [CONTROL_PLANE_TOLERATION, own] } },
  };
  return { why: words().dns, object };
}

function router(design: Design): Part {
  const nodePlacement = {
    nodeSelector: { matchLabels: INFRA_SELECTOR },
    tolerations: infraTolerations(design),
  };
  const object = {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
    metadata: { name: 'default', namespace: 'openshift-ingress-operator' },
    spec: { replicas: routerReplicas(design), nodePlacement },
  };
  return { why: words().router, object };
}

function registry(design: Design): Part[] {
  const { storage, accessMode, storageClass, sizeGiB } = design.infra.registry;
  if (storage === 'none') return [];
  const placement = { nodeSelector: INFRA_SELECTOR, tolerations: infraTolerations(design) };
  const isShared = storage === 'pvc' && accessMode === 'ReadWriteMany';
  const config = {
    apiVersion: 'imageregistry.operator.openshift.io/v1',
    kind: 'Config',
    metadata: { name: 'cluster' },
    spec: {
      managementState: 'Managed',
      ...registryShape(isShared, infraNames(design).length),
      storage: storage === 'pvc' ? { pvc: { claim: REGISTRY_CLAIM } } : { emptyDir: {} },
      ...placement,
    },
  };
  const pruner = {
    apiVersion: 'imageregistry.operator.openshift.io/v1',
    kind: 'ImagePruner',
    metadata: { name: 'cluster' },
    spec: placement,
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: REGISTRY_CLAIM, namespace: 'openshift-image-registry' },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: `${sizeGiB}Gi` } },
      ...(storageClass === null ? {} : { storageClassName: storageClass }),
    },
  };
  return [
    ...(storage === 'pvc' ? [{ why: words().claim, object: claim }] : []),
    { why: storage === 'pvc' ? words().registry : words().emptyDir, object: config },
    { why: words().pruner, object: pruner },
  ];
}

function monitoring(design: Design): Part {
  const { version } = design.openshift;
  const placement = { nodeSelector: INFRA_SELECTOR, tolerations: infraTolerations(design) };
  const volumes = new Map(
    monitoringVolumes(design.infra.monitoring).map(({ key, spec }) => [String(key), { volumeClaimTemplate: { spec } }]),
  );
  const components = (placementKeys(version) ?? []).map((key) => [key, { ...placement, ...volumes.get(key) }]);
  const config = new Document(Object.fromEntries(components), { aliasDuplicateObjects: false });
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' },
    data: { 'config.yaml': config.toString({ lineWidth: 0 }) },
  };
  return { why: words().monitoring(version), object };
}

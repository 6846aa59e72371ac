import { parse } from 'yaml';
import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { readRequest } from '../../cluster/csr/request.ts';
import { clusterVersionView } from '../../cluster/views/cluster-version.ts';
import type { Design } from '../../design/model.ts';
import type { ClusterSeen, Line } from '../../diagnosis/causes/evidence.ts';
import { operatorStates } from '../../diagnosis/operators/states.ts';
import { nodeView } from '../../objects/node.ts';
import { type KubeObject, listAt } from '../../objects/object.ts';
import { operatorView } from '../../objects/operator.ts';
import { parseSafely, wrongField } from '../../objects/received.ts';
import { unwellOf } from '../../objects/unwell.ts';
import { redact } from '../../text/redact.ts';
import { claimsSeen } from './claims.ts';
import { nodeSeen } from './cluster.ts';

/** Files of one kind of objects: `resources/` of openshift-install's bundle, and what a must-gather has below each API group. */
const LISTS =
  /(?:^|\/)resources\/(?:nodes|clusteroperators|clusterversion|csr|machineconfigpools|apiservices|namespaces)\.json$/;
const GATHERED =
  /(?:^|\/)cluster-scoped-resources\/(?:config\.openshift\.io\/cluster(?:operator|version)s|core\/(?:nodes|namespaces)|machineconfiguration\.openshift\.io\/machineconfigpools|apiregistration\.k8s\.io\/apiservices|certificates\.k8s\.io\/certificatesigningrequests|storage\.k8s\.io\/storageclasses)(?:\/[^/]+)?\.yaml$/;
const IN_NAMESPACES = /(?:^|\/)namespaces\/([^/]+)\/(?:\1|core\/persistentvolumeclaims)\.yaml$/;

/** Whether a file of a bundle holds objects that are judged. */
export function holdsObjects(path: string): boolean {
  return LISTS.test(path) || GATHERED.test(path) || IN_NAMESPACES.test(path);
}

/** The objects of a JSON list or a YAML document; what is none is left out. */
export function objectsOf(path: string, text: string): KubeObject[] {
  try {
    const value: unknown = path.endsWith('.json') ? parseSafely(text) : parseSafely(JSON.stringify(parse(text)));
    const items = listAt(value, 'items');
    return (items.length > 0 ? items : [value]).filter(isObject);
  } catch {
    // The end of a file that was too long, or one that was cut: the others are read.
    return [];
  }
}

function isObject(value: unknown): value is KubeObject {
  return wrongField(value) === null;
}

const of = (objects: readonly KubeObject[], wanted: string) => objects.filter(({ kind }) => kind === wanted);

/** What operators that are not well say, as lines: the same patterns fit them. */
export function operatorLines(objects: readonly KubeObject[]): Line[] {
  const operators = of(objects, 'ClusterOperator').map(operatorView);
  return operators
    .filter(({ available, degraded }) => !available || degraded)
    .map(({ name, message }) => ({
      source: `clusteroperators/${name}`,
      host: null,
      text: redact(message).slice(0, 2000),
      at: null,
    }));
}

/** The cluster at the moment of a bundle, as far as its objects tell. @param now that moment, ms */
export function clusterOf(design: Design, objects: readonly KubeObject[], now: number): ClusterSeen {
  const all = of(objects, 'Node');
  const nodes = all.map(nodeView);
  const operators = of(objects, 'ClusterOperator').map(operatorView);
  const [version] = of(objects, 'ClusterVersion');
  const requests = of(objects, 'CertificateSigningRequest').map(readRequest);
  const classes = of(objects, 'StorageClass');
  return {
    bootstrapStatus: null,
    isEtcdAlone: null,
    routers: null,
    proxy: null,
    version: version === undefined ? null : clusterVersionView(version),
    requests: requests.length === 0 ? null : judgeAll(requests, { design, nodes, now, bootedSince: null }),
    // Of none, nobody knows whether there was a file of them.
    storageClasses: classes.length === 0 ? null : classes.map(({ metadata }) => metadata.name),
    pendingClaims: claimsSeen(of(objects, 'PersistentVolumeClaim'), classes, of(objects, 'Event')),
    nodes: all.length === 0 ? null : all.map(nodeSeen),
    operators: operators.length === 0 ? null : operatorStates(design, operators, nodes, [], now),
    unwell: objects.flatMap((object) => unwellOf(object) ?? []),
  };
}

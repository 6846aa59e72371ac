import { parseDocument } from 'yaml';
import { isBootstrapMemberRemoved } from '../../checks/bootstrap/stages.ts';
import { deriveOperatorStates } from '../../checks/operators.ts';
import type { EvidenceLine, ObservedCluster } from '../../checks/rules/evidence.ts';
import { reviewWithoutDesign } from '../../csr/request-policy.ts';
import { createCsrReview } from '../../csr/review-requests.ts';
import type { Design } from '../../design/model.ts';
import type { ArchiveFile } from '../../host/tar.ts';
import { parseClusterVersion } from '../../kube/cluster-version.ts';
import { isEtcdBootstrapMemberRemoved } from '../../kube/snapshot.ts';
import { parseCertificateRequest } from '../../openshift/certificate-request.ts';
import { parseNode } from '../../openshift/node.ts';
import { findUnhealthy, getList, getString, getTime, type KubeObject } from '../../openshift/object.ts';
import { parseClusterOperator } from '../../openshift/operator.ts';
import { parsePod } from '../../openshift/pod.ts';
import { checkAndNormalizeObject, parseSafely } from '../../openshift/safe-json.ts';
import { redact } from '../../platform/secrets.ts';
import { toObservedNode, toObservedProxy } from './observed-cluster.ts';
import { listPendingClaims } from './pending-claims.ts';

/** An object of a bundle, with the path of its file in the bundle. */
export interface BundleObject {
  readonly object: KubeObject;
  readonly path: string;
}

/** Maximum size of a YAML file (bytes): parsing one of this size takes a second. A larger file is skipped. */
const MAX_YAML_SIZE = 8 * 1024 * 1024;
/** JSON up to this size (bytes) is parsed as one value, larger JSON item by item. */
const MAX_WHOLE_JSON_SIZE = 4 * 1024 * 1024;

/**
 * Parses the complete objects of a JSON list or a YAML document.
 * @returns `isCut` if the file is truncated, too large, or holds something else
 */
export function parseObjects({ path, content, isComplete }: ArchiveFile): {
  readonly objects: readonly BundleObject[];
  readonly isCut: boolean;
} {
  const name = path.replace(/\.gz$/, '');
  // An `oc` command that gets no response leaves an empty file.
  if (content.length === 0) return { objects: [], isCut: !isComplete };
  // Only the events of volumes are relevant: most files have none, and YAML is slow.
  if (name.endsWith('/events.yaml') && !content.includes('PersistentVolumeClaim')) return { objects: [], isCut: false };
  const parsedContent = name.endsWith('.json') ? parseJson(content) : parseYaml(content);
  const objects = parsedContent.values.filter(isKubeObject).map((object) => ({ object, path }));
  return { objects, isCut: !isComplete || !parsedContent.isComplete };
}

interface ParsedValues {
  readonly values: readonly unknown[];
  readonly isComplete: boolean;
}

function parseJson(content: Buffer): ParsedValues {
  if (content.length <= MAX_WHOLE_JSON_SIZE) {
    const value = tryParseJson(content.toString('utf8'));
    if (value !== undefined) return { values: listItems(value), isComplete: true };
  }
  return parseItems(content);
}

function tryParseJson(text: string): unknown {
  try {
    return parseSafely(text);
  } catch {
    return undefined;
  }
}

function parseYaml(content: Buffer): ParsedValues {
  if (content.length > MAX_YAML_SIZE) return { values: [], isComplete: false };
  try {
    const document = parseDocument(content.toString('utf8'), { logLevel: 'silent', keepSourceTokens: false });
    const value = tryParseJson(JSON.stringify(document.toJS({ maxAliasCount: 100 })));
    const isComplete = document.errors.length === 0;
    const items = listItems(value);
    // The last object of a truncated file is incomplete: its missing fields are no problem of the cluster.
    return { values: isComplete ? items : getList(value, 'items').length > 0 ? items.slice(0, -1) : [], isComplete };
  } catch {
    return { values: [], isComplete: false };
  }
}

/** Lists the items of a list, or the single object. Items without apiVersion and kind get those of the list. */
function listItems(value: unknown): unknown[] {
  const items = getList(value, 'items');
  const kind = getString(value, 'kind') ?? '';
  if (items.length === 0) return kind.endsWith('List') ? [] : [value];
  const defaults = { apiVersion: getString(value, 'apiVersion') ?? '', kind: kind.replace(/List$/, '') };
  return items.map((item) => (typeof item === 'object' && item !== null ? { ...defaults, ...item } : item));
}

const [QUOTE, ESCAPE, OPEN, CLOSE] = ['"', '\\', '{', '}'].map((character) => character.charCodeAt(0));

/** Parses the items of a list that is truncated, or too large to parse as a whole; incomplete items are left out. */
function parseItems(content: Buffer): ParsedValues {
  const values: unknown[] = [];
  const itemsStart = content.indexOf('"items"');
  if (itemsStart === -1) return { values, isComplete: false };
  let [depth, objectStart, isInString] = [0, -1, false];
  for (let index = itemsStart + '"items"'.length; index < content.length; index += 1) {
    const byte = content[index];
    if (isInString) {
      if (byte === ESCAPE) index += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN) {
      if (depth === 0) objectStart = index;
      depth += 1;
    } else if (byte === CLOSE) {
      depth -= 1;
      // The end of the list itself.
      if (depth < 0) return { values, isComplete: true };
      if (depth === 0) {
        const value = tryParseJson(content.toString('utf8', objectStart, index + 1));
        if (value !== undefined) values.push(value);
      }
    }
  }
  return { values, isComplete: false };
}

function isKubeObject(value: unknown): value is KubeObject {
  return checkAndNormalizeObject(value) === null;
}

/** Whether an object is evidence. Of kinds with thousands of objects in a bundle, only a few objects are. */
export function isRelevantObject({ kind, metadata: { namespace, name }, involvedObject }: KubeObject): boolean {
  if (kind === 'Event') return getString(involvedObject, 'kind') === 'PersistentVolumeClaim';
  if (kind === 'Pod') return namespace === 'openshift-ingress' && name.startsWith('router-');
  if (kind === 'ConfigMap') return namespace === 'kube-system' && name === 'bootstrap';
  return true;
}

const filterByKind = (objects: readonly KubeObject[], kindName: string) =>
  objects.filter(({ kind }) => kind === kindName);

/** Converts the messages of unhealthy operators to lines, so that the patterns for log lines match them. */
export function listOperatorLines(objects: readonly KubeObject[]): EvidenceLine[] {
  const operators = filterByKind(objects, 'ClusterOperator').map(parseClusterOperator);
  return operators
    .filter(({ available, degraded }) => !available || degraded)
    .map(({ name, message }) => ({
      source: `clusteroperators/${name}`,
      host: null,
      text: redact(message).slice(0, 2000),
      at: null,
    }));
}

/** Finds the last heartbeat of a kubelet, ms: shortly before the bundle was gathered; null if no Node has one. */
export function findLastHeartbeat(objects: readonly KubeObject[]): number | null {
  const heartbeats = filterByKind(objects, 'Node').flatMap(({ status }) =>
    getList(status, 'conditions').flatMap((condition) => getTime(condition, 'lastHeartbeatTime') ?? []),
  );
  return heartbeats.length === 0 ? null : heartbeats.reduce((last, heartbeat) => Math.max(last, heartbeat));
}

/**
 * Derives the state of the cluster at the time of a bundle, as far as its objects show it.
 * @param design null: the design is unknown, and nothing is compared with it
 * @param isRunning the control plane runs on its own: a pod gathered the bundle, or the operators were printed
 * @param now the time of the bundle, ms
 */
export function deriveObservedCluster(
  design: Design | null,
  objects: readonly KubeObject[],
  { now, isRunning: isControlPlaneRunning }: { readonly now: number; readonly isRunning: boolean },
): ObservedCluster {
  const nodeObjects = filterByKind(objects, 'Node');
  const nodes = nodeObjects.map(parseNode);
  const operators = filterByKind(objects, 'ClusterOperator').map(parseClusterOperator);
  const [versionObject] = filterByKind(objects, 'ClusterVersion');
  const version = versionObject === undefined ? null : parseClusterVersion(versionObject);
  const requests = filterByKind(objects, 'CertificateSigningRequest').map(parseCertificateRequest);
  const classes = filterByKind(objects, 'StorageClass');
  // Each node has a CSINode: if those were gathered, the StorageClasses were, too.
  const areClassesKnown = classes.length > 0 || filterByKind(objects, 'CSINode').length > 0;
  const bootstrapConfigMap = filterByKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name === 'bootstrap');
  const isBootstrapComplete =
    isControlPlaneRunning || version?.available === true || bootstrapConfigMap?.data?.status === 'complete';
  const etcd = filterByKind(objects, 'Etcd')[0];
  const isRemoved = etcd === undefined ? null : isEtcdBootstrapMemberRemoved(etcd);
  const routers = listRouters(objects);
  const release = version?.version || (design?.openshift.version ?? '');
  return {
    bootstrapStatus: isBootstrapComplete ? 'complete' : bootstrapConfigMap === undefined ? null : 'progress',
    isBootstrapMemberRemoved:
      version?.available === true ? true : isRemoved === null ? null : isBootstrapMemberRemoved(release, isRemoved),
    routers,
    proxy: toObservedProxy(filterByKind(objects, 'Proxy').find(({ metadata }) => metadata.name === 'cluster')),
    version,
    requests: requests.length === 0 ? null : reviewBundleRequests(design, requests, nodes, now),
    storageClasses: areClassesKnown ? classes.map(({ metadata }) => metadata.name) : null,
    pendingClaims: listPendingClaims(
      filterByKind(objects, 'PersistentVolumeClaim'),
      classes,
      filterByKind(objects, 'Event'),
    ),
    nodes: nodeObjects.length === 0 ? null : nodeObjects.map(toObservedNode),
    operators:
      operators.length === 0
        ? null
        : deriveOperatorStates(
            design,
            operators,
            nodeObjects.length === 0 && isControlPlaneRunning ? null : nodes,
            [],
            routers,
            now,
          ),
    unhealthyObjects: objects.flatMap((object) => findUnhealthy(object) ?? []),
  };
}

function reviewBundleRequests(
  design: Design | null,
  requests: readonly ReturnType<typeof parseCertificateRequest>[],
  nodes: readonly ReturnType<typeof parseNode>[],
  now: number,
) {
  return design === null
    ? requests.map(reviewWithoutDesign)
    : createCsrReview({ requests, nodes }, { design, now, firstPowerOnAt: null }).reviews;
}

/** Lists each router pod once: a must-gather has a file for each pod, and one for all pods of a namespace. */
function listRouters(objects: readonly KubeObject[]): ObservedCluster['routers'] {
  const pods = filterByKind(objects, 'Pod').map(parsePod);
  const isKnown = pods.length > 0;
  return isKnown ? [...new Map(pods.map((pod) => [pod.name, pod])).values()] : null;
}

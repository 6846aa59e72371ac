import { isDeepStrictEqual } from 'node:util';
import { type Document, parseDocument } from 'yaml';
import type { InfraPlan } from '../../design/model.ts';
import type { JsonObject } from '../object.ts';

/**
 * The components that can be placed, by minor version of OpenShift 4 (5.0 counts as 4.23). Read in the branches of
 * cluster-monitoring-operator (pkg/manifests/config.go, types.go): a key too many makes the operator degraded from 4.18 on.
 */
const COMPONENTS: readonly { readonly key: string; readonly since: number; readonly until: number }[] = [
  { key: 'alertmanagerMain', since: 0, until: 99 },
  { key: 'prometheusK8s', since: 0, until: 99 },
  { key: 'prometheusOperator', since: 0, until: 99 },
  { key: 'kubeStateMetrics', since: 0, until: 99 },
  { key: 'openshiftStateMetrics', since: 0, until: 99 },
  { key: 'telemeterClient', since: 0, until: 99 },
  { key: 'thanosQuerier', since: 0, until: 99 },
  { key: 'grafana', since: 0, until: 10 },
  { key: 'k8sPrometheusAdapter', since: 0, until: 15 },
  { key: 'monitoringPlugin', since: 14, until: 99 },
  { key: 'metricsServer', since: 16, until: 99 },
];

/** The keys of cluster-monitoring-config that take a placement in this version ("4.18.9"); null when it is no version. */
export function placementKeys(version: string): string[] | null {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined || Number(major) < 4) return null;
  const count = Number(major) === 4 ? Number(minor) : 23 + Number(minor);
  return COMPONENTS.filter(({ since, until }) => count >= since && count <= until).map(({ key }) => key);
}

export interface MonitoringWish {
  readonly keys: readonly string[];
  readonly nodeSelector: JsonObject;
  readonly tolerations: readonly JsonObject[];
  readonly volumes: InfraPlan['monitoring'];
}

/**
 * The text of `config.yaml` with our settings in it and everything else as it was, comments included.
 * @param text what is there; empty when nothing
 * @returns the same text when it says all of it already; `error` when it is not YAML of a mapping
 */
export function mergeMonitoring(text: string, wish: MonitoringWish): { text: string } | { error: string } {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { error: error.message.split('\n', 1)[0] ?? '' };
  const before: unknown = document.toJS();
  if (before !== null && (typeof before !== 'object' || Array.isArray(before))) return { error: 'not a mapping' };
  for (const key of wish.keys) {
    setPlain(document, [key, 'nodeSelector'], wish.nodeSelector);
    setPlain(document, [key, 'tolerations'], wish.tolerations);
  }
  const { storageClass, prometheusGiB, alertmanagerGiB } = wish.volumes;
  if (storageClass !== null) {
    setPlain(document, ['prometheusK8s', 'volumeClaimTemplate', 'spec'], volume(storageClass, prometheusGiB));
    setPlain(document, ['alertmanagerMain', 'volumeClaimTemplate', 'spec'], volume(storageClass, alertmanagerGiB));
  }
  return { text: isDeepStrictEqual(document.toJS(), before) ? text : document.toString({ lineWidth: 0 }) };
}

/** The text without our placement; volumes stay, since taking them away loses what was measured. */
export function withoutPlacement(text: string, keys: readonly string[]): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  const before: unknown = document.toJS();
  for (const key of keys) {
    for (const part of ['nodeSelector', 'tolerations']) {
      if (document.hasIn([key, part])) document.deleteIn([key, part]);
    }
    const rest: unknown = document.toJS();
    const left = rest !== null && typeof rest === 'object' ? Reflect.get(rest, key) : undefined;
    if (isDeepStrictEqual(left, {})) document.delete(key);
  }
  return isDeepStrictEqual(document.toJS(), before) ? text : document.toString({ lineWidth: 0 });
}

function setPlain(document: Document, path: readonly string[], value: unknown): void {
  // A key that is written but empty (`prometheusK8s:`) is null and holds nothing: it becomes a mapping first.
  for (let depth = 1; depth < path.length; depth += 1) {
    const parent = path.slice(0, depth);
    const found: unknown = document.getIn(parent);
    if (found === null || found === undefined) document.setIn(parent, document.createNode({}));
  }
  document.setIn(path, document.createNode(value));
}

function volume(storageClassName: string, sizeGiB: number): JsonObject {
  return { storageClassName, resources: { requests: { storage: `${sizeGiB}Gi` } } };
}

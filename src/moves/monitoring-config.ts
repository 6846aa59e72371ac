import { isDeepStrictEqual } from 'node:util';
import { type Document, parseDocument } from 'yaml';
import { monitoringVolumes, type Toleration } from '../design/infra-placement.ts';
import type { InfraPlan } from '../design/model.ts';
import type { JsonObject } from '../objects/object.ts';

export interface MonitoringWish {
  readonly keys: readonly string[];
  readonly nodeSelector: JsonObject;
  readonly tolerations: readonly Toleration[];
  readonly volumes: InfraPlan['monitoring'];
}

/**
 * The text of `config.yaml` with our settings in it and everything else as it was, comments included.
 * @param text the current text; empty when there is none
 * @returns the same text when it has all settings already; `error` when it is not YAML of a mapping
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
  for (const { key, spec } of monitoringVolumes(wish.volumes))
    setPlain(document, [key, 'volumeClaimTemplate', 'spec'], spec);
  return { text: isDeepStrictEqual(document.toJS(), before) ? text : document.toString({ lineWidth: 0 }) };
}

/** The text without our placement; volumes stay, since removing them loses metrics. */
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

import { isDeepStrictEqual } from 'node:util';
import { type Document, parseDocument } from 'yaml';
import { at, type JsonObject, listAt } from '../objects/object.ts';
import type { Tolerate } from './tolerations.ts';

export interface MonitoringWish {
  readonly keys: readonly string[];
  readonly nodeSelector: JsonObject;
  readonly tolerate: Tolerate;
  /** A volume that is configured already stays: another one would begin empty. */
  readonly volumes: readonly { readonly key: string; readonly spec: JsonObject }[];
}

/**
 * The text of `config.yaml` with our settings in it and everything else as it was, comments included.
 * @param text the current text; empty when there is none
 * @returns the same text when it has all settings already, with the keys whose volumes stay other than wished; `error` when
 * it is not YAML of a mapping
 */
export function mergeMonitoring(
  text: string,
  wish: MonitoringWish,
): { readonly text: string; readonly kept: readonly string[] } | { readonly error: string } {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { error: error.message.split('\n', 1)[0] ?? '' };
  const before: unknown = document.toJS();
  if (before !== null && (typeof before !== 'object' || Array.isArray(before))) return { error: 'not a mapping' };
  for (const key of wish.keys) {
    setPlain(document, [key, 'nodeSelector'], wish.nodeSelector);
    setPlain(document, [key, 'tolerations'], wish.tolerate(listAt(before, key, 'tolerations')));
  }
  const kept: string[] = [];
  for (const { key, spec } of wish.volumes) {
    const own: unknown = at(before, key, 'volumeClaimTemplate', 'spec');
    if (own === undefined || own === null) setPlain(document, [key, 'volumeClaimTemplate', 'spec'], spec);
    else if (!isDeepStrictEqual(own, spec)) kept.push(key);
  }
  return { text: isDeepStrictEqual(document.toJS(), before) ? text : document.toString({ lineWidth: 0 }), kept };
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

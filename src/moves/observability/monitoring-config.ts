import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isNode, isScalar, type Node, visit } from 'yaml';
import { at, type JsonObject, listAt } from '../../objects/object.ts';
import { isFields } from '../edit.ts';
import { plainYaml } from '../shared/plain-yaml.ts';
import type { Tolerate } from '../shared/tolerations.ts';
import { readYaml } from '../shared/yaml-text.ts';

export interface MonitoringWish {
  readonly keys: readonly string[];
  readonly nodeSelector: JsonObject;
  readonly tolerate: Tolerate;
  /** A volume that is configured already stays: another one would begin empty. */
  readonly volumes: readonly { readonly key: string; readonly spec: JsonObject }[];
}

type Merged = { readonly text: string; readonly kept: readonly string[] } | { readonly error: string };

/** A plan asks for the same text several times: to see whether it can be made, for its dry run, and for the write. */
const known = new WeakMap<MonitoringWish, Map<string, Merged>>();

/**
 * The text of `config.yaml` with our settings in it and everything else as it was, comments included.
 * @param text the current text; empty when there is none
 * @returns the same text when it has all settings already, with the keys whose volumes stay other than wished; `error` when
 * it is not YAML of a mapping
 */
export function mergeMonitoring(text: string, wish: MonitoringWish): Merged {
  const ofWish = known.get(wish) ?? new Map<string, Merged>();
  known.set(wish, ofWish);
  const found = ofWish.get(text) ?? merge(text, wish);
  ofWish.set(text, found);
  return found;
}

function merge(text: string, wish: MonitoringWish): Merged {
  const fresh = text === '' ? freshSettings(wish) : null;
  if (fresh !== null) return { text: fresh, kept: [] };
  const read = readYaml(text);
  if ('error' in read) return read;
  const { document, value: before } = read;
  if (before !== null && !isFields(before)) return { error: 'not a mapping' };
  const scalar = [...wish.keys, ...wish.volumes.map(({ key }) => `${key}.volumeClaimTemplate`)].find((path) => {
    const found = at(before, ...path.split('.'));
    return found !== undefined && found !== null && !isFields(found);
  });
  if (scalar !== undefined) return { error: `${scalar}: not a mapping` };
  if (wish.keys.some((key) => isBorrowed(document, key))) writeOut(document);
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

/** The settings where there are none yet, which is most often; null where their text needs the library. */
function freshSettings({ keys, nodeSelector, tolerate, volumes }: MonitoringWish): string | null {
  const placed = keys.map((key) => [key, { nodeSelector, tolerations: tolerate([]) }] as const);
  const settings: Record<string, object> = Object.fromEntries(placed);
  for (const { key, spec } of volumes) settings[key] = { ...settings[key], volumeClaimTemplate: { spec } };
  return plainYaml(settings);
}

/** The text without our placement; volumes stay, since removing them loses metrics. */
export function withoutPlacement(text: string, keys: readonly string[]): string {
  const read = readYaml(text);
  if ('error' in read) return text;
  const { document, value: before } = read;
  if (keys.some((key) => isBorrowed(document, key))) writeOut(document);
  for (const key of keys) {
    for (const part of ['nodeSelector', 'tolerations']) {
      if (document.hasIn([key, part])) document.deleteIn([key, part]);
    }
    const rest: unknown = document.toJS();
    if (isDeepStrictEqual(at(rest, key), {})) document.delete(key);
  }
  return isDeepStrictEqual(document.toJS(), before) ? text : document.toString({ lineWidth: 0 });
}

/** Whether what is at the key is written elsewhere, or elsewhere stands for what is written there (anchors, aliases, merge keys). */
function isBorrowed(document: Document, key: string): boolean {
  let isFound = false;
  const note = () => {
    isFound = true;
    return visit.BREAK;
  };
  const node = document.get(key, true);
  if (isNode(node)) visit(node, { Alias: note, Node: (_, { anchor }) => (anchor === undefined ? undefined : note()) });
  return isFound;
}

/** Puts what aliases and merge keys stand for in their places, so that one component can change without the others. */
function writeOut(document: Document): void {
  const own = (node: Node): Node => document.createNode(node.toJS(document), { aliasDuplicateObjects: false });
  visit(document, {
    Map(_, map) {
      const merges = map.items.filter(({ key, value }) => isScalar(key) && key.value === '<<' && isNode(value));
      if (merges.length === 0) return;
      const all: unknown = map.toJS(document);
      map.items = map.items.filter((item) => !merges.includes(item));
      for (const [key, value] of Object.entries(isFields(all) ? all : {})) {
        if (!map.has(key)) map.set(key, document.createNode(value, { aliasDuplicateObjects: false }));
      }
    },
    Alias: (_, alias) => own(alias),
  });
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) node.anchor = undefined;
    },
  });
}

function setPlain(document: Document, path: readonly string[], value: unknown): void {
  // A key that is written but empty (`prometheusK8s:`) is null and holds nothing: it becomes a mapping first.
  for (let depth = 1; depth < path.length; depth += 1) {
    const parent = path.slice(0, depth);
    const found: unknown = document.getIn(parent);
    if (found !== null && found !== undefined) continue;
    const empty = document.getIn(parent, true);
    const fresh = document.createNode({});
    // Its comment stands above what comes in its place.
    if (isNode(empty)) fresh.commentBefore = empty.comment ?? empty.commentBefore;
    document.setIn(parent, fresh);
  }
  document.setIn(path, document.createNode(value));
}

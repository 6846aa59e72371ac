import { parseDocument } from 'yaml';
import type { ArchiveFile } from '../../host/tar.ts';
import { getList, getString, type KubeObject } from '../../openshift/object.ts';
import { findInvalidField, parseSafely } from '../../openshift/safe-json.ts';

/** An object of a bundle, with the path of its file there. */
export interface BundleObject {
  readonly object: KubeObject;
  readonly path: string;
}

/** Maximum size of a YAML file (bytes), which takes a second to parse; a larger one is left out. */
const MAX_YAML_SIZE = 8 * 1024 * 1024;
/** JSON up to this size (bytes) is parsed as one value, larger JSON item by item. */
const MAX_WHOLE_JSON_SIZE = 4 * 1024 * 1024;

/**
 * Parses the complete objects of a JSON list or a YAML document.
 * @returns `isCut` if the file is truncated, too large, or holds something else
 */
export function parseObjects({ path, content, isWhole }: ArchiveFile): {
  readonly objects: readonly BundleObject[];
  readonly isCut: boolean;
} {
  const name = path.replace(/\.gz$/, '');
  // `oc` without an answer leaves an empty file.
  if (content.length === 0) return { objects: [], isCut: !isWhole };
  // Only the events of volumes are relevant: most files have none, and YAML is slow.
  if (name.endsWith('/events.yaml') && !content.includes('PersistentVolumeClaim')) return { objects: [], isCut: false };
  const parsed = name.endsWith('.json') ? parseJson(content) : parseYaml(content);
  const objects = parsed.values.filter(isObject).map((object) => ({ object, path }));
  return { objects, isCut: !isWhole || !parsed.isWhole };
}

interface ParsedValues {
  readonly values: readonly unknown[];
  readonly isWhole: boolean;
}

function parseJson(content: Buffer): ParsedValues {
  if (content.length <= MAX_WHOLE_JSON_SIZE) {
    const value = tryParseJson(content.toString('utf8'));
    if (value !== undefined) return { values: listItems(value), isWhole: true };
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
  if (content.length > MAX_YAML_SIZE) return { values: [], isWhole: false };
  try {
    const document = parseDocument(content.toString('utf8'), { logLevel: 'silent', keepSourceTokens: false });
    const value = tryParseJson(JSON.stringify(document.toJS({ maxAliasCount: 100 })));
    const isWhole = document.errors.length === 0;
    const items = listItems(value);
    // The last object of a truncated file is incomplete: its missing fields are no problem of the cluster.
    return { values: isWhole ? items : getList(value, 'items').length > 0 ? items.slice(0, -1) : [], isWhole };
  } catch {
    return { values: [], isWhole: false };
  }
}

/** Lists the items of a list, which need not have a type of their own; or the single object. */
function listItems(value: unknown): unknown[] {
  const items = getList(value, 'items');
  const kind = getString(value, 'kind') ?? '';
  if (items.length === 0) return kind.endsWith('List') ? [] : [value];
  const defaults = { apiVersion: getString(value, 'apiVersion') ?? '', kind: kind.replace(/List$/, '') };
  return items.map((item) => (typeof item === 'object' && item !== null ? { ...defaults, ...item } : item));
}

const [QUOTE, ESCAPE, OPEN, CLOSE] = ['"', '\\', '{', '}'].map((each) => each.charCodeAt(0));

/** Parses a list that is too large for one value, or truncated: each complete object one level below the list. */
function parseItems(content: Buffer): ParsedValues {
  const values: unknown[] = [];
  const begin = content.indexOf('"items"');
  if (begin === -1) return { values, isWhole: false };
  let [depth, from, isText] = [0, -1, false];
  for (let index = begin + '"items"'.length; index < content.length; index += 1) {
    const byte = content[index];
    if (isText) {
      if (byte === ESCAPE) index += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN) {
      if (depth === 0) from = index;
      depth += 1;
    } else if (byte === CLOSE) {
      depth -= 1;
      // The end of the list itself.
      if (depth < 0) return { values, isWhole: true };
      if (depth === 0) {
        const value = tryParseJson(content.toString('utf8', from, index + 1));
        if (value !== undefined) values.push(value);
      }
    }
  }
  return { values, isWhole: false };
}

function isObject(value: unknown): value is KubeObject {
  return findInvalidField(value) === null;
}

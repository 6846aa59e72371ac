import { parseDocument } from 'yaml';
import type { FoundFile } from '../../bastion/untar.ts';
import { type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { parseSafely, wrongField } from '../../objects/received.ts';

/** An object of a bundle, with the path of its file there. */
export interface BundleObject {
  readonly object: KubeObject;
  readonly path: string;
}

/** YAML takes a second for each of so many bytes: a file of objects that is larger is left out. */
const LARGEST_YAML = 8 * 1024 * 1024;
/** JSON is parsed at once up to so many bytes, then item by item. */
const AT_ONCE = 4 * 1024 * 1024;

/**
 * The objects of a JSON list or a YAML document, as far as they are whole.
 * @returns `isCut` when the file ends in the middle, is too large, or holds something else
 */
export function objectsOf({ path, content, isWhole }: FoundFile): {
  readonly objects: readonly BundleObject[];
  readonly isCut: boolean;
} {
  const name = path.replace(/\.gz$/, '');
  // `oc` that got no answer leaves an empty file.
  if (content.length === 0) return { objects: [], isCut: !isWhole };
  // Of events those of volumes are told: most files have none, and YAML is slow.
  if (name.endsWith('/events.yaml') && !content.includes('PersistentVolumeClaim')) return { objects: [], isCut: false };
  const read = name.endsWith('.json') ? ofJson(content) : ofYaml(content);
  const objects = read.values.filter(isObject).map((object) => ({ object, path }));
  return { objects, isCut: !isWhole || !read.isWhole };
}

interface Read {
  readonly values: readonly unknown[];
  readonly isWhole: boolean;
}

function ofJson(content: Buffer): Read {
  if (content.length <= AT_ONCE) {
    const value = tryJson(content.toString('utf8'));
    if (value !== undefined) return { values: itemsOf(value), isWhole: true };
  }
  return byItem(content);
}

function tryJson(text: string): unknown {
  try {
    return parseSafely(text);
  } catch {
    return undefined;
  }
}

function ofYaml(content: Buffer): Read {
  if (content.length > LARGEST_YAML) return { values: [], isWhole: false };
  try {
    const document = parseDocument(content.toString('utf8'), { logLevel: 'silent', keepSourceTokens: false });
    const value = tryJson(JSON.stringify(document.toJS({ maxAliasCount: 100 })));
    const isWhole = document.errors.length === 0;
    const items = itemsOf(value);
    // Of a file that ends in the middle the last object is half: what it lacks is not what is wrong with it.
    return { values: isWhole ? items : listAt(value, 'items').length > 0 ? items.slice(0, -1) : [], isWhole };
  } catch {
    return { values: [], isWhole: false };
  }
}

/** The items of a list, which need not say what they are; or the one object. */
function itemsOf(value: unknown): unknown[] {
  const items = listAt(value, 'items');
  const kind = textAt(value, 'kind') ?? '';
  if (items.length === 0) return kind.endsWith('List') ? [] : [value];
  const own = { apiVersion: textAt(value, 'apiVersion') ?? '', kind: kind.replace(/List$/, '') };
  return items.map((item) => (typeof item === 'object' && item !== null ? { ...own, ...item } : item));
}

const [QUOTE, ESCAPE, OPEN, CLOSE] = ['"', '\\', '{', '}'].map((each) => each.charCodeAt(0));

/** The items of a list that is too large for one value, or ends in the middle: each whole object one level below the list. */
function byItem(content: Buffer): Read {
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
        const value = tryJson(content.toString('utf8', from, index + 1));
        if (value !== undefined) values.push(value);
      }
    }
  }
  return { values, isWhole: false };
}

function isObject(value: unknown): value is KubeObject {
  return wrongField(value) === null;
}

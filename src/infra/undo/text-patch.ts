import { type Document, isMap } from 'yaml';
import { diffLines } from '../../platform/diff.ts';
import { computeSha256 } from '../../platform/text.ts';
import { isJsonObject } from '../edit.ts';
import { readYaml } from '../shared/yaml.ts';
import { diffFields, type FieldChange } from './field-change.ts';

/** A replacement of lines: from line `at` (0 is the first), `take` lines are removed and `put` inserted. */
interface Hunk {
  readonly at: number;
  readonly take: number;
  readonly put: readonly string[];
}

/** The patch from one text to another; lines that both share are not stored. */
export interface TextPatch {
  /** SHA-256 of the text before the patch, and of the text after it. */
  readonly from: string;
  readonly to: string;
  readonly hunks: readonly Hunk[];
}

/** Computes the patch from one text to the other. */
export function diffText(oldText: string, newText: string): TextPatch {
  // The part after the last newline is a line, too: the texts are restored byte for byte.
  const lines = diffLines(addNewline(oldText), addNewline(newText), Number.POSITIVE_INFINITY);
  const hunks: { at: number; take: number; put: string[] }[] = [];
  let at = 0;
  let isInHunk = false;
  for (const { kind, text } of lines) {
    if (kind === 'same') {
      at += 1;
      isInHunk = false;
      continue;
    }
    if (!isInHunk) hunks.push({ at, take: 0, put: [] });
    isInHunk = true;
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (kind === 'added') hunk.put.push(text);
    else {
      hunk.take += 1;
      at += 1;
    }
  }
  return { from: computeSha256(oldText), to: computeSha256(newText), hunks };
}

/** Applies patches from the newest to the oldest. Returns null if a patch does not match the text. */
export function applyPatches(text: string, patches: readonly TextPatch[]): string | null {
  return patches.reduceRight<string | null>((current, { from, to, hunks }) => {
    if (current === null || computeSha256(current) !== from) return null;
    const lines = current.split('\n');
    for (const { at, take, put } of hunks.toReversed()) lines.splice(at, take, ...put);
    const patchedText = lines.join('\n');
    return computeSha256(patchedText) === to ? patchedText : null;
  }, text);
}

/** Adds a newline, because diffLines has no line for an empty text and drops one newline at the end. */
function addNewline(text: string): string {
  return `${text}\n`;
}

type PreviousField = Omit<FieldChange, 'ours'>;

/** Parses the mapping of a YAML text; undefined for an empty or invalid text, or another type. */
export function parseYamlMapping(text: string | undefined): unknown {
  const yaml = readYaml(text ?? '');
  return 'value' in yaml && isJsonObject(yaml.value) ? yaml.value : undefined;
}

/** Lists the fields within a YAML text that differ from those of another. */
export function diffYaml(before: string | undefined, after: string): FieldChange[] {
  return diffFields(parseYamlMapping(before), parseYamlMapping(after));
}

/** Restores these fields in the text; everything else in it stays, comments too. */
export function restoreYamlFields(text: string, fields: readonly PreviousField[]): string {
  const yaml = readYaml(text);
  if ('error' in yaml) return text;
  const { document } = yaml;
  for (const field of fields) restoreInDocument(document, field);
  return document.toString({ lineWidth: 0 });
}

function restoreInDocument(document: Document, { path, before, depth }: PreviousField): void {
  if (before !== undefined) {
    document.setIn(path, document.createNode(before));
    return;
  }
  if (document.hasIn(path)) document.deleteIn(path);
  for (let length = path.length - 1; length > depth; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, length), true);
    if (isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, length));
  }
}

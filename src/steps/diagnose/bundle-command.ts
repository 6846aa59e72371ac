import { join } from 'node:path';
import type { Diagnosis } from '../../checks/rules/diagnose.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { shellCommand } from '../../platform/shell-quoting.ts';
import { type BundleLine, shortenPath } from './bundle-lines.ts';
import type { BundleObject } from './bundle-objects.ts';

/** The content of a bundle that was read, and its location. */
export interface LoadedBundle {
  readonly bundlePath: string;
  readonly isDirectory: boolean;
  readonly lines: readonly BundleLine[];
  readonly objects: readonly BundleObject[];
}

/**
 * Builds a complete command that shows the symptom of a diagnosis in the bundle; null if no single file of it has the
 * symptom.
 */
export function buildBundleCommand(
  found: Diagnosis,
  { bundlePath, isDirectory, lines, objects }: LoadedBundle,
): string | null {
  const line = lines.find(({ source, text }) => found.symptom === `${source}: ${text}`);
  const path = line?.path ?? findObject(found, objects)?.path;
  // A path that cannot be typed as it is displayed is not offered.
  if (path === undefined || sanitizeLine(path, 1000) !== path) return null;
  const searchText = line === undefined ? null : findSearchText(line.text);
  const fullPath = isDirectory ? join(bundlePath, path) : '';
  if (path.endsWith('.gz')) return null;
  if (isDirectory)
    return searchText === null ? shellCommand`less ${fullPath}` : shellCommand`grep -nF ${searchText} ${fullPath}`;
  const short = `*/${shortenPath(path)}`;
  // The folder named after the date, or after the digest of an image, is of no interest.
  const isPlain = short.length < path.length && !/[*?[\\]/.test(path);
  const unpacked = isPlain
    ? shellCommand`tar -xOf ${bundlePath} --wildcards ${short}`
    : shellCommand`tar -xOf ${bundlePath} ${path}`;
  return searchText === null ? `${unpacked} | less` : `${unpacked} | ${shellCommand`grep -nF ${searchText}`}`;
}

/** Finds the object that a diagnosis is about: by its name, among the kinds that rules cover. */
function findObject({ subjects, symptom }: Diagnosis, objects: readonly BundleObject[]): BundleObject | undefined {
  const [subject = ''] = subjects;
  const names = subject === '' ? ['version'] : [subject, subject.split('/').at(-1) ?? ''];
  const own = objects.filter(({ object: { kind } }) => kind !== 'Pod');
  return (
    own.find(({ object: { metadata } }) => names.includes(metadata.name)) ??
    own.find(({ object: { metadata } }) => metadata.name.split('.')[0] === subject) ??
    own.find(({ object: { kind, metadata } }) => kind !== 'Namespace' && symptom.startsWith(`${metadata.name} `))
  );
}

/**
 * Finds the longest part of a line that its file holds verbatim: without redacted or marked text. At most half a line
 * of a terminal.
 */
function findSearchText(text: string): string {
  const parts = text.split(/[^\x20-\x7e]+|\*{3,}|<[^>]*>|"|'|\\/).map((part) => part.trim());
  const longest = parts.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return longest.slice(0, 40).trimEnd();
}

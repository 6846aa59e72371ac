import { join } from 'node:path';
import type { Diagnosis } from '../../diagnosis/causes/diagnose.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { shell } from '../../text/shell-word.ts';
import { type BundleLine, shortPath } from './bundle-lines.ts';
import type { BundleObject } from './bundle-objects.ts';

/** What was read of a bundle, and where it lies. */
export interface Whereabouts {
  readonly place: string;
  readonly isDirectory: boolean;
  readonly lines: readonly BundleLine[];
  readonly objects: readonly BundleObject[];
}

/** A whole command that shows what a cause was found by, in the bundle; null where it is in none of its files alone. */
export function seeInBundle(found: Diagnosis, { place, isDirectory, lines, objects }: Whereabouts): string | null {
  const line = lines.find(({ source, text }) => found.symptom === `${source}: ${text}`);
  const path = line?.path ?? objectOf(found, objects)?.path;
  // A path that could not be typed as it is shown is not offered.
  if (path === undefined || sanitizeLine(path, 1000) !== path) return null;
  const words = line === undefined ? null : longestWords(line.text);
  const whole = isDirectory ? join(place, path) : '';
  if (path.endsWith('.gz')) return null;
  if (isDirectory) return words === null ? shell`less ${whole}` : shell`grep -nF ${words} ${whole}`;
  const short = `*/${shortPath(path)}`;
  // The folder that carries the date, or the digest of an image, says nothing.
  const isPlain = short.length < path.length && !/[*?[\\]/.test(path);
  const unpacked = isPlain ? shell`tar -xOf ${place} --wildcards ${short}` : shell`tar -xOf ${place} ${path}`;
  return words === null ? `${unpacked} | less` : `${unpacked} | ${shell`grep -nF ${words}`}`;
}

/** The object that a cause is about: by its name, among the kinds that rules are about. */
function objectOf({ subjects, symptom }: Diagnosis, objects: readonly BundleObject[]): BundleObject | undefined {
  const [subject = ''] = subjects;
  const names = subject === '' ? ['version'] : [subject, subject.split('/').at(-1) ?? ''];
  const own = objects.filter(({ object: { kind } }) => kind !== 'Pod');
  return (
    own.find(({ object: { metadata } }) => names.includes(metadata.name)) ??
    own.find(({ object: { metadata } }) => metadata.name.split('.')[0] === subject) ??
    own.find(({ object: { kind, metadata } }) => kind !== 'Namespace' && symptom.startsWith(`${metadata.name} `))
  );
}

/** A part of a line that its file has as it is: what is hidden or marked in it is not. At most as long as half a line of a terminal. */
function longestWords(text: string): string {
  const parts = text.split(/[^\x20-\x7e]+|\*{3,}|<[^>]*>|"|'|\\/).map((part) => part.trim());
  const longest = parts.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return longest.slice(0, 40).trimEnd();
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeAtomically } from '../site/files.ts';
import { textOf } from './host-files.ts';

/** How the runs on a host stand; saved after every change. */
export interface Notes {
  id: string | null;
  action: 'install' | 'undo';
  argument: string;
  exit: number | null;
  outcome: 'open' | 'confirmed' | 'reverted' | null;
  /** Ms of the site's clock. */
  deadline: number | null;
  log: string[];
  /** What the last run changed, and what all have since the first. */
  changed: string[];
  /** Path -> sum of what was put there. */
  placed: Record<string, string>;
  packages: string[];
  /** Services that runs have started. */
  started: string[];
  before: Pick<Notes, 'placed' | 'started'> | null;
}

const fresh = (): Notes => ({
  ...{ id: null, action: 'install', argument: '', exit: null, outcome: null, deadline: null, before: null },
  ...{ log: [], changed: [], placed: {}, packages: [], started: [] },
});

/** The notes of a file, or none yet, and what saves them there. */
export function openNotes(path: string) {
  const notes: Notes = { ...fresh(), ...readJson<Notes>(path) };
  return { notes, save: () => writeAtomically(path, JSON.stringify(notes)) };
}

/** A run was begun, and has not ended. */
export function isRunning({ id, exit }: Notes): boolean {
  return id !== null && exit === null;
}

/** The sum of a file of the host; that of an empty one where there is none. */
export function sumAt(root: string, path: string): string {
  const text = textOf(join(root, path)) ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/** Somebody changed the file since a run put it there. */
export function isEdited({ placed }: Notes, root: string, path: string): boolean {
  return placed[path] !== undefined && sumAt(root, path) !== placed[path];
}

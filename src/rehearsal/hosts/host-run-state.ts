import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeAtomically } from '../site/files.ts';
import { readText } from './host-files.ts';

/** State of the runs on a host; saved after every change. */
export interface HostRunState {
  id: string | null;
  action: 'install' | 'undo';
  argument: string;
  exit: number | null;
  outcome: 'open' | 'confirmed' | 'reverted' | null;
  /** Ms of the site's clock. */
  deadline: number | null;
  log: string[];
  /** Paths that the last run changed. */
  changed: string[];
  /** Path -> checksum of each file that runs have installed since the first one. */
  placed: Record<string, string>;
  packages: string[];
  /** Services that runs have started. */
  started: string[];
  before: Pick<HostRunState, 'placed' | 'started'> | null;
}

const createState = (): HostRunState => ({
  ...{ id: null, action: 'install', argument: '', exit: null, outcome: null, deadline: null, before: null },
  ...{ log: [], changed: [], placed: {}, packages: [], started: [] },
});

/**
 * Opens the state saved in a file, or an empty one.
 * @returns the state, to be changed in place, and the function that saves it
 */
export function openRunState(path: string) {
  const state: HostRunState = { ...createState(), ...readJson<HostRunState>(path) };
  return { state, save: () => writeAtomically(path, JSON.stringify(state)) };
}

/** Whether a run has started and not ended. */
export function isRunning({ id, exit }: HostRunState): boolean {
  return id !== null && exit === null;
}

/** Checksum of a file on the host; that of an empty file if it does not exist. */
export function hashFile(root: string, path: string): string {
  const text = readText(join(root, path)) ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/** Whether the file was changed after a run installed it. */
export function isEdited({ placed }: HostRunState, root: string, path: string): boolean {
  return placed[path] !== undefined && hashFile(root, path) !== placed[path];
}

import { join } from 'node:path';
import { SECOND } from '../../platform/clock.ts';
import { readText } from './host-files.ts';
import { type HostRunState, isEdited, isRunning } from './host-run-state.ts';
import { formatDiffRecords, listChangedFiles, readScriptFacts } from './installed-files.ts';

/** A simulated host whose records are read. */
export interface RecordedHost {
  readonly state: HostRunState;
  readonly root: string;
  /** Directory with the files from before the first run. */
  readonly originalsDir: string;
  readonly isActive: (unit: string) => boolean;
}

/** Formats the records of `install.sh --plan` for a simulated host. */
export function formatPlanRecords({ state, root, isActive }: RecordedHost, filesDir: string): string[] {
  const { packages, units, modes } = readScriptFacts(filesDir);
  const missing = packages.filter((name) => !state.packages.includes(name));
  const idle = units.filter((unit) => !isActive(unit));
  return [
    ...(missing.length > 0 ? [`install\t${missing.join(' ')}`] : []),
    ...listChangedFiles(filesDir, root).flatMap(({ path, isNew }) => {
      const mode = modes.get(path) ?? '0644';
      const status = isEdited(state, root, path) ? 'edited' : isNew ? 'new' : 'changed';
      const diff = formatDiffRecords(readText(join(root, path)), readText(join(filesDir, path)));
      return [`place\t${path}\t${status}\t${mode}`, ...(isNew || mode.endsWith('00') ? [] : diff)];
    }),
    ...idle.map((unit) => `run\tsystemctl start ${unit}`),
    ...units.map((unit) => `unit\t${unit}\t${isActive(unit) ? 'active' : 'inactive'}`),
    ...(state.outcome === 'open' ? ['unsettled'] : []),
    ...(Object.keys(state.placed).length > 0 ? ['installed'] : []),
  ];
}

/** Formats the records of `install.sh --undo-plan`. */
export function formatUndoRecords({ state, root, originalsDir }: RecordedHost): string[] {
  const restoreRecords = Object.keys(state.placed).map((path) => {
    const wasThere = readText(join(originalsDir, path)) !== null;
    return `back\t${path}\t${isEdited(state, root, path) ? 'edited' : wasThere ? 'restore' : 'remove'}`;
  });
  return [
    ...restoreRecords,
    ...state.started.map((unit) => `run\tsystemctl stop ${unit}`),
    ...state.packages.map((name) => `stays\t${name}`),
  ];
}

/**
 * Formats the record of `host-run.sh status`.
 * @param now ms of the site's clock
 */
export function formatStatusRecord(state: HostRunState, now: number): string {
  const { id, action, exit, outcome, deadline } = state;
  const remaining = outcome === 'open' && deadline !== null ? Math.ceil((deadline - now) / SECOND) : '';
  return ['status', id ?? '', action, isRunning(state) ? 'yes' : 'no', exit ?? '', outcome ?? '', remaining].join('\t');
}

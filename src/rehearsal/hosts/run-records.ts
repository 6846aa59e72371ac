import { join } from 'node:path';
import { SECOND } from '../../ports/clock.ts';
import { textOf } from './host-files.ts';
import { differenceRecords, otherFiles, scriptFacts } from './installed.ts';
import { isEdited, isRunning, type Notes } from './run-notes.ts';

/** A played host as its records are read from it. */
export interface RecordedHost {
  readonly notes: Notes;
  readonly root: string;
  /** Where its files before the first run are kept. */
  readonly first: string;
  readonly isActive: (unit: string) => boolean;
}

/** What `install.sh --plan` records of a host of the rehearsal. */
export function planRecords({ notes, root, isActive }: RecordedHost, filesDir: string): string[] {
  const { packages, units, modes } = scriptFacts(filesDir);
  const missing = packages.filter((name) => !notes.packages.includes(name));
  const idle = units.filter((unit) => !isActive(unit));
  return [
    ...(missing.length > 0 ? [`install\t${missing.join(' ')}`] : []),
    ...otherFiles(filesDir, root).flatMap(({ path, isNew }) => {
      const mode = modes.get(path) ?? '0644';
      const how = isEdited(notes, root, path) ? 'edited' : isNew ? 'new' : 'changed';
      const diff = differenceRecords(textOf(join(root, path)), textOf(join(filesDir, path)));
      return [`place\t${path}\t${how}\t${mode}`, ...(isNew || mode.endsWith('00') ? [] : diff)];
    }),
    ...idle.map((unit) => `run\tsystemctl start ${unit}`),
    ...units.map((unit) => `unit\t${unit}\t${isActive(unit) ? 'active' : 'inactive'}`),
    ...(notes.outcome === 'open' ? ['unsettled'] : []),
    ...(Object.keys(notes.placed).length > 0 ? ['installed'] : []),
  ];
}

/** What `install.sh --undo-plan` records. */
export function undoRecords({ notes, root, first }: RecordedHost): string[] {
  const back = Object.keys(notes.placed).map((path) => {
    const wasThere = textOf(join(first, path)) !== null;
    return `back\t${path}\t${isEdited(notes, root, path) ? 'edited' : wasThere ? 'restore' : 'remove'}`;
  });
  return [
    ...back,
    ...notes.started.map((unit) => `run\tsystemctl stop ${unit}`),
    ...notes.packages.map((name) => `stays\t${name}`),
  ];
}

/** The record of `host-run.sh status`. @param now ms of the site's clock */
export function statusRecord(notes: Notes, now: number): string {
  const { id, action, exit, outcome, deadline } = notes;
  const left = outcome === 'open' && deadline !== null ? Math.ceil((deadline - now) / SECOND) : '';
  return ['status', id ?? '', action, isRunning(notes) ? 'yes' : 'no', exit ?? '', outcome ?? '', left].join('\t');
}

import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import { check, type Seen } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;
const GIB = 1024 ** 3;

/** openshift-install (0.7 GiB unpacked), oc, three RHCOS images (1.2 GiB), logs: with less, what is fetched does not fit. */
const DISK_LEAST = 4 * GIB;
const DISK_GOOD = 10 * GIB;
/** The wizard needs 0.2 GiB and openshift-install about 1 GiB while it makes the ignition files. */
const MEMORY_LEAST = 1.5 * GIB;

/** Everything of an installation lies in one directory: keys, ignition files, logs, saved answers. */
export const directory = check('install-directory', 'fatal', ({ dir: { path, problem } }: MachineEvidence) => {
  if (problem === null) return { state: 'ok', detail: path };
  const { title, cause, whatToDo } = problem;
  return { state: 'failed', detail: cause, words: { wrong: title, remedy: whatToDo } };
});

export const diskSpace = check('disk-space', 'fatal', ({ dir: { path, freeBytes } }: MachineEvidence) => {
  if (freeBytes === null) return { state: 'unknown' };
  const detail = words()['disk-space'].free(gib(freeBytes), path);
  const command = `df -h ${shellWord(path)}`;
  if (freeBytes >= DISK_GOOD) return { state: 'ok', detail };
  return { state: 'failed', detail, command, severity: freeBytes < DISK_LEAST ? 'fatal' : 'warning' };
});

export const memory = check('memory', 'warning', ({ memory: { total, available } }: MachineEvidence) => {
  const detail = words().memory.there(gib(total), available === null ? null : gib(available));
  return { state: (available ?? total) < MEMORY_LEAST ? 'failed' : 'ok', detail };
});

export const processors = check('processors', 'note', ({ processors: count }: MachineEvidence) => ({
  state: 'ok',
  detail: words().processors.count(count),
}));

/** The ignition files hold it. One that lacks a registry is a warning: a mirror may have what is wanted. */
export const pullSecret = check('pull-secret', 'fatal', ({ pullSecret: found }: MachineEvidence) => {
  const isMinor = found.problem?.rule === 'pull-secret-registry';
  return isMinor ? { ...credentialSeen(found), severity: 'warning' } : credentialSeen(found);
});

/** Without a key nobody can look at a machine that does not come up. */
export const sshKey = check('ssh-key', 'warning', ({ sshKey: found }: MachineEvidence) => credentialSeen(found));

/** The problem has its own words. */
function credentialSeen({ file, problem }: MachineEvidence['sshKey']): Seen {
  if (problem === null) return { state: 'ok', detail: file };
  return { state: 'failed', detail: file, words: { wrong: problem.message, remedy: problem.fix } };
}

/** One decimal. */
function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { type CheckResult, check } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;
const GIB = 1024 ** 3;

/**
 * openshift-install (0.7 GiB unpacked), oc, three RHCOS images (1.2 GiB), logs: with less, the downloads do not fit.
 */
const MIN_DISK = 4 * GIB;
const RECOMMENDED_DISK = 10 * GIB;
/** The wizard needs 0.2 GiB, and openshift-install about 1 GiB while it creates the ignition files. */
const MIN_MEMORY = 1.5 * GIB;

/** One directory holds everything of an installation: keys, ignition files, logs, saved answers. */
export const directory = check('install-directory', 'fatal', ({ dir: { path, problem } }: MachineEvidence) => {
  if (problem === null) return { state: 'ok', detail: path };
  const { title, cause, remedy } = problem;
  return { state: 'failed', detail: cause, words: { wrong: title, remedy: remedy } };
});

export const diskSpace = check('disk-space', 'fatal', ({ dir: { path, freeBytes } }: MachineEvidence) => {
  if (freeBytes === null) return { state: 'unknown' };
  const detail = words()['disk-space'].free(formatGib(freeBytes), path);
  const command = `df -h ${quoteShellArg(path)}`;
  if (freeBytes >= RECOMMENDED_DISK) return { state: 'ok', detail };
  return { state: 'failed', detail, command, severity: freeBytes < MIN_DISK ? 'fatal' : 'warning' };
});

export const memory = check('memory', 'warning', ({ memory: { total, available } }: MachineEvidence) => {
  const detail = words().memory.amounts(formatGib(total), available === null ? null : formatGib(available));
  return { state: (available ?? total) < MIN_MEMORY ? 'failed' : 'ok', detail };
});

export const processors = check('processors', 'note', ({ processors: count }: MachineEvidence) => ({
  state: 'ok',
  detail: words().processors.count(count),
}));

/** The ignition files contain the pull secret. A missing registry is only a warning: a mirror may have the images. */
export const pullSecret = check('pull-secret', 'fatal', ({ pullSecret: found }: MachineEvidence) => {
  const isRegistryMissing = found.problem?.rule === 'pull-secret-registry';
  return isRegistryMissing ? { ...checkCredential(found), severity: 'warning' } : checkCredential(found);
});

/** Without an SSH key, a machine that does not come up cannot be debugged. */
export const sshKey = check('ssh-key', 'warning', ({ sshKey: found }: MachineEvidence) => checkCredential(found));

/** Returns the result of a credential check, with the texts of the problem. */
function checkCredential({ file, problem }: MachineEvidence['sshKey']): CheckResult {
  if (problem === null) return { state: 'ok', detail: file };
  return { state: 'failed', detail: file, words: { wrong: problem.message, remedy: problem.fix } };
}

/** Formats bytes as GiB with one decimal. */
function formatGib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

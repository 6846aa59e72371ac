import { createHash } from 'node:crypto';
import { readPreviousOutput } from '../../../host/output-dir.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';

/** `current`: the host has the files generated last. `outdated`: they were generated again since. */
export type HostFilesState = 'never' | 'current' | 'outdated';

/** Puts the files of a host in place and records their digest. */
export async function putInPlace(context: StepContext, host: string, report: (line: string) => void): Promise<void> {
  report(catalogue().steps.hosts.puttingInPlace(host));
  const files = digestHostFiles(context, host);
  await context.manualActions.installHostFiles(host, workspace(context.dir).hostFilesDir(host));
  saveDigests(context, { [host]: files });
  context.stepState.set(PUT_AT, { ...readPutTimes(context), [host]: context.clock.now() });
}

/** When the files of a host were last put in place, ms of the clock; 0: never. */
export function getPutInPlaceAt(context: StepContext, host: string): number {
  return readPutTimes(context)[host] ?? 0;
}

/** Deletes the record of the files on a host: it does not answer as it would with the files that were put there. */
export function forgetHostFiles(context: StepContext, host: string): void {
  const { [host]: _forgotten, ...others } = readDigests(context);
  context.stepState.set(PUT_FILES, others);
}

const PUT_FILES = 'put-files';
const PUT_AT = 'put-at';

function readPutTimes(context: StepContext): Readonly<Record<string, number>> {
  return context.stepState.get(PUT_AT) ?? {};
}

/** Compares the files on a host with the generated ones, by the session's records. */
export function compareHostFiles(context: StepContext, host: string): HostFilesState {
  const recorded = readDigests(context)[host];
  if (recorded === undefined) return 'never';
  return recorded === digestHostFiles(context, host) ? 'current' : 'outdated';
}

/** Records that these hosts run what is generated now: their services answer accordingly. */
export function recordHostFiles(context: StepContext, hosts: readonly string[]): void {
  saveDigests(context, Object.fromEntries(hosts.map((host) => [host, digestHostFiles(context, host)])));
}

function readDigests(context: StepContext): Readonly<Record<string, string>> {
  return context.stepState.get(PUT_FILES) ?? {};
}

function saveDigests(context: StepContext, digests: Readonly<Record<string, string>>): void {
  context.stepState.set(PUT_FILES, { ...readDigests(context), ...digests });
}

/** Calculates one digest of the files of a host, as they were generated last. */
export function digestHostFiles(context: StepContext, host: string): string {
  const files = readPreviousOutput(workspace(context.dir).files)?.manifest.files ?? [];
  const own = files.filter(({ file }) => file.startsWith(`${host}/`)).map(({ file, sha256 }) => `${file} ${sha256}`);
  return createHash('sha256').update(own.sort().join('\n')).digest('hex');
}

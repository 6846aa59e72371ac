import { createHash } from 'node:crypto';
import { readPreviousOutput } from '../../../bastion/output-dir.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';

/** `current`: the host has the files generated last. `outdated`: they were generated anew since. */
export type PutState = 'never' | 'current' | 'outdated';

/** Puts the files of a host in place and notes which they were. */
export async function putInPlace(context: StepContext, host: string, report: (line: string) => void): Promise<void> {
  report(catalogue().steps.hosts.put(host));
  const files = filesDigest(context, host);
  await context.hands.putInPlace(host, workspace(context.dir).filesOf(host));
  remember(context, { [host]: files });
  context.memory.set(PUT_AT, { ...putTimes(context), [host]: context.clock.now() });
}

/** When we last put the files of a host in place, ms of the clock; 0: never. */
export function putAt(context: StepContext, host: string): number {
  return putTimes(context)[host] ?? 0;
}

/** Forgets the files on a host: it does not answer as it would with those that we put there. */
export function forgetPut(context: StepContext, host: string): void {
  const { [host]: _forgotten, ...others } = noted(context);
  context.memory.set(PUT_FILES, others);
}

const PUT_FILES = 'put-files';
const PUT_AT = 'put-at';

function putTimes(context: StepContext): Readonly<Record<string, number>> {
  return context.memory.get(PUT_AT) ?? {};
}

/** How the files on a host compare with the generated ones, by our own notes. */
export function putState(context: StepContext, host: string): PutState {
  const put = noted(context)[host];
  if (put === undefined) return 'never';
  return put === filesDigest(context, host) ? 'current' : 'outdated';
}

/** Notes that these hosts run what is generated now: their services answer so. */
export function noteAsPut(context: StepContext, hosts: readonly string[]): void {
  remember(context, Object.fromEntries(hosts.map((host) => [host, filesDigest(context, host)])));
}

function noted(context: StepContext): Readonly<Record<string, string>> {
  return context.memory.get(PUT_FILES) ?? {};
}

function remember(context: StepContext, put: Readonly<Record<string, string>>): void {
  context.memory.set(PUT_FILES, { ...noted(context), ...put });
}

/** One digest of the files of a host, as they were generated last. */
export function filesDigest(context: StepContext, host: string): string {
  const files = readPreviousOutput(workspace(context.dir).files)?.manifest.files ?? [];
  const own = files.filter(({ file }) => file.startsWith(`${host}/`)).map(({ file, sha256 }) => `${file} ${sha256}`);
  return createHash('sha256').update(own.sort().join('\n')).digest('hex');
}

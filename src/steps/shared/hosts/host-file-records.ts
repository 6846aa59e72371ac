import { readPreviousOutput } from '../../../host/output-dir.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { computeSha256 } from '../../../platform/text.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';

/** `current`: the host has the files generated last. `outdated`: they were generated again since. */
export type HostFilesState = 'never' | 'current' | 'outdated';

/** Puts the files of a host in place and records their digest. */
export async function installServiceFiles(
  context: StepContext,
  host: string,
  report: (line: string) => void,
): Promise<void> {
  report(catalogue().steps.hosts.puttingInPlace(host));
  const digest = computeHostFilesDigest(context, host);
  await context.manualActions.installHostFiles(host, workspace(context.dir).hostFilesDir(host));
  recordInstallation(context, host, digest);
}

/** Records that the files of a host, by default those that are generated now, were put in place now. */
export function recordInstallation(
  context: StepContext,
  host: string,
  digest: string = computeHostFilesDigest(context, host),
): void {
  saveDigests(context, { [host]: digest });
  context.stepState.set(INSTALL_TIMES_KEY, { ...readInstallTimes(context), [host]: context.clock.now() });
}

/** Deletes the records of a host that is as it was before its files were put in place. */
export function forgetInstallation(context: StepContext, host: string): void {
  forgetHostFiles(context, host);
  const { [host]: _forgotten, ...otherTimes } = readInstallTimes(context);
  context.stepState.set(INSTALL_TIMES_KEY, otherTimes);
}

/** Returns when the files of a host were last put in place, ms of the clock; 0: never. */
export function getFilesInstalledAt(context: StepContext, host: string): number {
  return readInstallTimes(context)[host] ?? 0;
}

/**
 * Deletes the record of the files on a host: the files were reverted, or the services answer otherwise than they
 * define.
 */
export function forgetHostFiles(context: StepContext, host: string): void {
  const { [host]: _forgotten, ...otherDigests } = readDigests(context);
  context.stepState.set(INSTALLED_DIGESTS_KEY, otherDigests);
}

const INSTALLED_DIGESTS_KEY = 'put-files';
const INSTALL_TIMES_KEY = 'put-at';

/** Reads when the files of each host were last put in place, ms of the clock. Hosts without such files are missing. */
export function readInstallTimes(context: StepContext): Readonly<Record<string, number>> {
  return context.stepState.get(INSTALL_TIMES_KEY) ?? {};
}

/** Compares the files on a host with the generated ones, by the session's records. */
export function compareHostFiles(context: StepContext, host: string): HostFilesState {
  const recordedDigest = readDigests(context)[host];
  if (recordedDigest === undefined) return 'never';
  return recordedDigest === computeHostFilesDigest(context, host) ? 'current' : 'outdated';
}

/** Records that the files that are generated now are in place on these hosts. */
export function recordHostFiles(context: StepContext, hosts: readonly string[]): void {
  saveDigests(context, Object.fromEntries(hosts.map((host) => [host, computeHostFilesDigest(context, host)])));
}

function readDigests(context: StepContext): Readonly<Record<string, string>> {
  return context.stepState.get(INSTALLED_DIGESTS_KEY) ?? {};
}

function saveDigests(context: StepContext, digests: Readonly<Record<string, string>>): void {
  // Answers that these hosts gave earlier are out of date.
  const { hostOutputs, hostUnits } = context.probeCache;
  for (const host of Object.keys(digests)) hostUnits.delete(host);
  context.probeCache.bootServiceChecks = null;
  for (const key of hostOutputs.keys())
    if (Object.keys(digests).includes(key.split(' ', 1)[0] ?? '')) hostOutputs.delete(key);
  context.stepState.set(INSTALLED_DIGESTS_KEY, { ...readDigests(context), ...digests });
}

/** Calculates one digest of the files of a host, as they were generated last. */
export function computeHostFilesDigest(context: StepContext, host: string): string {
  const files = readPreviousOutput(workspace(context.dir).filesDir)?.manifest.files ?? [];
  const hostFiles = files
    .filter(({ file }) => file.startsWith(`${host}/`))
    .map(({ file, sha256 }) => `${file} ${sha256}`);
  return computeSha256(hostFiles.sort().join('\n'));
}

import { readFileSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getMirrorImageNames, listImageFiles, parseImageNames } from '../../artifacts/boot/images.ts';
import { needsFipsInstaller, renderPrepareFetchScript } from '../../artifacts/downloads.ts';
import type { FileEntry } from '../../artifacts/generate.ts';
import { describeInstallerSource } from '../../checks/prepare/checks.ts';
import { listImagesToFetch } from '../../checks/prepare/items.ts';
import { canAddCompute, POOL_IGNITION_NAMES, WORKER_ROLES } from '../../design/choices.ts';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import { stopJob } from '../../host/jobs/jobs.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { runFetchScript } from '../../installer/fetch-script.ts';
import {
  addManifests,
  archiveInstallerFiles,
  copyInstallConfig,
  createMissingConfigError,
  inspectInstallDir,
  setMastersSchedulable,
} from '../../installer/install-dir.ts';
import {
  createIgnitionConfigs,
  createManifests,
  createSingleNodeIgnition,
  type InstallerOutcome,
  readImageStream,
} from '../../installer/openshift-install.ts';
import type { StepContext } from '../contract.ts';
import { findDownloadsDir } from '../shared/files/design-paths.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { forgetBootstrapNode } from '../shared/installer/bootstrap-node.ts';
import { forgetProgress } from '../shared/installer/bootstrap-progress.ts';
import { findInstaller } from '../shared/installer/images.ts';
import { markReinstalled } from '../shared/machines/node-facts.ts';
import { workspace } from '../shared/workspace.ts';
import { formatDownloadsDir, type PrepareFacts } from './facts.ts';
import { takeImages, takePrograms } from './take-downloads.ts';

const words = () => catalogue().steps.prepare;
type LineReporter = (line: string) => void;

/** Whether the control plane runs applications: always in a compact cluster, and if the design has no worker nodes. */
export function isControlPlaneSchedulable({ design }: StepContext): boolean {
  return canAddCompute(design.topology) || listNodesWithRole(design, ...WORKER_ROLES).length === 0;
}

/** Describes how Prepare gets the programs. `mirror`: the directory that they are taken from; null: the internet. */
export const describePrograms = (version: string, mirror: string | null): string =>
  mirror === null ? words().fetch.programs(version) : words().mirror.programs(version, mirror);

/** Describes how Prepare gets the images. */
export const describeImages = (count: number, imagesDir: string, mirror: string | null): string =>
  mirror === null ? words().fetch.images(count, imagesDir) : words().mirror.images(count, mirror);

/** Finds the directory that replaces the internet: that of the design, else that of the rehearsal; null: none. */
const findMirror = (context: StepContext): string | null =>
  findDownloadsDir(context) ?? context.manualActions.simulatedDownloadsDir;

/**
 * Gets openshift-install and oc, from the internet or from a directory with downloads.
 * @throws UserErrorException `fetch-failed`, `mirror-…`
 */
export async function fetchPrograms(context: StepContext, report: LineReporter): Promise<void> {
  const { version, architecture } = context.design.openshift;
  report(describePrograms(version, formatDownloadsDir(context)));
  const mirror = findMirror(context);
  if (mirror !== null) return await takePrograms(context, mirror, report);
  const script = renderPrepareFetchScript(version, architecture, {
    includesPrograms: true,
    isFips: needsFipsInstaller(context.design),
    images: null,
  });
  await runFetchScript(context.dir, script, report, context.signal);
}

/**
 * Gets the images that are missing or wrong: those that the installer names, or those of the mirror if it names none.
 * Files that were generated without the installer use the mirror's names: hard links provide the images under these
 * names.
 * @throws UserErrorException `fetch-failed`, `mirror-…`
 */
export async function fetchImages(
  context: StepContext,
  { imageSources, imageStates }: Pick<PrepareFacts, 'imageSources' | 'imageStates'>,
  report: LineReporter,
): Promise<void> {
  const { version, architecture } = context.design.openshift;
  const mirror = findMirror(context);
  const imagesToFetch = listImagesToFetch(imageStates);
  const count = imageSources?.length ?? listImageFiles(getMirrorImageNames(version, architecture)).length;
  const mirrorText = formatDownloadsDir(context) ?? mirror;
  report(describeImages(mirror === null ? count : imagesToFetch.length, context.imagesDir, mirrorText));
  if (mirror === null) {
    const script = renderPrepareFetchScript(version, architecture, {
      includesPrograms: false,
      images: imageSources ?? 'mirror',
    });
    await runFetchScript(context.dir, script, report, context.signal);
  } else await takeImages(context, mirror, { names: imagesToFetch, sources: imageSources ?? [] }, report);
  const program = await findInstaller(context);
  const stream = program === null ? null : await readImageStream(program, context.design.openshift);
  if (stream === null) return;
  const streamNames = parseImageNames(stream, architecture);
  const mirrorNames = getMirrorImageNames(version, architecture);
  for (const kind of ['kernel', 'initramfs', 'rootfs', 'metal'] as const) {
    const [streamName, mirrorName] = [streamNames[kind], mirrorNames[kind]];
    if (streamName === null || mirrorName === null || streamName === mirrorName) continue;
    await link(join(context.imagesDir, streamName), join(context.imagesDir, mirrorName)).catch(() => undefined);
  }
}

/**
 * Starts over in the same directory: archives the installer's files, and resets the power-on records, because all
 * machines have to boot with the new files.
 */
export async function startOver(context: StepContext, report: LineReporter): Promise<void> {
  const { dir, archiveDir, jobsDir, clusterIgnitionFile } = workspace(context.dir);
  for (const wait of ['bootstrap-complete', 'install-complete']) await stopJob(jobsDir, wait, { clock: context.clock });
  // The records are deleted first: if this is interrupted, no machine that booted with the old files counts as booted
  // with the new ones.
  for (const { name } of context.design.nodes) markReinstalled(context, name);
  forgetProgress(context);
  await forgetBootstrapNode(context);
  for (const role of POOL_IGNITION_NAMES) await rm(clusterIgnitionFile(role), { force: true });
  const archive = await archiveInstallerFiles(dir, archiveDir);
  if (archive) report(words().change.movedAside(archive.path));
}

/**
 * Creates the manifests, the generated ones included, and the ignition files; does nothing if they exist.
 * @throws UserErrorException of the installer
 */
export async function createIgnition(context: StepContext, report: LineReporter): Promise<void> {
  context.probeCache.isCreatingIgnition = true;
  try {
    await createMissingIgnition(context, report);
  } finally {
    context.probeCache.isCreatingIgnition = false;
  }
}

async function createMissingIgnition(context: StepContext, report: LineReporter): Promise<void> {
  const program = await findInstaller(context);
  if (program === null) throw createMissingInstallerError(context);
  const { dir, filesDir: files, installConfigCopy } = workspace(context.dir);
  const { state } = await inspectInstallDir(dir);
  if (state === 'ignition') return;
  const { manifest, omittedFiles } = await generateStage(context, getCurrentStage(context));
  if (state !== 'manifests') {
    const config = manifest.files.find(({ kind }) => kind === 'install-config');
    if (config === undefined)
      throw new UserErrorException(omittedFiles[0]?.userError ?? createMissingConfigError(files));
    report(words().change.config);
    await copyInstallConfig(join(files, config.file), dir, installConfigCopy);
    report(words().change.manifests);
    assertSucceeded('create manifests', await createManifests(program, dir, context.signal));
  }
  await setMastersSchedulable(dir, isControlPlaneSchedulable(context));
  await addManifests(dir, readManifests(manifest.files, files));
  const isSingleNode = context.design.topology === 'single-node';
  report(words().change.ignition(isSingleNode));
  const create = isSingleNode ? createSingleNodeIgnition : createIgnitionConfigs;
  assertSucceeded(
    isSingleNode ? 'create single-node-ignition-config' : 'create ignition-configs',
    await create(program, dir, context.signal),
  );
}

/** Reads the generated manifests that the installer adds to its own. */
function readManifests(entries: readonly FileEntry[], filesDir: string) {
  return entries
    .filter(({ kind }) => kind === 'chrony-machineconfig')
    .map(({ file }) => ({ name: basename(file), content: readFileSync(join(filesDir, file), 'utf8') }));
}

function assertSucceeded(command: string, { userError }: InstallerOutcome): void {
  if (userError)
    throw new UserErrorException({ ...userError, title: `${words().installerFailed(command)}: ${userError.title}` });
}

function createMissingInstallerError(context: StepContext): UserErrorException {
  const { title, cause } = catalogue().diagnosis.prepare['installer-missing'];
  return new UserErrorException({
    code: 'installer-missing',
    title,
    cause: cause(context.programDirectories.join(', ')),
    remedy: describeInstallerSource(context.design.openshift.version),
  });
}

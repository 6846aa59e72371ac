import { readFileSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ImageSource, imagesFromStream, mirrorImageNames } from '../../artifacts/boot/images.ts';
import type { FileEntry } from '../../artifacts/generate.ts';
import { fetchScript } from '../../artifacts/installer/fetch-script.ts';
import { stopJob } from '../../bastion/jobs/jobs.ts';
import { WORKER_ROLES } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { fetchInto } from '../../installer/fetch.ts';
import {
  addManifests,
  inspectInstallDir,
  installConfigMissing,
  placeInstallConfig,
  setMastersSchedulable,
} from '../../installer/install-dir.ts';
import {
  createIgnitionConfigs,
  createManifests,
  createSingleNodeIgnition,
  type InstallerOutcome,
  streamImages,
} from '../../installer/openshift-install.ts';
import { setAside } from '../../installer/set-aside.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { forgetInside } from '../shared/installer/bootstrap-node.ts';
import { forgetProgress } from '../shared/installer/bootstrap-progress.ts';
import { findInstaller, wantsFipsInstaller } from '../shared/installer/find-installer.ts';
import { imageFiles } from '../shared/installer/images.ts';
import { expectAnew } from '../shared/machines/later-nodes.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().steps.prepare;
type Report = (line: string) => void;

/** Applications run on the control plane where there is nothing else to run them on. */
export function isSchedulable({ design }: StepContext): boolean {
  return nodesWithRole(design, ...WORKER_ROLES).length === 0;
}

/** Fetches openshift-install and oc. @throws TroubleError `fetch-failed` */
export async function fetchPrograms(context: StepContext, report: Report): Promise<void> {
  const { version, architecture } = context.design.openshift;
  report(words().fetch.programs(version));
  const script = fetchScript(version, architecture, {
    programs: true,
    isFips: wantsFipsInstaller(context.design),
    images: null,
  });
  await fetchInto(context.dir, script, report, context.signal);
}

/**
 * Fetches the images: those that the installer names, or those of the mirror where it names none. Files generated
 * before the installer was there have the mirror's names for them: it corrects them.
 * @throws TroubleError `fetch-failed`
 */
export async function fetchImages(
  context: StepContext,
  before: readonly ImageSource[] | null,
  report: Report,
): Promise<void> {
  const { version, architecture } = context.design.openshift;
  report(
    words().fetch.images(
      before?.length ?? imageFiles(mirrorImageNames(version, architecture)).length,
      context.imagesDir,
    ),
  );
  const script = fetchScript(version, architecture, { programs: false, images: before ?? 'mirror' });
  await fetchInto(context.dir, script, report, context.signal);
  const program = await findInstaller(context);
  const stream = program === null ? null : await streamImages(program);
  if (stream === null) return;
  const named = imagesFromStream(stream, architecture);
  const asOnMirror = mirrorImageNames(version, architecture);
  for (const kind of ['kernel', 'initramfs', 'rootfs', 'metal'] as const) {
    const [from, to] = [named[kind], asOnMirror[kind]];
    if (from === null || to === null || from === to) continue;
    await link(join(context.imagesDir, from), join(context.imagesDir, to)).catch(() => undefined);
  }
}

/**
 * Starts over in the same directory: moves aside what the installer left, and no machine counts as powered on, since
 * all have to boot with the new files.
 */
export async function beginAnew(context: StepContext, report: Report): Promise<void> {
  const { dir, aside, jobs, clusterWorkerIgnition } = workspace(context.dir);
  for (const wait of ['bootstrap-complete', 'install-complete']) await stopJob(jobs, wait, { clock: context.clock });
  // Forgotten first: wherever we stop, nothing that booted with the old files counts for the new ones.
  for (const { name } of context.design.nodes) expectAnew(context, name);
  forgetProgress(context);
  await forgetInside(context);
  await rm(clusterWorkerIgnition, { force: true });
  const moved = await setAside(dir, aside);
  if (moved) report(words().change.aside(moved.path));
}

/** Manifests, ours among them, and ignition files; nothing where they exist. @throws TroubleError of the installer */
export async function makeIgnition(context: StepContext, report: Report): Promise<void> {
  context.recollection.isMakingIgnition = true;
  try {
    await make(context, report);
  } finally {
    context.recollection.isMakingIgnition = false;
  }
}

async function make(context: StepContext, report: Report): Promise<void> {
  const program = await findInstaller(context);
  if (program === null) throw missingInstaller(context);
  const { dir, files, installConfigCopy } = workspace(context.dir);
  const { state } = await inspectInstallDir(dir);
  if (state === 'ignition') return;
  const { manifest, leftOut } = await outputOf(context, liveStage(context));
  if (state !== 'manifests') {
    const config = manifest.files.find(({ kind }) => kind === 'install-config');
    if (config === undefined) throw new TroubleError(leftOut[0]?.trouble ?? installConfigMissing(files));
    report(words().change.config);
    await placeInstallConfig(join(files, config.file), dir, installConfigCopy);
    report(words().change.manifests);
    check('create manifests', await createManifests(program, dir, context.signal));
  }
  await setMastersSchedulable(dir, isSchedulable(context));
  await addManifests(dir, manifestsOf(manifest.files, files));
  const isSingle = context.design.topology === 'single-node';
  report(words().change.ignition(isSingle));
  const create = isSingle ? createSingleNodeIgnition : createIgnitionConfigs;
  check(
    isSingle ? 'create single-node-ignition-config' : 'create ignition-configs',
    await create(program, dir, context.signal),
  );
}

/** The generated manifests that the installer adds to its own. */
function manifestsOf(made: readonly FileEntry[], filesDir: string) {
  return made
    .filter(({ kind }) => kind === 'chrony-machineconfig')
    .map(({ file }) => ({ name: basename(file), content: readFileSync(join(filesDir, file), 'utf8') }));
}

function check(what: string, { trouble }: InstallerOutcome): void {
  if (trouble) throw new TroubleError({ ...trouble, title: `${words().installerFailed(what)}: ${trouble.title}` });
}

function missingInstaller(context: StepContext): TroubleError {
  const { title, cause, whatToDo } = catalogue().diagnosis.prepare['installer-missing'];
  return new TroubleError({
    code: 'installer-missing',
    title,
    cause: cause(context.programPath.join(', ')),
    whatToDo: whatToDo(context.design.openshift.version),
  });
}

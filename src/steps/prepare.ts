import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileEntry, RhcosImages } from '../artifacts/files.ts';
import { nodesWithRole } from '../design/names.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { findProgram } from '../installer/find.ts';
import {
  addManifests,
  type InstallDir,
  inspectInstallDir,
  placeInstallConfig,
  setMastersSchedulable,
} from '../installer/install-dir.ts';
import {
  createIgnitionConfigs,
  createManifests,
  createSingleNodeIgnition,
  type InstallerOutcome,
  installerVersion,
} from '../installer/openshift-install.ts';
import { HOUR, SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import { TroubleError } from '../text/trouble.ts';
import type { Change, Probe, Step, StepContext } from './contract.ts';
import { imageFiles, imageNames } from './images.ts';
import { isInstalled } from './later-nodes.ts';
import { liveStage, outputOf } from './output.ts';
import { applyForLater, planForLater, probeForLater } from './prepare-later.ts';
import { askServer, isEveryoneServed, serve, serverUrl } from './serving.ts';
import { workspace } from './workspace.ts';

const words = steps.prepare;
/** The documentation's advice: the first rotation of the certificates comes 16 to 22 hours after they were made. */
const EXPIRES_SOON = 12 * HOUR;

export interface PrepareView {
  readonly items: readonly {
    readonly id: 'installer' | 'images' | 'directory' | 'expiry' | 'worker-ignition' | 'server';
    readonly state: 'ok' | 'pending' | 'failed';
    readonly detail: string;
  }[];
  /** When the certificates in the ignition files expire, ms; null before they are made. */
  readonly expiresAt: number | null;
}

export const prepareStep: Step<PrepareView> = {
  id: 'prepare',
  lookEvery: 10 * SECOND,
  patience: 5 * 60 * SECOND,
  probe,
  async plan(context) {
    if (isInstalled(context)) return await planForLater(context);
    return { changes: changesOf(context, (await gather(context)).directory), isDangerous: false, instructions: [] };
  },
  async apply(context, report) {
    if (isInstalled(context)) return await applyForLater(context, report);
    const program = await installer(context);
    if (program === null) throw missingInstaller(context);
    await makeIgnition(context, program, report);
    await serve(context, report);
  },
  verify: probe,
};

interface Facts {
  readonly program: string | null;
  readonly version: string | null;
  readonly images: RhcosImages;
  readonly missingImages: readonly string[];
  readonly directory: InstallDir;
  readonly isServing: boolean;
  readonly isServerCurrent: boolean;
  readonly serverDetail: string;
}

async function gather(context: StepContext): Promise<Facts> {
  const program = await installer(context);
  const [version, images, directory, server, isServerCurrent] = await Promise.all([
    program === null ? null : installerVersion(program).then((found) => found.version),
    imageNames(context),
    inspectInstallDir(context.dir),
    askServer(context),
    isEveryoneServed(context),
  ]);
  const missingImages = imageFiles(images).filter((name) => !existsSync(join(context.imagesDir, name)));
  return { program, version, images, missingImages, directory, isServerCurrent, ...server };
}

async function probe(context: StepContext): Promise<Probe<PrepareView>> {
  if (isInstalled(context)) return await probeForLater(context);
  const facts = await gather(context);
  const { directory } = facts;
  const findings = findingsOf(context, facts);
  const view: PrepareView = { items: itemsOf(context, facts), expiresAt: directory.expiresAt };
  if (findings.some(({ severity }) => severity === 'fatal')) {
    return { state: 'blocked', summary: findings[0]?.title ?? '', view, findings };
  }
  if (directory.state !== 'ignition') return { state: 'needed', summary: words.needed, view, findings };
  if (facts.isServing && !facts.isServerCurrent)
    return { state: 'needed', summary: words.serverOutdated, view, findings };
  if (!facts.isServing) return { state: 'needed', summary: words.serverNeeded, view, findings };
  return { state: 'done', summary: words.ignitionReady(hoursLeft(context, directory)), view, findings };
}

function installer(context: StepContext): Promise<string | null> {
  return findProgram('openshift-install', context.programPath);
}

function missingInstaller(context: StepContext): TroubleError {
  return new TroubleError({
    code: 'installer-missing',
    title: words.noInstaller,
    cause: context.programPath.join(', '),
    whatToDo: words.noInstallerFix(context.design.openshift.version),
  });
}

function findingsOf(context: StepContext, facts: Facts): Finding[] {
  const { program, version, missingImages, directory } = facts;
  const { version: wanted } = context.design.openshift;
  const fatal = (code: string, title: string, cause: string, whatToDo: string): Finding => ({
    code,
    severity: 'fatal',
    subject: null,
    title,
    cause,
    whatToDo,
  });
  const found: Finding[] = [];
  if (program === null)
    found.push(
      fatal('installer-missing', words.noInstaller, context.programPath.join(', '), words.noInstallerFix(wanted)),
    );
  else if (version !== null && !isSameMinor(version, wanted)) {
    found.push(fatal('installer-version', words.wrongVersion(version, wanted), program, words.wrongVersionFix));
  }
  if (missingImages.length > 0) {
    found.push(
      fatal(
        'images-missing',
        words.noImages(context.imagesDir),
        missingImages.join(', '),
        words.noImagesFix(missingImages.join(', ')),
      ),
    );
  }
  if (directory.state === 'mixed')
    found.push(fatal('install-dir-used', words.usedDirectory, context.dir, words.usedDirectoryFix));
  const left = directory.expiresAt === null ? null : directory.expiresAt - context.clock.now();
  if (left !== null && left <= 0) {
    found.push(
      fatal('ignition-expired', words.expired, new Date(directory.expiresAt ?? 0).toISOString(), words.expiredFix),
    );
  } else if (left !== null && left < EXPIRES_SOON) {
    const title = words.expiresSoon(hoursLeft(context, directory));
    found.push({
      code: 'ignition-expires',
      severity: 'note',
      subject: null,
      title,
      cause: '',
      whatToDo: words.expiresSoonFix,
    });
  }
  return found;
}

/** 4.18 and 4.18.11 fit each other; 4.18.3 and 4.18.11 do not. */
function isSameMinor(found: string, wanted: string): boolean {
  return found === wanted || found.startsWith(`${wanted}.`);
}

function hoursLeft(context: StepContext, { expiresAt }: InstallDir): string {
  const minutes = Math.max(0, Math.floor(((expiresAt ?? 0) - context.clock.now()) / 60_000));
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function itemsOf(context: StepContext, facts: Facts): PrepareView['items'] {
  const { program, version, missingImages, directory, isServing, serverDetail } = facts;
  const isReady = directory.state === 'ignition';
  return [
    {
      id: 'installer',
      state: program === null ? 'failed' : 'ok',
      detail: program === null ? words.noInstaller : `${program} ${version ?? ''}`,
    },
    {
      id: 'images',
      state: missingImages.length > 0 ? 'failed' : 'ok',
      detail: missingImages.join(', ') || context.imagesDir,
    },
    {
      id: 'directory',
      state: isReady ? 'ok' : directory.state === 'mixed' ? 'failed' : 'pending',
      detail: `${context.dir}: ${directory.state}`,
    },
    { id: 'expiry', state: isReady ? 'ok' : 'pending', detail: isReady ? hoursLeft(context, directory) : '' },
    { id: 'server', state: isServing ? 'ok' : 'pending', detail: serverDetail },
  ];
}

function changesOf(context: StepContext, directory: InstallDir): Change[] {
  const change = (object: string, what: string): Change => ({ object, what, before: null, after: null });
  const make = [
    change('install-config.yaml', words.change.config),
    change('manifests/', words.change.manifests),
    change('manifests/cluster-scheduler-02-config.yml', words.change.schedulable(isSchedulable(context))),
    change('*.ign, auth/', words.change.ignition(context.design.topology === 'single-node')),
  ];
  return [
    ...(directory.state === 'ignition' ? [] : make),
    change('boot-server', words.change.server(serverUrl(context))),
  ];
}

/** Applications run on the control plane where there is nothing else to run them on. */
function isSchedulable(context: StepContext): boolean {
  return nodesWithRole(context.design, 'compute', 'infra', 'storage').length === 0;
}

async function makeIgnition(context: StepContext, program: string, report: (line: string) => void): Promise<void> {
  const { dir, files, installConfigCopy } = workspace(context.dir);
  const { state } = await inspectInstallDir(dir);
  if (state === 'ignition') return;
  const { manifest } = await outputOf(context, liveStage(context));
  if (state !== 'manifests') {
    const config = manifest.files.find(({ kind }) => kind === 'install-config');
    report(words.change.config);
    await placeInstallConfig(join(files, config?.file ?? ''), dir, installConfigCopy);
    report(words.change.manifests);
    check('create manifests', await createManifests(program, dir, context.signal));
  }
  await setMastersSchedulable(dir, isSchedulable(context));
  await addManifests(dir, manifestsOf(manifest.files, files));
  const isSingle = context.design.topology === 'single-node';
  report(words.change.ignition(isSingle));
  const create = isSingle ? createSingleNodeIgnition : createIgnitionConfigs;
  check(
    isSingle ? 'create single-node-ignition-config' : 'create ignition-configs',
    await create(program, dir, context.signal),
  );
}

/** The generated manifests that the installer takes up with its own. */
function manifestsOf(made: readonly FileEntry[], filesDir: string) {
  return made
    .filter(({ kind }) => kind === 'chrony-machineconfig')
    .map(({ file }) => ({ name: basename(file), content: readFileSync(join(filesDir, file), 'utf8') }));
}

function check(what: string, { trouble }: InstallerOutcome): void {
  if (trouble) throw new TroubleError({ ...trouble, title: `${words.installerFailed(what)}: ${trouble.title}` });
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ImageSource,
  listImageFiles,
  parseImageSources,
  type RhcosImageNames,
} from '../../artifacts/boot/images.ts';
import { INSTALL_CONFIG_PATH } from '../../artifacts/install-config.ts';
import type { ServedFile } from '../../checks/files.ts';
import { GO_ARCHITECTURES } from '../../design/derived-facts.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { ImageState } from '../../installer/images.ts';
import { checkImages } from '../../installer/images.ts';
import { type InstallDirStatus, inspectInstallDir } from '../../installer/install-dir.ts';
import { type InstallerVersion, readImageStream, readInstallerVersion } from '../../installer/openshift-install.ts';
import { findProgram } from '../../installer/programs.ts';
import { SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { findDownloadsDir } from '../shared/files/design-paths.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { findInstaller, resolveImageNames } from '../shared/installer/images.ts';
import { type BootServerState, probeBootServer } from '../shared/machines/boot-server-job.ts';
import { findUnservedFiles } from '../shared/machines/service-probe.ts';
import { workspace } from '../shared/workspace.ts';

export interface PrepareFacts extends BootServerState {
  /** openshift-install; null if there is none. */
  readonly installer: string | null;
  readonly installerVersion: InstallerVersion | null;
  readonly oc: string | null;
  readonly images: RhcosImageNames;
  readonly imageStates: readonly { readonly name: string; readonly state: ImageState }[];
  /** Download locations of the images, as the installer names them; null if it does not know them. */
  readonly imageSources: readonly ImageSource[] | null;
  readonly installDirStatus: InstallDirStatus;
  /** The files here were created from an install-config that differs from the generated one. */
  readonly areFilesFromOtherConfig: boolean;
  /** The pull secret changed after Generate wrote it into install-config.yaml. */
  readonly isPullSecretOutdated: boolean;
  /** The files here cannot be used: they are expired, from more than one run, or from another install-config. */
  readonly areFilesUnusable: boolean;
  /** Why install-config.yaml was not generated: the error of the missing credential. Null if there is no such error. */
  readonly configError: UserError | null;
  /**
   * The cluster that these files installed answers, although the files are unusable or outdated. False if they are not:
   * the API is not probed then.
   */
  readonly isClusterUp: boolean;
  /** Files that machines will request and not get. */
  readonly unservedFiles: readonly ServedFile[];
}

/** Whether the user needs oc: the pages of a simulated site need none. */
export const needsOc = ({ hostsDir }: Pick<StepContext, 'hostsDir'>): boolean => hostsDir === null;

/**
 * Collects the facts about everything that Prepare needs: programs, images, directory, server.
 * @throws UserErrorException of the installer
 */
export async function gatherFacts(context: StepContext): Promise<PrepareFacts> {
  const [installer, oc] = await Promise.all([findInstaller(context), findProgram('oc', context.programDirectories)]);
  const isCreating = context.probeCache.isCreatingIgnition;
  const [installerVersion, stream, images, observedStatus, serverState, hasOtherConfig, isPullSecretOutdated] =
    await Promise.all([
      installer ? readInstallerVersion(installer) : null,
      installer ? readImageStream(installer, context.design.openshift) : null,
      resolveImageNames(context),
      inspectInstallDir(context.dir),
      probeBootServer(context),
      isConfigDifferent(context),
      isGeneratedPullSecretOutdated(context),
    ]);
  // While this process is creating the files, a directory that seems to mix two runs is only incomplete.
  const installDirStatus =
    isCreating && observedStatus.state === 'mixed'
      ? ({ ...observedStatus, state: 'manifests' } as const)
      : observedStatus;
  const { isServing, server } = serverState;
  const imageSources = stream === null ? null : parseImageSources(stream, context.design.openshift.architecture);
  const areFilesFromOtherConfig =
    hasOtherConfig && (installDirStatus.state === 'manifests' || installDirStatus.state === 'ignition');
  const isExpired = installDirStatus.expiresAt !== null && installDirStatus.expiresAt <= context.clock.now();
  const areFilesUnusable = installDirStatus.state === 'mixed' || isExpired || areFilesFromOtherConfig;
  const isClusterUp = (areFilesUnusable || isPullSecretOutdated) && (await isApiAnswering(context));
  return {
    installer,
    installerVersion,
    oc,
    images,
    imageStates: await checkImages(context.imagesDir, listImageFiles(images), imageSources ?? []),
    imageSources,
    installDirStatus,
    areFilesFromOtherConfig,
    areFilesUnusable,
    isPullSecretOutdated,
    isClusterUp,
    configError:
      (areFilesUnusable && !isClusterUp) || isNotStarted(installDirStatus.state)
        ? await findConfigError(context)
        : null,
    unservedFiles:
      isServing && server !== null && installDirStatus.state === 'ignition' && !areFilesUnusable
        ? await findUnservedFiles(context, images, server)
        : [],
    ...serverState,
  };
}

/** Builds the evidence for the rules of Prepare. */
export function buildPrepareEvidence(context: StepContext, facts: PrepareFacts) {
  const { design, clock, dir, imagesDir, programDirectories } = context;
  const { version, architecture } = design.openshift;
  return {
    ...facts,
    downloadsDir: formatDownloadsDir(context),
    images: facts.imageStates,
    now: clock.now(),
    dir,
    imagesDir,
    programDirectories,
    requirements: { version, architecture, goArchitecture: GO_ARCHITECTURES[architecture] },
    bastionFilesDir: workspace(dir).hostFilesDir(design.services.bastion.name),
  };
}

/** Formats the directory that missing downloads are taken from, for messages; null: the internet. */
export function formatDownloadsDir(context: Pick<StepContext, 'design' | 'dir' | 'stepState'>): string | null {
  const dir = findDownloadsDir(context);
  return dir === null ? null : sanitizeLine(dir);
}

/** Whether nothing has been created from the install-config yet. */
const isNotStarted = (state: InstallDirStatus['state']) => state === 'empty' || state === 'config';

async function findConfigError(context: StepContext): Promise<UserError | null> {
  const dir = workspace(context.dir).hostFilesDir(context.design.services.bastion.name);
  if (existsSync(join(dir, INSTALL_CONFIG_PATH))) return null;
  const { omittedFiles } = await generateStage(context, getCurrentStage(context));
  return omittedFiles[0]?.userError ?? null;
}

/** Whether the installer's install-config differs from the generated one; false where either is missing. */
async function isConfigDifferent({ design, dir }: StepContext): Promise<boolean> {
  const { hostFilesDir, installConfigCopy } = workspace(dir);
  const [generatedConfig, copiedConfig] = await Promise.all(
    [join(hostFilesDir(design.services.bastion.name), INSTALL_CONFIG_PATH), installConfigCopy].map((file) =>
      readFile(file, 'utf8').catch(() => null),
    ),
  );
  return generatedConfig !== null && copiedConfig !== null && generatedConfig !== copiedConfig;
}

/**
 * Whether Generate would write another pull secret into install-config.yaml. False for a file that you edited, which
 * Generate leaves alone, and without the credentials that it needs.
 */
async function isGeneratedPullSecretOutdated(context: StepContext): Promise<boolean> {
  const stage = getCurrentStage(context);
  const output = stage === 'install' ? await generateStage(context, stage).catch(() => null) : null;
  const file = output?.manifest.files.find(({ kind }) => kind === 'install-config')?.file;
  if (!output?.changes.some((change) => change.file === file && change.state === 'changed')) return false;
  const content = output.files.find((generatedFile) => generatedFile.file === file)?.content ?? '';
  return findPullSecretLine(content) !== findPullSecretLine(output.readFromDisk(file ?? '') ?? '');
}

const findPullSecretLine = (config: string): string | undefined => /^pullSecret: .*$/m.exec(config)?.[0];

/**
 * Whether a cluster answers at the address in the kubeconfig here. Any answer with its certificate counts, also errors.
 * False where there is no readable kubeconfig.
 */
async function isApiAnswering(context: StepContext): Promise<boolean> {
  return (await probeApi(context)) === 'answers';
}

async function probeApi(context: StepContext): Promise<'answers' | 'silent' | 'no-kubeconfig'> {
  const snapshot = await readSnapshot(context, []).catch(() => null);
  if (snapshot === null) return 'no-kubeconfig';
  const { state, health } = snapshot.api;
  return state === 'up' || (health.outage?.error.status ?? null) !== null ? 'answers' : 'silent';
}

/** A load balancer that reloads and an API server that restarts are back before the last probe. */
const PROBE_COUNT = 4;
const PROBE_INTERVAL = 10 * SECOND;

/**
 * Whether a cluster answers. Probes for half a minute, so that an irreversible action does not follow a mere restart.
 */
export async function isApiAnsweringAfterRetries(context: StepContext): Promise<boolean> {
  for (let remainingProbes = PROBE_COUNT; ; remainingProbes -= 1) {
    const result = await probeApi(context);
    if (result !== 'silent') return result === 'answers';
    if (remainingProbes === 1) return false;
    await context.clock.sleep(PROBE_INTERVAL, context.signal);
  }
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageSource, imageSources } from '../../artifacts/boot/images.ts';
import { INSTALL_CONFIG_PATH } from '../../artifacts/installer/install-config.ts';
import type { RhcosImages } from '../../artifacts/shared/files.ts';
import { GO_NAMES } from '../../design/names.ts';
import type { ImageState } from '../../diagnosis/prepare/evidence.ts';
import type { Served } from '../../diagnosis/served.ts';
import { findProgram } from '../../installer/find.ts';
import { imageStates } from '../../installer/image-sums.ts';
import { type InstallDir, inspectInstallDir } from '../../installer/install-dir.ts';
import { type InstallerVersion, installerVersion, streamImages } from '../../installer/openshift-install.ts';
import { SECOND } from '../../ports/clock.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { findInstaller } from '../shared/installer/find-installer.ts';
import { imageFiles, imageNames } from '../shared/installer/images.ts';
import { unservedFiles } from '../shared/machines/served-files.ts';
import { lookAtServer, type ServerState } from '../shared/machines/serving.ts';
import { workspace } from '../shared/workspace.ts';

/** What the step Prepare finds. */
export interface PrepareFacts extends ServerState {
  /** openshift-install; null where there is none. */
  readonly program: string | null;
  readonly version: InstallerVersion | null;
  readonly oc: string | null;
  readonly images: RhcosImages;
  readonly imageStates: readonly { readonly name: string; readonly state: ImageState }[];
  /** Where the installer says that they are; null where it does not know. */
  readonly sources: readonly ImageSource[] | null;
  readonly directory: InstallDir;
  /** The files here were made from another install-config than the generated one. */
  readonly isOfOtherConfig: boolean;
  /** The files here are of no use any more: expired, or of more than one run or of another install-config. */
  readonly isSpent: boolean;
  /** The credential for want of which there is no install-config for the installer; null where it is not for that. */
  readonly configTrouble: Trouble | null;
  /** The API of the files here answers: a cluster lives from them. */
  readonly isAlive: boolean;
  /** Files that machines will ask for and not get. */
  readonly unserved: readonly Served[];
}

/**
 * Looks at all that Prepare needs: programs, images, directory, server.
 * @throws TroubleError of the installer
 */
export async function gather(context: StepContext): Promise<PrepareFacts> {
  const [program, oc] = await Promise.all([findInstaller(context), findProgram('oc', context.programPath)]);
  const isMaking = context.recollection.isMakingIgnition;
  const [version, stream, images, found, serverState, hasOtherConfig] = await Promise.all([
    program ? installerVersion(program) : null,
    program ? streamImages(program) : null,
    imageNames(context),
    inspectInstallDir(context.dir),
    lookAtServer(context),
    isConfigAnother(context),
  ]);
  // A look between two files of one run is no trace of two runs.
  const directory = isMaking && found.state === 'mixed' ? ({ ...found, state: 'manifests' } as const) : found;
  const { isServing, server } = serverState;
  const sources = stream === null ? null : imageSources(stream, context.design.openshift.architecture);
  const isOfOtherConfig = hasOtherConfig && (directory.state === 'manifests' || directory.state === 'ignition');
  const isExpired = directory.expiresAt !== null && directory.expiresAt <= context.clock.now();
  const isSpent = directory.state === 'mixed' || isExpired || isOfOtherConfig;
  const isAlive = isSpent && (await isAnswered(context));
  return {
    program,
    version,
    oc,
    images,
    imageStates: await imageStates(context.imagesDir, imageFiles(images), sources ?? []),
    sources,
    directory,
    isOfOtherConfig,
    isSpent,
    isAlive,
    configTrouble: (isSpent && !isAlive) || isBefore(directory.state) ? await configTrouble(context) : null,
    unserved:
      isServing && server !== null && directory.state === 'ignition' && !isSpent
        ? await unservedFiles(context, images, server)
        : [],
    ...serverState,
  };
}

/** The evidence for the checks of Prepare. */
export function evidenceOf(context: StepContext, facts: PrepareFacts) {
  const { design, clock, dir, imagesDir, programPath } = context;
  const { version, architecture } = design.openshift;
  return {
    ...facts,
    images: facts.imageStates,
    now: clock.now(),
    dir,
    imagesDir,
    programPath,
    wanted: { version, architecture, goArchitecture: GO_NAMES[architecture] },
    bastionFiles: workspace(dir).filesOf(design.services.bastion.name),
  };
}

/** Nothing was made of the install-config yet. */
const isBefore = (state: InstallDir['state']) => state === 'empty' || state === 'config';

async function configTrouble(context: StepContext): Promise<Trouble | null> {
  const dir = workspace(context.dir).filesOf(context.design.services.bastion.name);
  if (existsSync(join(dir, INSTALL_CONFIG_PATH))) return null;
  const { leftOut } = await outputOf(context, liveStage(context));
  return leftOut[0]?.trouble ?? null;
}

/** Whether the installer's install-config differs from the generated one; false where either is missing. */
async function isConfigAnother({ design, dir }: StepContext): Promise<boolean> {
  const { filesOf, installConfigCopy } = workspace(dir);
  const [generated, taken] = await Promise.all(
    [join(filesOf(design.services.bastion.name), INSTALL_CONFIG_PATH), installConfigCopy].map((file) =>
      readFile(file, 'utf8').catch(() => null),
    ),
  );
  return generated !== null && taken !== null && generated !== taken;
}

/**
 * Whether a cluster answers to the kubeconfig here: any answer with its certificate counts, also busy or refusing ones.
 * False where there is no readable kubeconfig.
 */
async function isAnswered(context: StepContext): Promise<boolean> {
  return (await answer(context)) === 'answers';
}

async function answer(context: StepContext): Promise<'answers' | 'silent' | 'nobody to ask'> {
  const snapshot = await look(context, []).catch(() => null);
  if (snapshot === null) return 'nobody to ask';
  const { state, past } = snapshot.api;
  return state === 'up' || (past.outage?.error.status ?? null) !== null ? 'answers' : 'silent';
}

/** A load balancer that reloads and an API server that restarts are back before the last look. */
const LOOKS = 4;
const BETWEEN = 10 * SECOND;

/** Whether a cluster answers; asks for half a minute, so that what cannot be taken back does not follow a restart. */
export async function isAnsweredForSure(context: StepContext): Promise<boolean> {
  for (let left = LOOKS; ; left -= 1) {
    const found = await answer(context);
    if (found !== 'silent') return found === 'answers';
    if (left === 1) return false;
    await context.clock.sleep(BETWEEN, context.signal);
  }
}

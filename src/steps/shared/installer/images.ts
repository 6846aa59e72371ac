import { readdir } from 'node:fs/promises';
import {
  getMirrorImageNames,
  listImageFiles,
  parseImageNames,
  parseImageSources,
  type RhcosImageNames,
  stripSystemName,
} from '../../../artifacts/boot/images.ts';
import { needsFipsInstaller } from '../../../artifacts/downloads.ts';
import { classifyLifetime, formatRemainingTime } from '../../../checks/prepare/items.ts';
import type { Design } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import type { BootImages } from '../../../infra/infra-move.ts';
import { checkImages } from '../../../installer/images.ts';
import { inspectInstallDir } from '../../../installer/install-dir.ts';
import { readImageStream, readInstallerVersion } from '../../../installer/openshift-install.ts';
import { findProgram } from '../../../installer/programs.ts';
import type { StepContext } from '../../contract.ts';

/**
 * Finds the installer for this design; null if there is none. From 4.16 on, a cluster in FIPS mode needs a separate
 * build, which uses the libraries of the host (openshift/installer pkg/hostcrypt refuses the standard build).
 * @param searchPath searched after the program path; by default that of the process
 */
export async function findInstaller(
  { design, programDirectories }: Pick<StepContext, 'design' | 'programDirectories'>,
  searchPath?: string,
): Promise<string | null> {
  const isFips = needsFipsInstaller(design);
  const fipsProgram = isFips ? await findProgram('openshift-install-fips', programDirectories, searchPath) : null;
  return fipsProgram ?? (await findProgram('openshift-install', programDirectories, searchPath));
}

/**
 * Resolves the names of the RHCOS images: from the installer if it knows them (4.8 and later, the only source that
 * cannot be wrong); else from the downloaded files; else the unversioned names that the mirror serves.
 */
export async function resolveImageNames(
  context: Pick<StepContext, 'design' | 'programDirectories' | 'imagesDir'>,
): Promise<RhcosImageNames> {
  const installerNames = await readInstallerImageNames(context.design, await findInstaller(context));
  return installerNames ?? matchDownloadedFiles(listMirrorImageNames(context.design), context.imagesDir);
}

/**
 * Reads the image names that this installer knows; null without an installer, or if it does not know the command
 * (before 4.8).
 * @throws UserErrorException `installer-cannot-run`, `installer-bad-stream`, `images-unreadable`: it exists and is not
 * usable
 */
export async function readInstallerImageNames(
  { openshift }: Design,
  program: string | null,
): Promise<RhcosImageNames | null> {
  const stream = program === null ? null : await readImageStream(program, openshift);
  return stream === null ? null : parseImageNames(stream, openshift.architecture);
}

/**
 * Reads which boot images the nodes were installed with: those in the images directory, if each has the checksum that
 * the installer names. Null without an installer that names them, or if an image is missing or has another checksum:
 * then the nodes may have booted something else.
 */
export async function readBootImages({
  design,
  programDirectories,
  imagesDir,
}: Pick<StepContext, 'design' | 'programDirectories' | 'imagesDir'>): Promise<BootImages | null> {
  try {
    const program = await findInstaller({ design, programDirectories });
    const stream = program === null ? null : await readImageStream(program, design.openshift);
    if (program === null || stream === null) return null;
    const { architecture } = design.openshift;
    const names = parseImageNames(stream, architecture);
    const { version } = await readInstallerVersion(program);
    const states = await checkImages(imagesDir, listImageFiles(names), parseImageSources(stream, architecture));
    const areImagesCorrect = states.every(({ state }) => state === 'ok');
    return version !== null && areImagesCorrect ? { build: names.release, release: version } : null;
  } catch {
    // The installer cannot run here, or describes no images: nothing is known.
    return null;
  }
}

/** Lists the unversioned names that the mirror serves. */
export function listMirrorImageNames({ openshift: { version, architecture } }: Design): RhcosImageNames {
  return getMirrorImageNames(version, architecture);
}

/**
 * Returns each name as on the mirror, or that of the one downloaded file that differs only by its build:
 * rhcos-45.82.2020-0-installer-kernel-x86_64.
 */
async function matchDownloadedFiles(names: RhcosImageNames, imagesDir: string): Promise<RhcosImageNames> {
  const files = await readdir(imagesDir).catch(() => []);
  const findFile = (name: string) => {
    const suffix = `-${stripSystemName(name)}`;
    const system = name.slice(0, name.indexOf('-') + 1);
    const matches = files.filter((file) => file.startsWith(system) && file.endsWith(suffix));
    return matches.length === 1 && matches[0] !== undefined ? matches[0] : name;
  };
  const { release, kernel, initramfs, rootfs, metal } = names;
  return {
    release,
    kernel: findFile(kernel),
    initramfs: findFile(initramfs),
    rootfs: rootfs === null ? null : findFile(rootfs),
    metal: metal === null ? null : findFile(metal),
  };
}

/**
 * Describes how long the ignition files remain valid, for the steps in which machines still boot with them; null if
 * there are none, or while that is long enough for an installation. The installer's certificates are valid for 24
 * hours.
 */
export async function describeIgnitionLifetime(context: StepContext): Promise<string | null> {
  const { expiresAt } = await inspectInstallDir(context.dir);
  if (expiresAt === null) return null;
  const remainingMs = expiresAt - context.clock.now();
  if (classifyLifetime(remainingMs) === 'fresh') return null;
  return remainingMs > 0
    ? catalogue().steps.prepare.expiresIn(formatRemainingTime(remainingMs))
    : catalogue().steps.prepare.expired;
}

import { listImageFiles, parseImageNames, parseImageSources } from '../../../artifacts/boot/images.ts';
import type { BootImages } from '../../../infra/infra-move.ts';
import { checkImages } from '../../../installer/archive.ts';
import { getInstallerVersion, readImageStream } from '../../../installer/openshift-install.ts';
import type { StepContext } from '../../contract.ts';
import { findInstaller } from './images.ts';

/**
 * Reads which boot images the nodes were installed with: those in the images directory, if each has the checksum that
 * the installer names. Null without an installer that names them, or if an image is missing or another one: then the
 * nodes may have booted something else.
 */
export async function readBootImages({
  design,
  programPath,
  imagesDir,
}: Pick<StepContext, 'design' | 'programPath' | 'imagesDir'>): Promise<BootImages | null> {
  try {
    const program = await findInstaller({ design, programPath });
    const stream = program === null ? null : await readImageStream(program, design.openshift);
    if (program === null || stream === null) return null;
    const { architecture } = design.openshift;
    const names = parseImageNames(stream, architecture);
    const { version } = await getInstallerVersion(program);
    const states = await checkImages(imagesDir, listImageFiles(names), parseImageSources(stream, architecture));
    const areRight = states.every(({ state }) => state === 'ok');
    return version !== null && areRight ? { build: names.release, release: version } : null;
  } catch {
    // The installer cannot run here, or describes no images: nothing is known.
    return null;
  }
}

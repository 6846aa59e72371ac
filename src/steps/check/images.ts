import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageSources } from '../../artifacts/boot/images.ts';
import { checkImages } from '../../installer/archive.ts';
import { readImageStream } from '../../installer/openshift-install.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { findInstaller } from '../shared/installer/images.ts';

/**
 * Checks the images on this machine against the checksums that openshift-install publishes. A file is read again only
 * after it changed.
 */
export async function probeImageFiles(
  { design, programPath, imagesDir }: Pick<StepContext, 'design' | 'programPath' | 'imagesDir'>,
  files: readonly string[],
): Promise<ProbeAnswer<'images'>> {
  const program = await findInstaller({ design, programPath });
  const stream = program === null ? null : await readImageStream(program).catch(() => null);
  const sources = stream === null ? [] : parseImageSources(stream, design.openshift.architecture);
  return await checkImages(imagesDir, files, sources);
}

/** Size of a file in bytes; null if there is no such file. */
export async function getFileSize(dir: string, file: string): Promise<number | null> {
  const found = await stat(join(dir, file)).catch(() => null);
  return found?.isFile() ? found.size : null;
}

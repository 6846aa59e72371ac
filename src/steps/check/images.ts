import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageSources } from '../../artifacts/boot/images.ts';
import { imagePath, WEB_ROOT } from '../../artifacts/shared/generator.ts';
import { listLocalAddresses } from '../../host/local-machine.ts';
import { checkImages, computeFileDigest } from '../../installer/images.ts';
import { readImageStream } from '../../installer/openshift-install.ts';
import { SECOND } from '../../platform/clock.ts';
import { getUrlHost } from '../../platform/text.ts';
import { fetchRange } from '../../probes/http-probe.ts';
import type { ProbeAnswer, ProbeQuery } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { findInstaller } from '../shared/installer/images.ts';

/**
 * Checks the images on this machine against the checksums that openshift-install publishes. A file is read again only
 * after it changed.
 */
export async function probeImageFiles(
  { design, programDirectories, imagesDir }: Pick<StepContext, 'design' | 'programDirectories' | 'imagesDir'>,
  files: readonly string[],
): Promise<ProbeAnswer<'images'>> {
  const program = await findInstaller({ design, programDirectories });
  const stream = program === null ? null : await readImageStream(program, design.openshift).catch(() => null);
  const sources = stream === null ? [] : parseImageSources(stream, design.openshift.architecture);
  return await checkImages(imagesDir, files, sources);
}

/** Size of a file in bytes; null if there is no such file. */
export async function readFileSize(dir: string, file: string): Promise<number | null> {
  const stats = await stat(join(dir, file)).catch(() => null);
  return stats?.isFile() ? stats.size : null;
}

/** Size of a compared part (bytes), and the timeout for fetching it. */
const PART_BYTES = 64 * 1024;
const PART_TIMEOUT = 5 * SECOND;

/**
 * Compares a served image with the one in the images directory. A copy on this machine is compared as a whole. Of a
 * copy on another machine, only the beginning, the middle and the end are compared: a root file system is about 1 GB.
 */
export async function probeImageSample(
  { imagesDir, resolveEndpoint, clock }: Pick<StepContext, 'imagesDir' | 'resolveEndpoint' | 'clock'>,
  { url, file }: ProbeQuery<'sample'>,
): Promise<ProbeAnswer<'sample'>> {
  const sourcePath = join(imagesDir, file);
  const size = await readFileSize(imagesDir, file);
  const firstPart = await fetchRange(resolveEndpoint, clock, url, { offset: 0, length: PART_BYTES }, PART_TIMEOUT);
  if (firstPart === null) return { state: 'unknown' };
  if (firstPart.isStalled) return { state: 'stalled', bytes: firstPart.data.length };
  if (size === null) return { state: 'unknown' };
  const copyPath = await findServedCopy(url, file);
  if (copyPath !== null && copyPath !== sourcePath) {
    const [servedDigest, expectedDigest] = await Promise.all([copyPath, sourcePath].map(computeFileDigest));
    return servedDigest === expectedDigest
      ? { state: 'same', isFullyCompared: true }
      : { state: 'other', at: 0, path: copyPath };
  }
  const handle = await open(sourcePath);
  try {
    const offsets = [...new Set([0, Math.floor(size / 2), Math.max(0, size - PART_BYTES)])];
    for (const offset of offsets) {
      const part =
        offset === 0
          ? firstPart
          : await fetchRange(resolveEndpoint, clock, url, { offset, length: PART_BYTES }, PART_TIMEOUT);
      if (part === null) continue;
      if (part.isStalled) return { state: 'stalled', bytes: part.data.length };
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, offset);
      if (!part.data.equals(buffer.subarray(0, bytesRead))) return { state: 'other', at: offset, path: null };
    }
    return { state: 'same', isFullyCompared: size <= PART_BYTES };
  } finally {
    await handle.close();
  }
}

/**
 * Finds the file on this machine that a URL serves; null if another machine serves it, or the file is not below the web
 * root of nginx.
 */
async function findServedCopy(url: string, file: string): Promise<string | null> {
  if (!listLocalAddresses().has(getUrlHost(new URL(url)))) return null;
  const directory = `${WEB_ROOT}${imagePath('')}`;
  return (await readFileSize(directory, file)) === null ? null : join(directory, file);
}

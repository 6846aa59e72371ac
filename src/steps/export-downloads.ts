import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageSources, parseStreamName } from '../artifacts/boot/images.ts';
import {
  type Download,
  type DownloadList,
  type KnownRelease,
  listDownloads,
  renderExportedDownloadScript,
  renderImageSet,
} from '../artifacts/downloads.ts';
import { findInstallerFault } from '../checks/installer.ts';
import { GO_ARCHITECTURES } from '../design/derived-facts.ts';
import { computeFileDigest } from '../installer/images.ts';
import { readImageStream, readInstallerVersion } from '../installer/openshift-install.ts';
import { formatJson } from '../platform/sanitize.ts';
import type { StepContext } from './contract.ts';
import { findInstaller } from './shared/installer/images.ts';

type DownloadContext = Pick<StepContext, 'design' | 'programDirectories' | 'imagesDir'>;

/** The downloads of a design, with the sizes of the files that are here already. */
interface ExportedDownloads extends Omit<DownloadList, 'files'> {
  /** `size` in bytes; null if the file is not here. */
  readonly files: readonly (Download & { readonly size: number | null })[];
}

/**
 * Formats what an installation of this design downloads, as exactly as this machine knows it without a network: an
 * openshift-install of the design's version names the images and their checksums.
 * @param format a shell script, a JSON document, or an ImageSetConfiguration for oc-mirror v2
 * @throws UserErrorException those of the installer
 */
export async function exportDownloads(
  context: DownloadContext,
  format: 'script' | 'json' | 'imageset',
): Promise<string> {
  const list = listDownloads(context.design, await readKnownRelease(context));
  if (format === 'script') return renderExportedDownloadScript(list);
  if (format === 'imageset') return renderImageSet(context.design, list.version);
  const addSize = async (file: Download) => ({ ...file, size: await readVerifiedSize(file, context.imagesDir) });
  const document: ExportedDownloads = { ...list, files: await Promise.all(list.files.map(addSize)) };
  return formatJson(document);
}

/** Reads what openshift-install knows; null if there is none, or one of another version or architecture. */
async function readKnownRelease(context: DownloadContext): Promise<KnownRelease | null> {
  const program = await findInstaller(context);
  if (program === null) return null;
  const { version: designVersion, architecture } = context.design.openshift;
  const installerVersion = await readInstallerVersion(program);
  const fault = findInstallerFault(installerVersion, {
    version: designVersion,
    goArchitecture: GO_ARCHITECTURES[architecture],
  });
  if (fault !== null && fault !== 'architecture-unknown') return null;
  const stream = await readImageStream(program, context.design.openshift);
  return {
    version: installerVersion.version,
    stream: parseStreamName(stream),
    images: stream === null ? null : parseImageSources(stream, architecture),
  };
}

/** Reads the size of an image file; null if it is missing, its checksum is unknown, or it has another checksum. */
async function readVerifiedSize({ name, sha256 }: Download, imagesDir: string): Promise<number | null> {
  if (sha256 === null) return null;
  const file = join(imagesDir, name);
  const stats = await stat(file).catch(() => null);
  return stats?.isFile() && (await computeFileDigest(file)) === sha256 ? stats.size : null;
}

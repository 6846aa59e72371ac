import { execa } from 'execa';
import type { RhcosImages } from '../artifacts/files.ts';
import { imagesFromStream, mirrorImageNames } from '../artifacts/images.ts';
import type { Design } from '../design/model.ts';
import { versionProfile } from '../design/versions.ts';
import { artifacts as words } from '../text/en/artifacts.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import type { CommandIo } from './io.ts';

/**
 * The names of the RHCOS images: asked of the openshift-install on PATH, the only source that cannot be wrong; without one (or
 * before 4.8, which does not know the command) the names that the mirror serves.
 * @throws TroubleError `images-unreadable` when an installer is there and its answer is not usable
 */
export async function installerImages(
  design: Design,
  io: Pick<CommandIo, 'env'>,
): Promise<{ readonly images: RhcosImages; readonly isFromInstaller: boolean }> {
  const { version, architecture } = design.openshift;
  const fromMirror = { images: mirrorImageNames(version, architecture), isFromInstaller: false };
  if (!versionProfile(version).hasStreamJson) return fromMirror;
  const result = await execa('openshift-install', ['coreos', 'print-stream-json'], {
    env: io.env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  if (result.code === 'ENOENT') return fromMirror;
  if (result.failed)
    throw new TroubleError(words.imagesUnreadable(sanitizeLine(String(result.stderr || result.shortMessage))));
  return { images: imagesFromStream(parse(String(result.stdout)), architecture), isFromInstaller: true };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TroubleError(words.imagesUnreadable(sanitizeLine(String(error))));
  }
}

import { imagesFromStream, mirrorImageNames } from '../artifacts/boot/images.ts';
import type { RhcosImages } from '../artifacts/shared/files.ts';
import type { Design } from '../design/model.ts';
import { findProgram } from '../installer/find.ts';
import { streamImages } from '../installer/openshift-install.ts';
import type { CommandIo } from './io.ts';

/**
 * The names of the RHCOS images: asked of the openshift-install on PATH, the only source that cannot be wrong; where none is
 * there, or it does not know the command (before 4.8), the names that the mirror serves.
 * @throws TroubleError `installer-cannot-run`, `installer-bad-stream`, `images-unreadable`: it is there and not usable
 */
export async function installerImages(
  design: Design,
  io: Pick<CommandIo, 'env'>,
): Promise<{ readonly images: RhcosImages; readonly isFromInstaller: boolean }> {
  const { version, architecture } = design.openshift;
  const program = await findProgram('openshift-install', [], io.env.PATH ?? '');
  const stream = program === null ? null : await streamImages(program);
  return stream === null
    ? { images: mirrorImageNames(version, architecture), isFromInstaller: false }
    : { images: imagesFromStream(stream, architecture), isFromInstaller: true };
}

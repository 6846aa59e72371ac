import { readdir } from 'node:fs/promises';
import { imagesFromStream, mirrorImageNames } from '../../../artifacts/boot/images.ts';
import type { RhcosImages } from '../../../artifacts/shared/files.ts';
import type { Design } from '../../../design/model.ts';
import { streamImages } from '../../../installer/openshift-install.ts';
import type { StepContext } from '../../contract.ts';
import { findInstaller } from './find-installer.ts';

/**
 * The names of the RHCOS images: from the installer where it knows them (4.8 and later, the only source that cannot be
 * wrong); else of the downloaded files; else the unversioned names that the mirror serves.
 */
export async function imageNames(
  context: Pick<StepContext, 'design' | 'programPath' | 'imagesDir'>,
): Promise<RhcosImages> {
  const known = await installerImages(context.design, await findInstaller(context));
  return known ?? asDownloaded(mirrorImages(context.design), context.imagesDir);
}

/**
 * The names that this installer knows; null where there is none, or it does not know the command (before 4.8).
 * @throws TroubleError `installer-cannot-run`, `installer-bad-stream`, `images-unreadable`: it exists and is not usable
 */
export async function installerImages({ openshift }: Design, program: string | null): Promise<RhcosImages | null> {
  const stream = program === null ? null : await streamImages(program);
  return stream === null ? null : imagesFromStream(stream, openshift.architecture);
}

/** The unversioned names that the mirror serves. */
export function mirrorImages({ openshift: { version, architecture } }: Design): RhcosImages {
  return mirrorImageNames(version, architecture);
}

/** The mirror's name, or that of the one file that differs from it by its build only: rhcos-45.82.2020-0-installer-kernel-x86_64. */
async function asDownloaded(names: RhcosImages, imagesDir: string): Promise<RhcosImages> {
  const files = await readdir(imagesDir).catch(() => []);
  const found = (name: string) => {
    const suffix = name.slice('rhcos'.length);
    const matches = files.filter((file) => file.startsWith('rhcos-') && file.endsWith(suffix));
    return matches.length === 1 && matches[0] !== undefined ? matches[0] : name;
  };
  const { release, kernel, initramfs, rootfs, metal } = names;
  return {
    release,
    kernel: found(kernel),
    initramfs: found(initramfs),
    rootfs: rootfs === null ? null : found(rootfs),
    metal: metal === null ? null : found(metal),
  };
}

/** The files that a node needs: from 4.6 on the root file system replaces the disk image. */
export function imageFiles({ kernel, initramfs, rootfs, metal }: RhcosImages): string[] {
  return [kernel, initramfs, ...(rootfs === null ? (metal === null ? [] : [metal]) : [rootfs])];
}

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Design } from '../../design/model.ts';
import type { SitePaths } from './files.ts';
import type { RhcosRelease } from './versions.ts';

const IMAGE_BYTES = 48 * 1024;

/** Lists the files of a build that a network boot needs. */
export function listImageNames({ kernel, initramfs, rootfs, metal }: RhcosRelease): string[] {
  return [kernel, initramfs, metal, ...(rootfs === null ? [] : [rootfs])];
}

/** Images created so far: each machine compares its downloads with these. */
const imageCache = new Map<string, Buffer>();

/** Returns bytes that depend on the name only, so that checksums are stable. */
export function getImageBytes(name: string): Buffer {
  const known = imageCache.get(name);
  if (known !== undefined) return known;
  const blocks = Array.from({ length: IMAGE_BYTES / 32 }, (_, index) => hash('sha256', `${name} ${index}`, 'buffer'));
  const bytes = Buffer.concat(blocks);
  imageCache.set(name, bytes);
  return bytes;
}

/** Whether the bytes differ from the root file system whose hash is in the initramfs of the build. */
export function isMismatchedRootfs({ rootfs }: RhcosRelease, bytes: Buffer): boolean {
  return rootfs !== null && !bytes.equals(getImageBytes(rootfs));
}

/** Finds the registry that the release is pulled from: the first mirror of its repository, else quay.io. */
export function findReleaseRegistry({ imageDigestSources }: Design): string {
  return findRegistry(imageDigestSources, RELEASE_REPOSITORY);
}

export const RELEASE_REPOSITORY = 'quay.io/openshift-release-dev/ocp-release';

/** Finds the registry that an image comes from: the first mirror of its repository, else its own. */
export function findRegistry(sources: Design['imageDigestSources'], image: string): string {
  const mirror = sources.find(({ source }) => image.startsWith(source))?.mirrors[0];
  return (mirror ?? image).split('/')[0] ?? '';
}

/** Moves the initramfs away from its path on the boot server. This happens once in the lifetime of a site. */
export function moveInitramfsAside(paths: Pick<SitePaths, 'images' | 'movedAside'>, { initramfs }: RhcosRelease): void {
  const [from, to] = [join(paths.images, initramfs), join(paths.movedAside, initramfs)];
  // A repair may copy or move the file back: the directory records that the fault has happened.
  if (existsSync(paths.movedAside) || !existsSync(from)) return;
  mkdirSync(paths.movedAside, { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

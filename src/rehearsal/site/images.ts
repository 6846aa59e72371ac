import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Design } from '../../design/model.ts';
import type { SitePaths } from './files.ts';
import type { RhcosRelease } from './versions.ts';

const IMAGE_BYTES = 48 * 1024;

/** The files of a build that a network boot needs. */
export function imageNames({ kernel, initramfs, rootfs, metal }: RhcosRelease): string[] {
  return [kernel, initramfs, metal, ...(rootfs === null ? [] : [rootfs])];
}

/** The images made so far: each machine compares what it fetched with one of these. */
const made = new Map<string, Buffer>();

/** Bytes that are always the same for the same name, so that checksums are stable. */
export function imageBytes(name: string): Buffer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const blocks = Array.from({ length: IMAGE_BYTES / 32 }, (_, index) => hash('sha256', `${name} ${index}`, 'buffer'));
  const bytes = Buffer.concat(blocks);
  made.set(name, bytes);
  return bytes;
}

/** Whether bytes are not the root file system whose hash the initramfs of the build carries. */
export function isOtherRootfs({ rootfs }: RhcosRelease, bytes: Buffer): boolean {
  return rootfs !== null && !bytes.equals(imageBytes(rootfs));
}

/** The registry that the release is pulled from: the first mirror of its repository, else quay.io. */
export function releaseRegistry({ imageDigestSources }: Design): string {
  return registryOf(imageDigestSources, RELEASES);
}

/** The repository of the releases. */
export const RELEASES = 'quay.io/openshift-release-dev/ocp-release';

/** The registry that an image comes from: the first mirror of its repository, else its own. */
export function registryOf(sources: Design['imageDigestSources'], image: string): string {
  const mirror = sources.find(({ source }) => image.startsWith(source))?.mirrors[0];
  return (mirror ?? image).split('/')[0] ?? '';
}

/** Somebody tidies up: the initramfs is no longer where the boot server looks for it. Once in the life of a site. */
export function moveInitramfsAside(paths: Pick<SitePaths, 'images' | 'movedAside'>, { initramfs }: RhcosRelease): void {
  const [from, to] = [join(paths.images, initramfs), join(paths.movedAside, initramfs)];
  // Whoever mends it may copy the file back or move it: the directory tells that it happened.
  if (existsSync(paths.movedAside) || !existsSync(from)) return;
  mkdirSync(paths.movedAside, { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

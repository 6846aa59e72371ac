import type { Architecture } from '../../design/choices.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { getFileName } from '../../platform/text.ts';
import * as z from '../../platform/zod.ts';

const words = () => catalogue().artifacts;

const locationSchema = z.object({
  location: z.url().refine((url) => /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(getFileName(url)), 'no plain file name'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    // Ignores a malformed checksum: the image names in the same document are still valid.
    .catch(undefined),
});
const streamSchema = z.object({
  architectures: z.record(
    z.string(),
    z.object({
      artifacts: z.object({
        metal: z.object({
          release: z.string().regex(/^[0-9A-Za-z.-]+$/),
          formats: z.object({
            pxe: z.object({ kernel: locationSchema, initramfs: locationSchema, rootfs: locationSchema.optional() }),
            'raw.gz': z.object({ disk: locationSchema }).optional(),
          }),
        }),
      }),
    }),
  ),
});

/**
 * Parses the file names of one RHCOS build from the output of `openshift-install coreos print-stream-json` (4.8 and
 * later): `architectures.<arch>.artifacts.metal.formats.pxe`, base names of the locations.
 * @throws UserErrorException `images-unreadable` when the document is not of that shape or lacks the architecture
 */
export function parseImageNames(json: unknown, architecture: Architecture): RhcosImageNames {
  const metal = parseMetalArtifacts(json, architecture);
  const { pxe, 'raw.gz': raw } = metal.formats;
  return {
    release: metal.release,
    kernel: getFileName(pxe.kernel.location),
    initramfs: getFileName(pxe.initramfs.location),
    rootfs: pxe.rootfs ? getFileName(pxe.rootfs.location) : null,
    metal: raw ? getFileName(raw.disk.location) : null,
  };
}

/** Download location and checksum of one RHCOS image. */
export interface ImageSource {
  readonly name: string;
  readonly url: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * Parses the images that nodes boot with from the stream metadata: kernel, initramfs, and the root file system or,
 * before 4.6, the disk image. An image without a checksum is left out.
 * @throws UserErrorException `images-unreadable`
 */
export function parseImageSources(json: unknown, architecture: Architecture): ImageSource[] {
  const { pxe, 'raw.gz': raw } = parseMetalArtifacts(json, architecture).formats;
  return [pxe.kernel, pxe.initramfs, pxe.rootfs ?? raw?.disk].flatMap((image) =>
    image?.sha256 === undefined ? [] : { name: getFileName(image.location), url: image.location, sha256: image.sha256 },
  );
}

/** Parses the name of the stream from the stream metadata: `rhcos-4.18`, or `c10s` of OKD; null if it names none. */
export function parseStreamName(json: unknown): string | null {
  const parseResult = z.object({ stream: z.string().regex(/^[\w.-]{1,60}$/) }).safeParse(json);
  return parseResult.success ? parseResult.data.stream : null;
}

function parseMetalArtifacts(json: unknown, architecture: Architecture) {
  const parseResult = streamSchema.safeParse(json);
  if (!parseResult.success) {
    const [issue] = parseResult.error.issues;
    throw createUnreadableError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const metal = parseResult.data.architectures[architecture]?.artifacts.metal;
  if (!metal) throw createUnreadableError(words().noImages(architecture));
  return metal;
}

function createUnreadableError(reason: string): UserErrorException {
  return new UserErrorException({ code: 'images-unreadable', ...words().imagesUnreadable(reason) });
}

/**
 * Removes the operating system from an image name: `live-kernel.x86_64` is left of `rhcos-live-kernel.x86_64` (RHCOS)
 * or `scos-live-kernel.x86_64` (OKD).
 */
export const stripSystemName = (name: string) => name.slice(name.indexOf('-') + 1);

/**
 * Returns the unversioned names in mirror.openshift.com/pub/openshift-v4/<arch>/dependencies/rhcos/<X.Y>/latest/, used
 * without an installer. The suffixes are those of openshift/installer data/data/coreos/rhcos.json of each release.
 * Before 4.6 the images are an installer kernel and a raw disk image, from 4.6 on a live system. The name of the live
 * kernel ends in "-x86_64" until 4.18 and in ".x86_64" from 4.19 on (installer commit 194cc0682c). The names for OKD,
 * those of SCOS (scos.json of the same directory), are placeholders: nothing is downloaded under them.
 */
export function getMirrorImageNames(version: string, architecture: Architecture): RhcosImageNames {
  const { minor: release, imageNames, product } = getVersionProfile(version);
  if (imageNames === 'installer') {
    return {
      release,
      kernel: `rhcos-installer-kernel-${architecture}`,
      initramfs: `rhcos-installer-initramfs.${architecture}.img`,
      rootfs: null,
      metal: `rhcos-metal.${architecture}.raw.gz`,
    };
  }
  const separator = imageNames === 'dot' ? '.' : '-';
  const system = product === 'OKD' ? 'scos' : 'rhcos';
  return {
    release,
    kernel: `${system}-live-kernel${separator}${architecture}`,
    initramfs: `${system}-live-initramfs.${architecture}.img`,
    rootfs: `${system}-live-rootfs.${architecture}.img`,
    metal: null,
  };
}

/**
 * File names of one RHCOS build, as `openshift-install coreos print-stream-json` gives them (base names of the
 * locations).
 */
export interface RhcosImageNames {
  readonly release: string;
  readonly kernel: string;
  readonly initramfs: string;
  /** Null before 4.6. */
  readonly rootfs: string | null;
  /** The raw disk image, which nodes before 4.6 install; null if the source names none. */
  readonly metal: string | null;
}

/** Lists the files that a node needs: from 4.6 on the root file system replaces the disk image. */
export function listImageFiles({ kernel, initramfs, rootfs, metal }: RhcosImageNames): string[] {
  return [kernel, initramfs, ...(rootfs === null ? (metal === null ? [] : [metal]) : [rootfs])];
}

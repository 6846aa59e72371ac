import { createHash } from 'node:crypto';
import { getImageBytes } from '../site/files.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';

/** Builds the output of `coreos print-stream-json`: the locations of the images, with their checksums. */
export function buildStreamJson(release: ReleaseMetadata, architecture: string): string {
  const { rhcos } = release;
  const buildArtifact = (name: string) => ({
    location: `${rhcos.url}/${name}`,
    sha256: createHash('sha256').update(getImageBytes(name)).digest('hex'),
  });
  const pxe = {
    kernel: buildArtifact(rhcos.kernel),
    initramfs: buildArtifact(rhcos.initramfs),
    ...(rhcos.rootfs === null ? {} : { rootfs: buildArtifact(rhcos.rootfs) }),
  };
  const formats = { pxe, iso: { disk: buildArtifact(rhcos.iso) }, 'raw.gz': { disk: buildArtifact(rhcos.metal) } };
  const stream = {
    stream: rhcos.stream,
    metadata: { 'last-modified': '2024-10-10T15:31:26Z', generator: 'plume cosa2stream' },
    architectures: { [architecture]: { artifacts: { metal: { release: rhcos.build, formats } }, images: {} } },
  };
  return `${JSON.stringify(stream, null, 2)}\n`;
}

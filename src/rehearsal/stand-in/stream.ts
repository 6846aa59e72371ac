import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseFacts } from '../site/versions.ts';

/** `coreos print-stream-json`: where the images of the release are, with the checksums of those that lie at the site. */
export function streamJson(release: ReleaseFacts, architecture: string, imagesDir: string): string {
  const { rhcos } = release;
  const artifact = (name: string) => ({
    location: `${rhcos.url}/${name}`,
    sha256: checksum(join(imagesDir, name)) ?? createHash('sha256').update(name).digest('hex'),
  });
  const pxe = {
    kernel: artifact(rhcos.kernel),
    initramfs: artifact(rhcos.initramfs),
    ...(rhcos.rootfs === null ? {} : { rootfs: artifact(rhcos.rootfs) }),
  };
  const formats = { pxe, iso: { disk: artifact(rhcos.iso) }, 'raw.gz': { disk: artifact(rhcos.metal) } };
  const stream = {
    stream: `rhcos-${release.minor.join('.')}`,
    metadata: { 'last-modified': '2024-10-10T15:31:26Z', generator: 'plume cosa2stream' },
    architectures: { [architecture]: { artifacts: { metal: { release: rhcos.build, formats } }, images: {} } },
  };
  return `${JSON.stringify(stream, null, 2)}\n`;
}

function checksum(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

import type { Design } from '../../../design/model.ts';
import { readOutputFile } from '../../../host/output-dir.ts';
import { computeSha256 } from '../../../platform/text.ts';

/**
 * Whether the list of the files in a directory names another design as their source. False for a list that cannot be
 * read: the steps that work with the files report it.
 */
export function isFromOtherDesign(filesDir: string, design: Design): boolean {
  try {
    const manifest: unknown = JSON.parse(readOutputFile(filesDir, 'files.json') ?? 'null');
    const recordedDigest =
      typeof manifest === 'object' && manifest !== null && 'design' in manifest ? manifest.design : null;
    return typeof recordedDigest === 'string' && recordedDigest !== computeSha256(JSON.stringify(design));
  } catch {
    return false;
  }
}

import { sha256 } from '../../../artifacts/shared/draft.ts';
import { readInside } from '../../../bastion/output-dir.ts';
import type { Design } from '../../../design/model.ts';

/**
 * Whether the files in a directory say that they were made from another design. A list that cannot be read says nothing
 * here: the steps that work with the files report it.
 */
export function isOfAnotherDesign(files: string, design: Design): boolean {
  try {
    const manifest: unknown = JSON.parse(readInside(files, 'files.json') ?? 'null');
    const made = typeof manifest === 'object' && manifest !== null && 'design' in manifest ? manifest.design : null;
    return typeof made === 'string' && made !== sha256(JSON.stringify(design));
  } catch {
    return false;
  }
}

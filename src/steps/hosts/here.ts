import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPreviousOutput } from '../../bastion/output-dir.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from '../shared/workspace.ts';

/** `there`: all generated files of this machine are where they belong. `absent`: none of them is. `unknown`: some, or not readable. */
export type SeenHere = 'there' | 'absent' | 'unknown';

/**
 * Whether the generated files of the bastion are in place: this is the bastion, so they can be looked at.
 * @param root for tests: what stands for the root directory
 */
export async function seenHere({ design, dir }: Pick<StepContext, 'design' | 'dir'>, root = '/'): Promise<SeenHere> {
  const before = `${design.services.bastion.name}/`;
  const listed = readPreviousOutput(workspace(dir).files)?.manifest.files ?? [];
  const own = listed.filter(({ file }) => file.startsWith(before));
  const states = await Promise.all(
    own.map(async ({ file, sha256 }) => {
      try {
        const content = await readFile(join(root, file.slice(before.length)));
        return createHash('sha256').update(content).digest('hex') === sha256 ? 'same' : 'other';
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        return isMissing ? 'missing' : 'unreadable';
      }
    }),
  );
  if (own.length === 0) return 'unknown';
  if (states.every((state) => state === 'same')) return 'there';
  return states.every((state) => state === 'missing') ? 'absent' : 'unknown';
}

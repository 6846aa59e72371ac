import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPreviousOutput } from '../../host/output-dir.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from '../shared/workspace.ts';

/**
 * `there`: all generated files of this machine are in place. `absent`: none of them is. `unknown`: some, or not
 * readable.
 */
export type LocalFilesState = 'there' | 'absent' | 'unknown';

/**
 * Probes whether the generated files of the bastion are in place. This machine is the bastion, so they can be read.
 * @param root replaces the root directory in tests
 */
export async function probeLocalFiles(
  { design, dir }: Pick<StepContext, 'design' | 'dir'>,
  root = '/',
): Promise<LocalFilesState> {
  const prefix = `${design.services.bastion.name}/`;
  const listed = readPreviousOutput(workspace(dir).files)?.manifest.files ?? [];
  const ownFiles = listed.filter(({ file }) => file.startsWith(prefix));
  const states = await Promise.all(
    ownFiles.map(async ({ file, sha256 }) => {
      try {
        const content = await readFile(join(root, file.slice(prefix.length)));
        return createHash('sha256').update(content).digest('hex') === sha256 ? 'same' : 'other';
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        return isMissing ? 'missing' : 'unreadable';
      }
    }),
  );
  if (ownFiles.length === 0) return 'unknown';
  if (states.every((state) => state === 'same')) return 'there';
  return states.every((state) => state === 'missing') ? 'absent' : 'unknown';
}

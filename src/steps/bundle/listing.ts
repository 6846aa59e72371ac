import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sanitizeLine } from '../../platform/sanitize.ts';

const MAX_FILES = 3000;

/** Lists names, sizes, modes and times of the files in a directory, without their content; at most 3000. */
export async function listFiles(dir: string): Promise<string> {
  const lines: string[] = [];
  const addDirectory = async (subdirectory: string): Promise<void> => {
    const names = await readdir(join(dir, subdirectory)).catch(() => []);
    for (const name of names.sort()) {
      if (lines.length === MAX_FILES) return;
      const path = join(subdirectory, name);
      const stat = await lstat(join(dir, path)).catch(() => null);
      if (stat === null) continue;
      const kind = stat.isDirectory() ? 'd' : stat.isFile() ? '-' : stat.isSymbolicLink() ? 'l' : '?';
      const mode = `0${(stat.mode & 0o7777).toString(8)}`;
      const at = new Date(stat.mtimeMs).toISOString();
      lines.push(`${kind} ${mode} ${String(stat.size).padStart(10)} ${at} ${sanitizeLine(path)}`);
      if (stat.isDirectory()) await addDirectory(path);
    }
  };
  await addDirectory('');
  return lines.join('\n');
}

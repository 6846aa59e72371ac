// The package against the checkout that it was made of.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACK = fileURLToPath(new URL('../../../bin/package.js', import.meta.url));

/** Packs and unpacks the program for this machine. Returns its start script. */
export function unpackProgram(dir: string): string {
  const args = ['--arch', process.arch, '--format', 'tar', '--level', '0', '--out', dir];
  execFileSync(process.execPath, [PACK, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = readdirSync(dir).find((name) => name.endsWith('.tar.xz')) ?? '';
  execFileSync('tar', ['-xJf', join(dir, archive), '-C', dir]);
  return join(dir, archive.replace(/\.tar\.xz$/, ''), 'upi-wizard');
}

/** Empties the page cache (proc_sys_vm(5)), as after the machine was started. Only root can. */
export function emptyPageCache(): void {
  execFileSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '3');
}

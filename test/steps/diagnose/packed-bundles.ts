// Bundles that a test packs itself, each in a directory that goes with the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach } from 'vitest';
import { tarOf } from '../../../src/bastion/tar.ts';

export const NOW = Date.UTC(2026, 10, 22, 12);
export const ROOT = 'log-bundle-20261122120000';

export interface PackedBundles {
  /** A directory of this test alone. */
  readonly dir: () => string;
  /** Where the bundle is. */
  readonly file: () => string;
  /** Packs these files. @param change what happens to the bytes of the archive @returns its path */
  readonly bundle: (files: Readonly<Record<string, string>>, change?: (bytes: Buffer) => Buffer) => string;
}

/** For the tests of the file that calls it. */
export function packedBundles(): PackedBundles {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'upi-bundle-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const file = () => join(dir, 'bundle.tar.gz');
  return {
    dir: () => dir,
    file,
    bundle(files, change = (bytes) => bytes) {
      const members = Object.entries(files).map(([path, text]) => ({
        path: `${ROOT}/${path}`,
        content: Buffer.from(text),
      }));
      writeFileSync(file(), change(gzipSync(tarOf(members, NOW))));
      return file();
    },
  };
}

export const journal = (unit: string, ...messages: readonly string[]) =>
  messages.map((message) => `Nov 22 11:59:00 bs.ocp45.example.localdomain ${unit}[1234]: ${message}\n`).join('');
export const PULL =
  'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: reading manifest sha256:ab in quay.io: unauthorized: authentication required';

// Bundles that a test packs on its own, each in a temporary directory that is removed after the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach } from 'vitest';
import { createTar } from '../../../src/host/tar.ts';

export const NOW = Date.UTC(2026, 10, 22, 12);
export const ROOT = 'log-bundle-20261122120000';

export interface BundleFixture {
  /** The temporary directory of the running test. */
  readonly dir: () => string;
  /** The path of the bundle. */
  readonly file: () => string;
  /**
   * Packs these files.
   * @param change alters the bytes of the archive
   * @returns the path of the bundle
   */
  readonly packBundle: (files: Readonly<Record<string, string>>, change?: (bytes: Buffer) => Buffer) => string;
}

/** Creates a directory before each test of the calling file, and removes it afterwards. */
export function setUpBundleFixture(): BundleFixture {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'upi-bundle-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const file = () => join(dir, 'bundle.tar.gz');
  return {
    dir: () => dir,
    file,
    packBundle(files, change = (bytes) => bytes) {
      const members = Object.entries(files).map(([path, text]) => ({
        path: `${ROOT}/${path}`,
        content: Buffer.from(text),
      }));
      writeFileSync(file(), change(gzipSync(createTar(members, NOW))));
      return file();
    },
  };
}

export const journal = (unit: string, ...messages: readonly string[]) =>
  messages.map((message) => `Nov 22 11:59:00 bs.ocp45.example.localdomain ${unit}[1234]: ${message}\n`).join('');
export const PULL_ERROR =
  'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: reading manifest sha256:ab in quay.io: unauthorized: authentication required';

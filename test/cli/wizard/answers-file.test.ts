import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CommandIo } from '../../../src/cli/shared/io.ts';
import { readAnswersFile } from '../../../src/cli/wizard/answers-file.ts';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { getAt } from '../../../src/design/paths.ts';
import { resolveCredentialFiles } from '../../../src/steps/shared/files/design-paths.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-answers-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('files that an answers file names relative to itself are found from any install directory', () => {
  const text = `${renderExampleDesign({}).replace('./pull-secret.txt', 'secrets/pull.json')}\nadditionalTrustBundleFile: ../ca.pem\n`;
  writeFileSync(join(dir, 'site.yaml'), text);
  const errors: string[] = [];
  const io: CommandIo = { stdout: () => {}, stderr: (line) => errors.push(line), env: {}, cwd: dir };
  const { design, document, isReadable } = readAnswersFile('site.yaml', io);
  expect({ isReadable, errors }).toEqual({ isReadable: true, errors: [] });
  if (design === null) throw new Error('no design');
  expect(resolveCredentialFiles(design, '/elsewhere')).toEqual({
    pullSecretFile: join(dir, 'secrets/pull.json'),
    sshKeyFile: join(homedir(), '.ssh/id_ed25519.pub'),
    trustBundleFile: join(dir, '../ca.pem'),
    fencingFile: null,
  });
  expect(getAt(document, 'credentials.pullSecretFile')).toBe(join(dir, 'secrets/pull.json'));
  expect(getAt(document, 'cluster.name')).toBe('ocp45');
});

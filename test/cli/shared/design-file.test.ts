import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { designIn } from '../../../src/cli/shared/design-file.ts';
import { UsageError } from '../../../src/cli/shared/usage.ts';
import { exampleDesign } from '../../../src/design/example.ts';

test('a design in a file is read, its errors are told line by line, and what is no file is wrong usage', () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-design-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [file, told] = [join(dir, 'cluster.yaml'), [] as string[]];
  const find = () => designIn(file, { stderr: (text) => told.push(text) });
  expect(find).toThrow(UsageError);
  writeFileSync(file, exampleDesign({}));
  expect(find()?.nodes.length).toBeGreaterThan(0);
  expect(told).toEqual([]);
  writeFileSync(file, exampleDesign({}).replace('apiVersion: upi-wizard/v1\n', ''));
  expect(find()).toBeNull();
  expect(told).toEqual([
    `The design in ${file} has errors:\n`,
    '  apiVersion: apiVersion is missing. Add it: upi-wizard/v1.\n',
  ]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../src/cli/shared/io.ts';
import { resolveMirror, saveMirror } from '../../../src/cli/wizard/mirror.ts';
import { createStepState, parseFacts, type StepFacts } from '../../../src/steps/step-state.ts';

test('the directory is kept with the session until it is switched off; a start without the option changes nothing', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'upi-mirror-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const dir = join(cwd, 'usb');
  mkdirSync(dir);
  const facts: StepFacts = {};
  const stepState = createStepState(facts);
  expect(saveMirror(stepState, resolveMirror('usb', cwd))).toBe(
    `Prepare takes openshift-install, oc and the images from ${dir}.`,
  );
  expect(parseFacts(facts)).toEqual({ facts: { mirror: dir }, droppedKeys: [] });
  expect(saveMirror(stepState, resolveMirror(undefined, cwd))).toBeNull();
  expect(facts).toEqual({ mirror: dir });
  expect(saveMirror(stepState, resolveMirror('off', cwd))).toContain('from the internet');
  expect(parseFacts(facts)).toEqual({ facts: { mirror: null }, droppedKeys: [] });
});

test('anything but a directory that can be read is wrong usage', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'upi-mirror-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'file'), '');
  for (const wrong of ['missing', 'file', 'file/below', '/dev/null', 'a\u001b]0;x\u0007'])
    expect(() => resolveMirror(wrong, cwd)).toThrow(UsageError);
  expect(() => resolveMirror('a\u001b]0;x\u0007', cwd)).not.toThrow(/\u001b/);
});
